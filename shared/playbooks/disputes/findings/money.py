"""What was paid, disputed and returned."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.case.evidence import Evidence
from shared.case.money import format_minor
from shared.playbooks.disputes import derive, labels
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import count, day, listed, minute


def payment(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What was paid for, and what of it is disputed."""
    bought = f"{matter.customer_name} paid {matter.money(matter.paid_minor)} for {matter.plan}"
    if matter.cycle is not None:
        bought += f", {_cycle_in_words(matter)}"
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    opened = moment(matter.dispute.row.fields.get("created"))
    when = f" on {day(opened)}" if opened else ""
    paid = matter.exhibits.rows("stripe.invoice_payments", "stripe.invoices")
    verb = "asks about" if matter.is_inquiry else "disputes"
    claim = f"{bought}; the bank {verb} {disputed}{when}"
    return claimed(claim, READ_OUT, matter.charge, matter.line, matter.dispute, matter.customer, *paid)


def returned(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Whether any of the money has gone back."""
    returned = [*seen.refunds, *seen.credits]
    if returned:
        sums = listed([matter.money(abs(whole(item, "amount") or 0)) for item in seen.refunds])
        return claimed(f"money was returned already: {sums or 'a credit'}", READ_OUT, matter.charge, *returned)
    absent = matter.exhibits.absences(labels.NO_REFUND, labels.NO_CREDIT)
    claim = (
        "nothing of it was ever returned: no refund of the charge, no credit on an invoice, no balance in their favour"
    )
    return claimed(claim, READ_OUT, *absent, matter.charge, matter.customer) if absent else None


def history(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Whether this customer disputed before."""
    if not seen.earlier_disputes:
        claim = "this customer has disputed no other charge"
        return claimed(claim, READ_OUT, *matter.exhibits.absences(labels.NO_EARLIER_DISPUTE))
    ended = listed([f"{text(item, 'reason')}, {text(item, 'status')}" for item in seen.earlier_disputes])
    return claimed(f"this customer disputed before: {ended}", READ_OUT, *seen.earlier_disputes)


def siblings(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Other disputes on the same charge: cases of their own."""
    told = "; ".join(_other_dispute(item) for item in seen.siblings)
    claim = f"the same charge carries another dispute, which is a case of its own with its own date: {told}"
    return claimed(claim, READ_OUT, matter.charge, *seen.siblings) if seen.siblings else None


def warnings(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Early fraud warnings on the charge: cases of their own, which must not pay while it is disputed."""
    named = listed([item.row.record_id for item in seen.warnings])
    claim = f"the card issuer had reported the charge as possible fraud ({named}); that report is a case of its own"
    return claimed(claim, READ_OUT, matter.charge, *seen.warnings) if seen.warnings else None


def _other_dispute(item: Evidence) -> str:
    currency = text(item, "currency").lower()
    amount = f"{format_minor(whole(item, 'amount') or 0, currency)} {currency.upper()}"
    return f"{item.row.record_id} of {amount}, {text(item, 'reason')}, {text(item, 'status')}"


def _cycle_in_words(matter: Matter) -> str:
    assert matter.cycle is not None
    days = count(derive.whole_days(matter.cycle), "day")
    return f"the cycle from {minute(matter.cycle.start)} to {minute(matter.cycle.end)} ({days})"
