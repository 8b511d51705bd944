"""What a warning is worth: what is left of the charge against the fee of a dispute and its odds, in one currency."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shared.case.money import Money, convert, format_minor
from shared.playbooks.disputes.policy_rules.fraud_warning import FraudWarningRule
from shared.ports.directory import Org


@dataclass(frozen=True, slots=True)
class Weighing:
    """All in minor units of the org's currency, at the org's rates; the bounds are exact."""

    left_minor: int
    fee_minor: int
    small_minor: Fraction
    break_even_minor: Fraction
    currency: str

    @property
    def is_small(self) -> bool:
        """Whether the charge is worth at most so many fees that waiting costs more."""
        return self.left_minor <= self.small_minor

    @property
    def is_worth_it(self) -> bool:
        """Whether a dispute costs at least as much on average as giving the charge back."""
        return self.left_minor <= self.break_even_minor

    def shown(self, minor: int | Fraction) -> str:
        """An amount for people, rounded down to the minor unit: 20.25 USD."""
        return f"{format_minor(int(minor), self.currency)} {self.currency.upper()}"


def weigh(left: Money, rule: FraudWarningRule, org: Org) -> Weighing:
    """Weigh what is left of a charge. Raises MissingRate where one of the currencies has no rate."""
    fee = convert(rule.fee, org.currency, org.fx)
    return Weighing(
        left_minor=convert(left, org.currency, org.fx),
        fee_minor=fee,
        small_minor=rule.small_multiple * fee,
        break_even_minor=Fraction(rule.odds_pct * fee, 100 - rule.odds_pct),
        currency=org.currency,
    )
