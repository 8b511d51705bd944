"""A failed invoice as evidence shows it: what is owed, since when, why the payment failed, whose it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from shared.case.case import Case
from shared.case.evidence import Evidence
from shared.case.money import format_minor
from shared.playbooks.disputes.failed_invoices.declines import Decline, lookup
from shared.playbooks.disputes.matter import Incomplete
from shared.ports.directory import Org
from shared.team.contract import Material
from shared.team.exhibits import Exhibits, text, whole
from shared.team.moments import moment

_CODE_COLUMNS = ("failure_code", "outcome__network_decline_code", "outcome__reason", "last_payment_error__decline_code")
_SAID = re.compile(r"decline code `?([a-z_]+)`?")
_SINCE = ("due_date", "status_transitions__finalized_at", "created")
"""Days overdue count from the first of these that the invoice names."""


@dataclass(frozen=True, slots=True)
class Bill:
    """Amounts are minor units of the invoice's currency."""

    case: Case
    org: Org
    now: datetime
    exhibits: Exhibits
    invoice: Evidence
    failed: Evidence | None
    """The latest attempt to pay it."""
    decline: Decline
    customer: Evidence | None
    unread: frozenset[str]
    """The names of the gaps: what could not be read, or not whole."""

    @property
    def is_sent(self) -> bool:
        """Whether it was sent to be paid by hand, rather than charged by itself."""
        return text(self.invoice, "collection_method") == "send_invoice"

    @property
    def country(self) -> str:
        """Where the customer is, as an ISO code; empty where Stripe does not say."""
        return (text(self.customer, "address__country") if self.customer else "").upper()

    @property
    def due_minor(self) -> int:
        """What is still owed."""
        left = whole(self.invoice, "amount_remaining")
        return (whole(self.invoice, "amount_due") or 0) if left is None else left

    @property
    def currency(self) -> str:
        """The currency of the invoice."""
        return text(self.invoice, "currency").lower()

    @property
    def attempt(self) -> int:
        """How many times it was tried: by the invoice or by an event, whichever knows of more."""
        return max(whole(self.invoice, "attempt_count") or 0, self.case.int_fact("invoice.attempt_count") or 0)

    @property
    def next_attempt(self) -> datetime | None:
        """When Stripe will try again by itself, by the invoice, else by an event; None: it will not."""
        told = (
            moment(self.invoice.row.fields.get("next_payment_attempt")),
            moment(self.case.int_fact("invoice.next_payment_attempt")),
        )
        return next((at for at in told if at is not None and at > self.now), None)

    @property
    def days_overdue(self) -> int:
        """Whole days since it was due, finalized or created."""
        for name in _SINCE:
            since = moment(self.invoice.row.fields.get(name))
            if since is not None:
                return max(0, (self.now - since).days)
        return 0

    @property
    def accounts(self) -> list[Evidence]:
        """The customer's accounts in the CRM."""
        return self.exhibits.rows("salesforce.accounts", "hubspot.companies")

    @property
    def is_strategic(self) -> bool:
        """Whether the CRM flags the customer."""
        return any(row.row.fields.get("strategic") is True for row in self.accounts)

    @property
    def owner(self) -> str:
        """Who owns the account, for people; empty where the CRM names nobody."""
        return next(
            (name for row in self.accounts if (name := text(row, "owner_name") or text(row, "owner_email"))), ""
        )

    @property
    def owner_email(self) -> str:
        """The owner's address; empty where the CRM names none."""
        return next((address for row in self.accounts if (address := text(row, "owner_email"))), "")

    @property
    def number(self) -> str:
        """What the invoice is called."""
        return text(self.invoice, "number") or self.invoice.row.record_id

    @property
    def customer_name(self) -> str:
        """What the customer is called, for people."""
        return (text(self.customer, "name") if self.customer else "") or "the customer"

    def money(self, minor: int) -> str:
        """An amount of the invoice's currency, for people."""
        return f"{format_minor(minor, self.currency)} {self.currency.upper()}"


def bill_of(material: Material) -> Bill:
    """Read the invoice. Raises Incomplete when it is missing or unreadable."""
    exhibits = Exhibits(material.evidence)
    invoice = exhibits.one("stripe.invoices", material.case.subject.id)
    if invoice is None:
        raise Incomplete("the invoice itself could not be read at Stripe")
    if whole(invoice, "amount_due") is None or not text(invoice, "currency"):
        raise Incomplete("the invoice has no amount and currency that can be read")
    failed = _failed(exhibits)
    return Bill(
        case=material.case,
        org=material.org,
        now=material.now,
        exhibits=exhibits,
        invoice=invoice,
        failed=failed,
        decline=lookup(_code(exhibits, failed)),
        customer=exhibits.one("stripe.customers", text(invoice, "customer")),
        unread=frozenset(gap.what for gap in material.gaps),
    )


def _failed(exhibits: Exhibits) -> Evidence | None:
    rows = [row for row in exhibits.rows("stripe.charges") if text(row, "status") == "failed"]
    return max(rows, key=lambda row: (whole(row, "created") or 0, row.row.record_id), default=None)


def _code(exhibits: Exhibits, failed: Evidence | None) -> str | None:
    """The decline code: of the charge, else what its outcome says in words, else of the payment intent."""
    holders = [*([failed] if failed else []), *exhibits.rows("stripe.payment_intents")]
    for row in holders:
        for name in _CODE_COLUMNS:
            if lookup(text(row, name)).code and text(row, name) != "card_declined":
                return text(row, name)
        said = _SAID.search(text(row, "outcome__seller_message"))
        if said is not None:
            return said[1]
    return text(failed, "failure_code") if failed else None
