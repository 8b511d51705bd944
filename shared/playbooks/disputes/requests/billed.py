"""The invoice that a request names: whether it is theirs, what is left of it, and what stands against changing it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.case.evidence import Evidence
from shared.case.money import format_minor
from shared.playbooks.disputes.billing import Cycle, cycle_of, main_line
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import payable
from shared.playbooks.disputes.requests.model import Ruling, person
from shared.playbooks.disputes.standing import ways_to
from shared.team.contract import Material
from shared.team.exhibits import text, whole
from shared.team.moments import moment


@dataclass(frozen=True, slots=True)
class Billed:
    """An invoice and its lines. Amounts are minor units of its currency."""

    invoice: Evidence
    lines: tuple[Evidence, ...]
    issued_at: datetime

    @property
    def currency(self) -> str:
        """The currency of the invoice."""
        return text(self.invoice, "currency").lower()

    @property
    def number(self) -> str:
        """What the invoice is called."""
        return text(self.invoice, "number") or self.invoice.row.record_id

    @property
    def left_minor(self) -> int:
        """What is still due of it."""
        return whole(self.invoice, "amount_remaining") or 0

    @property
    def is_short_paid(self) -> bool:
        """Whether part of it was paid, and the rest is still due."""
        return (whole(self.invoice, "amount_paid") or 0) > 0 and self.left_minor > 0

    @property
    def fee(self) -> tuple[Evidence, Cycle] | None:
        """The line that carries the fee, with the period that it bills; None where no line has one."""
        line = main_line((line.row.fields, line) for line in self.lines)
        cycle = cycle_of(line.row.fields) if line is not None else None
        return (line, cycle) if line is not None and cycle is not None else None

    def money(self, minor: int) -> str:
        """An amount of the invoice's currency, for people."""
        return f"{format_minor(minor, self.currency)} {self.currency.upper()}"


def billed_of(material: Material, claim: Claim) -> Billed | str:
    """The invoice, once it is clear that money on it can be changed; or why the request is about none. Raises Said."""
    named = text(claim.request, "invoice")
    if not named:
        return "they name no invoice"
    invoice = claim.exhibits.one("stripe.invoices", named)
    if invoice is None or claim.customer is None or text(invoice, "customer") != claim.customer.row.record_id:
        raise person(f"the invoice {named} that they name is not known as one of theirs", claim.request)
    issued_at = moment(invoice.row.fields.get("created"))
    if text(invoice, "status") not in ("open", "paid") or issued_at is None:
        raise person(f"the invoice is {text(invoice, 'status') or 'in an unknown state'}", invoice)
    _check_untouched(claim, claim.customer, invoice)
    for charge in _paid_by(claim, named):
        payment = payable(material, charge)
        if payment.left_minor != (whole(charge, "amount_captured") or 0):
            raise person("part of what they paid was given back already: that has to be set off", charge, invoice)
    lines = [line for line in claim.exhibits.rows("stripe.invoice_lines") if text(line, "invoice") == named]
    return Billed(invoice, tuple(lines), issued_at)


def carried(claim: Claim, ruling: Ruling) -> None:
    """Return when the policy's instrument can carry what is owed on an invoice. Raises Said."""
    invoice, owed = ruling.invoice, ruling.owed
    if invoice is None or owed is None:
        return
    currency = text(invoice, "currency").lower()
    billed = text(claim.customer, "currency").lower() if claim.customer else ""
    if billed != currency:
        raise person(f"their balance is kept in {billed.upper() or 'an unknown currency'}, the invoice is not", invoice)
    if owed.instrument is Instrument.ACCOUNT_CREDIT and text(invoice, "status") == "open":
        raise person("the invoice is still open: a credit on their balance would not lower what is due", invoice)


def _paid_by(claim: Claim, invoice: str) -> list[Evidence]:
    """The charges that went into an invoice."""
    links = [row for row in claim.exhibits.rows("stripe.invoice_payments") if text(row, "invoice") == invoice]
    ways = {text(row, name) for row in links for name in ("payment__charge", "payment__payment_intent")} - {""}
    return [charge for charge in claim.charges if ways_to(charge) & ways]


def _check_untouched(claim: Claim, customer: Evidence, invoice: Evidence) -> None:
    """Raises Said where something was credited before: what is owed beside it is for a person to say."""
    noted = sum(
        whole(invoice, name) or 0 for name in ("pre_payment_credit_notes_amount", "post_payment_credit_notes_amount")
    )
    if noted:
        raise person("a credit note was issued on this invoice already: that has to be set off", invoice)
    if (whole(customer, "balance") or 0) < 0:
        raise person("they have a credit on their balance already: that has to be set off", customer, invoice)
    total, subtotal = whole(invoice, "total"), whole(invoice, "subtotal")
    if total is None or subtotal is None or total != subtotal:
        raise person("the invoice has tax or a discount on it, which a credit has to follow", invoice)
