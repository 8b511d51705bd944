"""Tiers: bands of money at risk, each with how many people must approve; more money never needs fewer people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, Field

from shared.case.actions import TIER_ORDER, Tier
from shared.case.canonical import Record
from shared.case.money import exponent, format_minor
from shared.policy.source import Path

WORDS = {
    "auto": Tier.AUTO,
    "one": Tier.ONE_APPROVER,
    "two": Tier.TWO_APPROVERS,
    "forbidden": Tier.FORBIDDEN,
}
"""How a policy file writes a tier."""

IN_WORDS = {
    Tier.AUTO: "no approver",
    Tier.ONE_APPROVER: "one approver",
    Tier.TWO_APPROVERS: "two approvers",
    Tier.FORBIDDEN: "forbidden",
}

_MAJOR = re.compile(r"[0-9]{1,12}(\.[0-9]{1,3})?")


def _tier(*words: str) -> BeforeValidator:
    def read(value: object) -> Tier:
        if not isinstance(value, str) or value not in words:
            raise ValueError(f"must be one of {', '.join(words)}, not {str(value)[:40]!r}")
        return WORDS[value]

    return BeforeValidator(read)


def _read_major(value: object) -> str:
    """An amount in major units as exact text; YAML gives 50 as a number and 50.00 as text."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str) or not _MAJOR.fullmatch(text) or Fraction(text) == 0:
        raise ValueError(f"must be an amount such as 50.00, not {str(value)[:40]!r}")
    return text


Approvers = Annotated[Tier, _tier("auto", "one", "two")]
AtLeast = Annotated[Tier, _tier("one", "two", "forbidden")]
"""What rules and minimums ask for: they can raise what the tiers say and have no way to lower it."""


class Band(Record):
    """One tier: everything under its bound that no earlier band covers. Without a bound: everything else.

    The bound is written in major units (`below: 50.00`) or in minor units (`below_minor: 5000`) of the org's currency.
    """

    below: Annotated[str, BeforeValidator(_read_major)] | None = None
    below_minor: int | None = Field(default=None, strict=True, ge=1)
    approvers: Approvers

    def bound(self, currency: str) -> Fraction | None:
        """The bound in minor units of the org's currency, exact; None: no bound."""
        if self.below is not None:
            return Fraction(self.below) * Fraction(10 ** exponent(currency))
        return None if self.below_minor is None else Fraction(self.below_minor)

    def shown(self, currency: str) -> str:
        """The bound as people read it; as it was written where the currency has no such fraction."""
        bound = self.bound(currency)
        if bound is None or bound.denominator > 1:
            return str(self.below)
        return format_minor(int(bound), currency)


def band_of(bands: Sequence[Band], minor: int, currency: str) -> tuple[Band, str]:
    """The band that covers this much money, and its range in words: "50.00 to under 500.00"."""
    low = ""
    for band in bands:
        bound = band.bound(currency)
        if bound is None:
            return band, f"{low} and over" if low else "any amount"
        high = band.shown(currency)
        if minor < bound:
            return band, f"{low} to under {high}" if low else f"under {high}"
        low = high
    raise LookupError("no tier covers this amount")


def band_faults(bands: Sequence[Band]) -> Iterator[tuple[Path, str]]:
    """What is wrong with a list of bands, and where: the first one wrong in each way."""
    if len({band.below is None for band in bands if band.bound("usd") is not None}) > 1:
        yield ("tiers",), "bounds are either all major units (below) or all minor units (below_minor)"
        return
    for index, band in enumerate(bands):
        here: Path = ("tiers", index)
        if band.below is not None and band.below_minor is not None:
            yield here, "a tier has one bound: below or below_minor"
        last, bound = index == len(bands) - 1, band.bound("usd")
        if last and bound is not None:
            yield here, "the last tier has no bound: it covers all larger amounts"
        if not last and bound is None:
            yield here, "only the last tier may have no bound"
        if index > 0:
            yield from _disorder(bands[index - 1], band, here)


def _disorder(before: Band, band: Band, here: Path) -> Iterator[tuple[Path, str]]:
    bound, earlier = band.bound("usd"), before.bound("usd")
    if bound is not None and earlier is not None and bound <= earlier:
        yield here, "tiers overlap: bounds must rise from one tier to the next"
    if TIER_ORDER[band.approvers] < TIER_ORDER[before.approvers]:
        yield here, "more money may not need fewer approvers"
