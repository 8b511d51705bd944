"""fraud_warning: when an early fraud warning is answered with a refund, and when it is left alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shared.case.evidence import Cell
from shared.case.money import Money
from shared.playbooks.disputes.figures import fee, figure
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    decimal,
    exact,
    number,
    one_of,
    text,
    values,
    whole,
)

KIND = "fraud_warning"
SOURCE = "docs.stripe.com/radar/early-fraud-warnings and docs.stripe.com/disputes/how-disputes-work (read 2026-05)"

_PARAMETERS: Parameters = {
    "dispute_fee_minor": (1500, whole(1, 10**6)),
    "currency": ("usd", text),
    "small_up_to_fee_multiple": ("1.35", decimal),
    "dispute_odds_pct": (80, whole(1, 99)),
    "max_age_days": (120, whole(1, 365)),
    "small": ("refund", one_of("refund", "record")),
    "up_to_break_even": ("refund", one_of("refund", "record")),
    "above": ("record", one_of("record")),
    "disputed": ("record", one_of("record")),
    "liability_shifted": ("record", one_of("record")),
    "near_monitoring_threshold": ("person", one_of("person")),
}


@dataclass(frozen=True, slots=True)
class FraudWarningRule:
    """A rule of this kind; the defaults are ours and hold where a merchant has none.

    `fee`: what Stripe takes for a dispute, never returned (15.00 USD in the United States). `odds_pct`: how many of a
    hundred warnings become a dispute when nothing is done (Stripe's figure). A charge up to `small_multiple` fees is
    refunded at once, and one up to the break-even, where what a dispute costs on average equals the charge.
    """

    fee: Money
    small_multiple: Fraction
    odds_pct: int
    max_age_days: int
    refund_small: bool
    refund_to_break_even: bool


DEFAULT = FraudWarningRule(
    fee=fee("received"),
    small_multiple=Fraction(figure("warning.small"), 100),
    odds_pct=figure("warning.odds"),
    max_age_days=figure("warning.age"),
    refund_small=True,
    refund_to_break_even=True,
)


def fraud_warning(policy: Policy) -> FraudWarningRule:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    currency = str(found["currency"]).lower()
    if len(currency) != 3 or not currency.isalpha():
        raise Unevaluable(f"its rule says currency: {found['currency']}, which we cannot follow")
    return FraudWarningRule(
        fee=Money(minor=number(found["dispute_fee_minor"]), currency=currency),
        small_multiple=exact(found["small_up_to_fee_multiple"]),
        odds_pct=number(found["dispute_odds_pct"]),
        max_age_days=number(found["max_age_days"]),
        refund_small=found["small"] == "refund",
        refund_to_break_even=found["up_to_break_even"] == "refund",
    )


def economics(rule: FraudWarningRule) -> dict[str, Cell]:
    """A rule as the fields of an evidence row, with where its figures come from."""
    return {
        "dispute_fee_minor": rule.fee.minor,
        "currency": rule.fee.currency,
        "small_up_to_fee_hundredths": int(rule.small_multiple * 100),
        "dispute_odds_pct": rule.odds_pct,
        "max_age_days": rule.max_age_days,
        "source": SOURCE,
    }
