"""The findings about a failed invoice."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.declines import Family
from shared.playbooks.disputes.failed_invoices.model import Ruling
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, WEAK, claimed
from shared.playbooks.disputes.policy_rules.dunning import STRATEGIC
from shared.team.exhibits import text
from shared.team.words import count, day, listed, quoted


def findings(bill: Bill, ruling: Ruling) -> tuple[Finding, ...]:
    """Every finding that the evidence supports, in the order in which a reader needs them."""
    found = (
        _owed(bill),
        _declined(bill),
        _planned(bill),
        _account(bill),
        _people(bill),
        _disputed_before(bill),
        _logged(bill),
        _policy(bill, ruling),
        *ruling.found,
        _suspension(bill, ruling),
        _aside(ruling),
        claimed("; ".join(ruling.reasons), WEAK, *ruling.cites),
    )
    return tuple(item for item in found if item is not None)


def _owed(bill: Bill) -> Finding | None:
    lines = [line for line in bill.exhibits.rows("stripe.invoice_lines") if text(line, "invoice") == _id(bill)]
    for_what = listed(sorted({text(line, "price__nickname") or text(line, "description") for line in lines} - {""}))
    claim = (
        f"{bill.customer_name} owes {bill.money(bill.due_minor)} on invoice {bill.number}"
        f"{f' for {for_what}' if for_what else ''}, {count(bill.days_overdue, 'day')} overdue"
    )
    return claimed(claim, READ_OUT, bill.invoice, bill.customer, *lines)


def _declined(bill: Bill) -> Finding | None:
    if bill.failed is None and bill.is_sent:
        return claimed("it was sent to be paid by hand; nothing was charged by itself", READ_OUT, bill.invoice)
    code = f" ({bill.decline.code})" if bill.decline.code else ""
    where = f"; they are in {bill.country}" if bill.country and bill.decline.family is Family.HOLDER else ""
    claim = f"attempt {bill.attempt} failed: {bill.decline.family.value}{code}{where}"
    return claimed(claim, READ_OUT, bill.failed, *bill.exhibits.rows("stripe.payment_intents"))


def _logged(bill: Bill) -> Finding | None:
    rows = bill.exhibits.rows("datadog.logs")
    told = quoted(text(rows[0], "message").split("\n")[0]) if rows else ""
    return claimed(f"our own systems logged about it: {told}", READ_OUT, *rows)


def _planned(bill: Bill) -> Finding | None:
    if bill.next_attempt is None:
        return claimed("no further attempt is planned at Stripe", READ_OUT, bill.invoice)
    return claimed(f"Stripe tries again on {day(bill.next_attempt)}", READ_OUT, bill.invoice)


def _account(bill: Bill) -> Finding | None:
    arr = listed(sorted({str(row.row.fields["arr"]) for row in bill.accounts if row.row.fields.get("arr") is not None}))
    told = [
        f"ARR {arr}" if arr else "",
        "strategic" if bill.is_strategic else "not flagged strategic",
        f"owner {bill.owner}" if bill.owner else "",
    ]
    return claimed(f"in the CRM they are {listed([item for item in told if item])}", READ_OUT, *bill.accounts)


def _people(bill: Bill) -> Finding | None:
    people = bill.exhibits.rows("hubspot.contacts", "salesforce.contacts")
    notes = bill.exhibits.rows("hubspot.notes")
    noted = f"; a colleague noted: {quoted(text(notes[-1], 'body'))}" if notes else ""
    return claimed(f"the CRM knows {count(len(people), 'person')} there{noted}", READ_OUT, *people, *notes)


def _disputed_before(bill: Bill) -> Finding | None:
    absent = bill.exhibits.absences(labels.NO_EARLIER_DISPUTE)
    return claimed("they have never disputed a charge", INFERRED, *absent)


def _policy(bill: Bill, ruling: Ruling) -> Finding | None:
    if ruling.policy is None or ruling.rule is None:
        return (
            claimed(f"the page that decides it: {ruling.policy.name}", READ_OUT, ruling.policy.evidence)
            if (ruling.policy is not None)
            else None
        )
    code = bill.decline.code or "an unknown reason"
    says = "write to the customer" if ruling.contact else "let it be tried again"
    return claimed(f"{ruling.policy.name} says for {code}: {says}", READ_OUT, ruling.policy.evidence)


def _suspension(bill: Bill, ruling: Ruling) -> Finding | None:
    if ruling.policy is None or ruling.rule is None or ruling.rule.suspend_after_days is None:
        return None
    spared = bill.is_strategic and STRATEGIC in ruling.rule.never_suspend
    when = "never, for a strategic customer" if spared else f"not before day {ruling.rule.suspend_after_days}"
    claim = f"suspending is for people to decide, and {when}; today is day {bill.days_overdue}"
    return claimed(claim, READ_OUT, ruling.policy.evidence, bill.invoice, *bill.accounts)


def _aside(ruling: Ruling) -> Finding | None:
    others = [page for page in ruling.policies if page.status != "current"]
    named = listed([page.name for page in others])
    return claimed(f"read, but not applied: {named}", READ_OUT, *[page.evidence for page in others])


def _id(bill: Bill) -> str:
    return bill.invoice.row.record_id
