"""What contesting a chargeback is worth, compared with giving it up: exact arithmetic over stated figures.

Giving up brings nothing more: the amount is gone, and the fee for receiving the dispute stays gone even after a win.
Contesting wins the amount with some odds, costs a fee that only a win returns, and somebody's time. Left to Stripe's
Smart Disputes, it costs no fee and no time, and Stripe keeps a share of what it wins. Won or lost, a dispute counts in
the monitoring programmes, so they weigh the same on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, floor

from shared.case.evidence import Cell
from shared.case.money import Money, convert, format_minor
from shared.playbooks.disputes.figures import FIGURES, figure
from shared.ports.directory import Org

TABLE, RECORD = "rules.economics", "default"
LABOUR_MINUTES, LABOUR_MINOR_PER_HOUR = 15, 6000
"""How long a person works on a contest that is drafted for them, and what an hour costs (US cents): figures of ours."""

SMART_CUT_PCT = figure("fee.smart_disputes")


class Strength(StrEnum):
    """How well the evidence supports a contest."""

    COMPELLING = "compelling"
    STRONG = "strong"
    FAIR = "fair"
    WEAK = "weak"


ODDS_PCT: Mapping[Strength, tuple[int, int]] = {
    strength: (figure(f"odds.{strength.value}.least"), figure(f"odds.{strength.value}.most")) for strength in Strength
}
"""How many of a hundred contested disputes are won, at least and at most, by the strength of the evidence."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What contesting costs: minor units of `currency`; the fee is lost unless the dispute is won."""

    currency: str = "usd"
    countered_fee_minor: int = figure("fee.countered")
    labour_minutes: int = LABOUR_MINUTES
    labour_minor_per_hour: int = LABOUR_MINOR_PER_HOUR
    smart_cut_pct: int = SMART_CUT_PCT

    @property
    def labour_minor(self) -> Fraction:
        """The time of whoever prepares and reads the packet."""
        return Fraction(self.labour_minutes * self.labour_minor_per_hour, 60)


DEFAULT = Costs()


@dataclass(frozen=True, slots=True)
class Worth:
    """What contesting brings on average, at both ends of the odds; minor units of the org's currency, exact."""

    strength: Strength
    odds_pct: tuple[int, int]
    disputed_minor: int
    fee_minor: Fraction
    labour_minor: Fraction
    cut_pct: int
    currency: str

    @property
    def low(self) -> Fraction:
        """At the worse end."""
        return self._contested(self.odds_pct[0])

    @property
    def high(self) -> Fraction:
        """At the better end."""
        return self._contested(self.odds_pct[1])

    @property
    def smart(self) -> tuple[Fraction, Fraction]:
        """What Smart Disputes would bring at the same odds, at both ends."""
        kept = Fraction((100 - self.cut_pct) * self.disputed_minor, 10_000)
        return kept * self.odds_pct[0], kept * self.odds_pct[1]

    @property
    def break_even_pct(self) -> Fraction:
        """The odds at which contesting brings as much as it costs, in per cent."""
        at_stake = self.disputed_minor + self.fee_minor
        return 100 * (self.fee_minor + self.labour_minor) / at_stake

    @property
    def words(self) -> str:
        """The arithmetic, for people."""
        low, high = self.odds_pct
        smart = " to ".join(self._shown(end) for end in self.smart)
        return (
            f"contesting {self._shown(self.disputed_minor)} with {self.strength.value} evidence ({low} to {high} % to "
            f"win) brings {self._shown(self.low)} to {self._shown(self.high)} {self.currency.upper()} on average: odds "
            f"times {self._shown(self.disputed_minor)}, less a fee of {self._shown(self.fee_minor)} that only a win "
            f"returns and {self._shown(self.labour_minor)} for the work; it pays from "
            f"{_one_decimal(self.break_even_pct)} % on. Accepting brings nothing. Left to Smart Disputes at the same "
            f"odds: {smart}, after its "
            f"{self.cut_pct} %. The fee for receiving it and its place in the monitoring counts stay either way"
        )

    def _contested(self, pct: int) -> Fraction:
        odds = Fraction(pct, 100)
        return odds * self.disputed_minor - (1 - odds) * self.fee_minor - self.labour_minor

    def _shown(self, minor: Fraction | int) -> str:
        # Rounded down: the gain never looks larger than it is.
        return format_minor(floor(minor), self.currency)


def weigh(disputed: Money, costs: Costs, strength: Strength, org: Org) -> Worth:
    """Weigh a contest. Raises MissingRate where one of the currencies has no rate."""
    rate = Fraction(convert(Money(minor=10**6, currency=costs.currency), org.currency, org.fx), 10**6)
    return Worth(
        strength=strength,
        odds_pct=ODDS_PCT[strength],
        disputed_minor=convert(disputed, org.currency, org.fx),
        fee_minor=rate * costs.countered_fee_minor,
        labour_minor=rate * costs.labour_minor,
        cut_pct=costs.smart_cut_pct,
        currency=org.currency,
    )


def defaults() -> dict[str, Cell]:
    """The default figures as the fields of an evidence row, with where they come from."""
    used = ("fee.received", "fee.countered", "fee.smart_disputes", "odds.weak.least")
    odds = {f"odds_{strength.value}_pct": f"{least} to {most}" for strength, (least, most) in ODDS_PCT.items()}
    return {
        "currency": DEFAULT.currency,
        "received_fee_minor": figure("fee.received"),
        "countered_fee_minor": DEFAULT.countered_fee_minor,
        "labour_minutes": DEFAULT.labour_minutes,
        "labour_minor_per_hour": DEFAULT.labour_minor_per_hour,
        "smart_disputes_cut_pct": DEFAULT.smart_cut_pct,
        **odds,
        "source": "; ".join(dict.fromkeys(str(FIGURES[name].source) for name in used)),
    }


def _one_decimal(value: Fraction) -> str:
    tenths = ceil(value * 10)
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else f"{tenths // 10}"
