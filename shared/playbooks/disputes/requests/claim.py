"""A request as evidence shows it: who asks, whether they are who they say, and which charge can be meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.case.case import Case
from shared.case.evidence import Evidence
from shared.playbooks.disputes import markers
from shared.playbooks.disputes.analysts.reliability import LATELY
from shared.playbooks.disputes.billing import Cycle, cycle_of, main_line
from shared.playbooks.disputes.matter import Incomplete, people_of
from shared.playbooks.disputes.standing import left_minor, lines_of, ways_to
from shared.ports.directory import Org
from shared.team import language
from shared.team.contract import Material
from shared.team.exhibits import Exhibits, text, whole
from shared.team.moments import moment
from shared.team.words import day

APART = timedelta(days=1)
"""Equal charges further apart are two purchases, not one taken twice."""


@dataclass(frozen=True, slots=True)
class Twins:
    """Two equal charges shortly after each other, and the markers that both bear."""

    first: Evidence
    later: Evidence
    apart: timedelta
    shared: frozenset[str]

    @property
    def is_returned(self) -> bool:
        """Whether one of the two has gone back already."""
        return left_minor(self.first) == 0 or left_minor(self.later) == 0


@dataclass(frozen=True, slots=True)
class Claim:
    """Who asks for what. Amounts are minor units of the named currency."""

    case: Case
    org: Org
    now: datetime
    exhibits: Exhibits
    request: Evidence
    received_at: datetime
    customer: Evidence | None
    charges: tuple[Evidence, ...]
    """The customer's charges that went through, in order."""
    emails: frozenset[str]
    domains: frozenset[str]
    unread: frozenset[str]
    """The names of the gaps: what could not be read, or not whole."""

    @property
    def words(self) -> str:
        """What they wrote."""
        return text(self.request, "text")

    @property
    def sender(self) -> str:
        """The address they wrote from."""
        return text(self.request, "sender").strip().lower()

    @property
    def is_theirs(self) -> bool:
        """Whether the sender is one of the customer's people, as far as our records know them."""
        return self.sender in self.emails or self.sender.rpartition("@")[2] in self.domains

    @property
    def customer_name(self) -> str:
        """What the customer is called, for people."""
        return (text(self.customer, "name") if self.customer else "") or "the customer"

    @property
    def says_twice(self) -> bool:
        """Whether they say that something was paid twice."""
        return language.is_duplicate_claim(self.words)

    @property
    def asked_minor(self) -> int | None:
        """The amount they ask for, where the request names one."""
        return whole(self.request, "amount_minor")

    @property
    def asked_currency(self) -> str:
        """Its currency; empty where none is named."""
        return text(self.request, "currency").lower()

    @property
    def when(self) -> str:
        """The day on which they asked."""
        return day(self.received_at)

    @property
    def accounts(self) -> list[Evidence]:
        """The customer's accounts in the CRM; several can be one company."""
        return self.exhibits.rows("hubspot.companies", "salesforce.accounts")

    @property
    def read_since(self) -> datetime:
        """From when on use and operations were read."""
        return self.now - LATELY

    def meant(self) -> Evidence | None:
        """The charge that is meant: the one named, or paid for the invoice named, or the only one that fits.

        Of several that fit, it is the one that paid for the time in which they ask.
        """
        named = text(self.request, "charge")
        if named:
            return next((row for row in self.charges if row.row.record_id == named), None)
        invoice = text(self.request, "invoice")
        fitting = [row for row in self.charges if (self._paid(row, invoice) if invoice else self._fits(row))]
        if len(fitting) > 1 and not invoice:
            fitting = [row for row in fitting if self.covers(row, self.received_at)]
        return fitting[0] if len(fitting) == 1 else None

    def paid_for(self, instant: datetime) -> Evidence | None:
        """The one charge that paid for a billing cycle with this instant in it; the one named, where it did."""
        named = text(self.request, "charge")
        paid = [row for row in self.charges if self.covers(row, instant)]
        meant = [row for row in paid if row.row.record_id == named] or paid
        return meant[0] if len(meant) == 1 else None

    def covers(self, charge: Evidence, instant: datetime) -> bool:
        """Whether a charge paid for a billing cycle with this instant in it."""
        cycle = self.cycle_of(charge)
        return cycle is not None and cycle.start <= instant < cycle.end

    def line_of(self, charge: Evidence) -> Evidence | None:
        """The main line of the invoice that a charge paid."""
        return main_line((line.row.fields, line) for line in lines_of(self.exhibits, charge))

    def cycle_of(self, charge: Evidence) -> Cycle | None:
        """The billing cycle that a charge paid for."""
        line = self.line_of(charge)
        return cycle_of(line.row.fields) if line else None

    def twins(self) -> Twins | None:
        """The two equal charges that the request can mean: those still unreturned first, then the closest in time."""
        named = text(self.request, "charge")
        pairs = [
            pair
            for place, later in enumerate(self.charges)
            for first in self.charges[:place]
            if (pair := self._pair(first, later)) is not None
            and (not named or named in (first.row.record_id, later.row.record_id))
        ]
        return min(pairs, key=lambda pair: (pair.is_returned, pair.apart), default=None)

    def _pair(self, first: Evidence, later: Evidence) -> Twins | None:
        same = _price(first) == _price(later) and self._fits(first)
        start, end = (moment(row.row.fields.get("created")) for row in (first, later))
        if not same or start is None or end is None or not timedelta(0) <= end - start <= APART:
            return None
        return Twins(first, later, end - start, self._shared(first, later))

    def _fits(self, charge: Evidence) -> bool:
        return self.asked_minor is None or _price(charge) == (self.asked_minor, self.asked_currency)

    def _paid(self, charge: Evidence, invoice: str) -> bool:
        return any(
            text(row, "invoice") == invoice
            and ways_to(charge) & {text(row, "payment__charge"), text(row, "payment__payment_intent")}
            for row in self.exhibits.rows("stripe.invoice_payments")
        )

    def _shared(self, first: Evidence, later: Evidence) -> frozenset[str]:
        return frozenset.intersection(*(self._markers(row) for row in (first, later)))

    def _markers(self, charge: Evidence) -> frozenset[str]:
        """What the charge's own metadata and the log lines that name it tell of what stands behind it."""
        lines = [
            text(row, "message")
            for row in self.exhibits.rows("datadog.logs")
            if any(name in text(row, "message") for name in ways_to(charge))
        ]
        told = frozenset(marker for line in lines for marker in markers.in_text(line))
        return told | markers.in_metadata(text(charge, "metadata"))


def claim_of(material: Material) -> Claim:
    """Read the request. Raises Incomplete when it is missing or unreadable."""
    exhibits = Exhibits(material.evidence)
    request = exhibits.one("manthan.requests", material.case.subject.id)
    if request is None:
        raise Incomplete("the request itself could not be read")
    received_at = moment(request.row.fields.get("received_at"))
    if received_at is None:
        raise Incomplete("the request does not say when it came")
    customers = exhibits.rows("stripe.customers")
    emails, domains = people_of(exhibits, None, material.org)
    return Claim(
        case=material.case,
        org=material.org,
        now=material.now,
        exhibits=exhibits,
        request=request,
        received_at=received_at,
        customer=customers[0] if len(customers) == 1 else None,
        charges=_in_order(exhibits.rows("stripe.charges")),
        emails=emails,
        domains=domains,
        unread=frozenset(gap.what for gap in material.gaps),
    )


def _in_order(rows: Sequence[Evidence]) -> tuple[Evidence, ...]:
    paid = [row for row in rows if text(row, "status") == "succeeded"]
    return tuple(sorted(paid, key=lambda row: (whole(row, "created") or 0, row.row.record_id)))


def _price(charge: Evidence) -> tuple[int | None, str]:
    return whole(charge, "amount"), text(charge, "currency").lower()
