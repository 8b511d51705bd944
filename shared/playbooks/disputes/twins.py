"""Two charges of one company held against each other: whether they paid one thing twice or two things."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from shared.case.evidence import Evidence
from shared.playbooks.disputes import markers
from shared.playbooks.disputes.billing import Cycle, cycle_of, main_line
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.standing import lines_of, ways_to
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import day, lasting

SHORTLY = timedelta(hours=1)
"""Equal charges without an invoice that lie no further apart than this can be one payment taken twice."""


class Kinship(StrEnum):
    """What documents say about two equal charges."""

    SAME = "one thing, paid twice"
    DIFFERENT = "two things"
    UNCLEAR = "no document tells"


@dataclass(frozen=True, slots=True)
class Side:
    """A charge with what it paid for."""

    charge: Evidence
    line: Evidence | None
    cycle: Cycle | None
    invoice: Evidence | None

    @property
    def number(self) -> str:
        """The number of its invoice, else its id; empty without an invoice."""
        return (text(self.invoice, "number") or self.invoice.row.record_id) if self.invoice else ""

    @property
    def bought(self) -> str:
        """What it paid for, as the invoice or the charge names it."""
        named = text(self.line, "price__nickname") or text(self.line, "description") if self.line else ""
        return named or text(self.charge, "description") or "a charge"

    @property
    def rows(self) -> tuple[Evidence, ...]:
        """Its records."""
        return tuple(row for row in (self.charge, self.invoice, self.line) if row is not None)

    def in_words(self) -> str:
        """Invoice 0009 for Team Monthly, 3 May 2026 to 3 June 2026."""
        invoice = f"invoice {self.number} for {self.bought}" if self.number else self.bought
        return f"{invoice}, {day(self.cycle.start)} to {day(self.cycle.end)}" if self.cycle else invoice


@dataclass(frozen=True, slots=True)
class Twin:
    """Another charge of the same amount, and what it is to the disputed one."""

    side: Side
    kinship: Kinship
    why: str

    @property
    def charge(self) -> Evidence:
        """The other charge."""
        return self.side.charge


def side_of(matter: Matter, charge: Evidence) -> Side:
    """A charge with its invoice and the line that carries its period."""
    line = main_line((row.row.fields, row) for row in lines_of(matter.exhibits, charge))
    paid = {
        text(payment, "invoice")
        for payment in matter.exhibits.rows("stripe.invoice_payments")
        if ways_to(charge) & {text(payment, "payment__charge"), text(payment, "payment__payment_intent")}
    }
    invoice = next((row for row in matter.exhibits.rows("stripe.invoices") if row.row.record_id in paid), None)
    return Side(charge, line, cycle_of(line.row.fields) if line else None, invoice)


def equals(matter: Matter) -> list[Side]:
    """The other charges of the company with the same amount and currency, in order."""
    price = (matter.paid_minor, matter.currency)
    return [
        side_of(matter, row)
        for row in sorted(
            matter.exhibits.rows("stripe.charges"), key=lambda row: (whole(row, "created") or 0, row.index)
        )
        if row.index != matter.charge.index
        and text(row, "status") == "succeeded"
        and (whole(row, "amount"), text(row, "currency").lower()) == price
    ]


def twins(matter: Matter) -> list[Twin]:
    """Every equal charge of the same customer, and what it is to the disputed one."""
    ours = side_of(matter, matter.charge)
    customer = text(matter.charge, "customer")
    return [_compared(ours, other) for other in equals(matter) if text(other.charge, "customer") == customer]


def _compared(ours: Side, other: Side) -> Twin:
    if ours.invoice is not None and other.invoice is not None:
        return _by_invoice(ours, other)
    if ours.invoice is None and other.invoice is None:
        return _by_time(ours, other)
    return Twin(other, Kinship.UNCLEAR, "only one of the two charges has an invoice")


def _by_invoice(ours: Side, other: Side) -> Twin:
    assert ours.invoice is not None
    assert other.invoice is not None
    if ours.invoice.row.record_id == other.invoice.row.record_id:
        return Twin(other, Kinship.SAME, f"both paid invoice {ours.number}")
    if ours.cycle is None or other.cycle is None:
        return Twin(other, Kinship.UNCLEAR, "an invoice of the two names no period")
    if not ours.cycle.meets(other.cycle.start, other.cycle.end):
        return Twin(other, Kinship.DIFFERENT, "two invoices for two periods")
    if _price(ours) != _price(other):
        return Twin(other, Kinship.DIFFERENT, "two invoices for two different things")
    if _subscription(ours) and _subscription(ours) == _subscription(other):
        return Twin(other, Kinship.SAME, "two invoices billed one period of one subscription")
    return Twin(other, Kinship.UNCLEAR, "two subscriptions to the same thing: nothing says whether both were wanted")


def _by_time(ours: Side, other: Side) -> Twin:
    first, later = (moment(side.charge.row.fields.get("created")) for side in (ours, other))
    same = text(ours.charge, "description") == text(other.charge, "description")
    if first is None or later is None or not same:
        return Twin(other, Kinship.UNCLEAR, "neither has an invoice, and they are described differently")
    apart = abs(later - first)
    shared = markers.in_metadata(text(ours.charge, "metadata")) & markers.in_metadata(text(other.charge, "metadata"))
    if shared or apart <= SHORTLY:
        return Twin(other, Kinship.SAME, f"the same thing was charged again {lasting(apart)} apart, without an invoice")
    return Twin(other, Kinship.UNCLEAR, f"neither has an invoice, and they lie {lasting(apart)} apart")


def _price(side: Side) -> str:
    return text(side.line, "price__id") or side.bought if side.line else side.bought


def _subscription(side: Side) -> str:
    return text(side.line, "subscription") if side.line else ""
