"""The numbers of the networks and of Stripe: windows, fees, monitoring programmes, CE 3.0 and evidence limits.

Each has one place, rulebase/figures.toml, with unit, meaning, source and date.
"""

from __future__ import annotations

from collections.abc import Mapping

from shared.case.canonical import Record
from shared.case.money import Money
from shared.playbooks.disputes.rulebase import Source, document, sources


class Figure(Record):
    """One number. `unit` says what it counts; shares are in ten thousandths, money in minor units."""

    id: str
    value: int
    unit: str
    meaning: str
    source: Source


FIGURES: Mapping[str, Figure] = {
    name: Figure(id=name, **{**fields, "source": sources()[fields["source"]]})
    for name, fields in document("figures.toml").items()
}
"""Every figure by its id, e.g. window.visa."""


def figure(name: str) -> int:
    """The number of this id. Raises KeyError for one that the rule base does not hold."""
    return FIGURES[name].value


def fee(kind: str, exception: str | None = None) -> Money:
    """A fee of Stripe, `received` or `countered`, or what holds instead for a country or network (mx, jp, ...)."""
    special = f"fee.{kind}.{(exception or '').lower()}"
    return Money(minor=figure(special if special in FIGURES else f"fee.{kind}"), currency="usd")
