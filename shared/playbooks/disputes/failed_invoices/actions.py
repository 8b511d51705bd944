"""Following up a failed invoice: a message to the customer, a ticket for the owner of the account, another attempt."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind
from shared.case.brief import DecisionKind
from shared.case.money import currency_code
from shared.playbooks.disputes import purposes, telling
from shared.playbooks.disputes.conclusion import sentences
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.declines import Family
from shared.playbooks.disputes.failed_invoices.model import Errand, Ruling
from shared.team.exhibits import text
from shared.team.words import count, day, listed

_ASKS: dict[Family, str] = {
    Family.FUNDS: "Your bank told us that there was not enough money for it at that moment.",
    Family.CARD: "The card that we have on file for you cannot be used any more. Could you add another one?",
    Family.HOLDER: "Your bank wants you to confirm this payment yourself.",
    Family.BANK: "Your bank declined it without telling us why. A word with them, or another card, usually helps.",
    Family.MOMENT: "Something went wrong on the way to your bank.",
    Family.UNKNOWN: "We do not know why. A look at the card on file usually helps.",
}

_MOST_NAMED = 5
_CLOSING = "Nothing changes for you in the meantime. If anything is unclear, just reply to this message."


def actions(bill: Bill, ruling: Ruling) -> list[ActionDraft]:
    """What the ruling asks for, as far as it can be carried out; where a person decides, a ticket at most."""
    drafted = [run_errand(bill, ruling.errand)] if ruling.errand is not None else []
    if ruling.kind is not DecisionKind.RECOVER:
        return drafted
    email = (own_message(ruling) or ask_customer(bill)) if ruling.contact else None
    if email is not None:
        drafted.append(email)
    if ruling.high:
        drafted.append(tell_owner(bill, ruling))
    if ruling.retry:
        drafted.append(try_again(bill))
    return drafted


def own_message(ruling: Ruling) -> ActionDraft | None:
    """A message that the ruling brings with it, instead of the usual one."""
    message = ruling.message
    if message is None:
        return None
    return telling.customer_email(
        to=message.to,
        subject=message.subject,
        body=message.body,
        purpose=message.purpose,
        description=message.description,
    )


def run_errand(bill: Bill, errand: Errand) -> ActionDraft:
    """A ticket for whoever the merchant's page names."""
    return ActionDraft(
        kind=ActionKind.TICKET,
        purpose=errand.purpose,
        target=errand.assignee,
        payload={"title": errand.title, "body": errand.body, "assignee": errand.assignee},
        description=f"Open a ticket for {errand.assignee}: {errand.title}",
    )


def ask_customer(bill: Bill) -> ActionDraft | None:
    """One friendly message per failed attempt. None without an address that our own records hold."""
    to = telling.recipient(bill) or text(bill.invoice, "customer_email")
    if not to:
        return None
    due, link = bill.money(bill.due_minor), text(bill.invoice, "hosted_invoice_url")
    way = f"You can see and pay the invoice here:\n{link}\n\n" if link else ""
    again = f"We will try again on {day(bill.next_attempt)}.\n\n" if bill.next_attempt else ""
    body = f"Hello,\n\n{_opening(bill)}\n\n{way}{again}{_CLOSING}"
    told = "is overdue" if _is_only_overdue(bill) else "failed"
    return telling.customer_email(
        to=to,
        subject=f"Your payment for invoice {bill.number}",
        body=body,
        purpose=purposes.ask_for_payment(bill.attempt),
        description=f"Tell {to} that the payment of {due} {told}, and what they can do",
    )


def _is_only_overdue(bill: Bill) -> bool:
    return bill.is_sent and bill.failed is None


def _opening(bill: Bill) -> str:
    due = bill.money(bill.due_minor)
    if _is_only_overdue(bill):
        overdue = count(bill.days_overdue, "day")
        return f"we have not received the payment of {due} for invoice {bill.number} yet; it is {overdue} overdue."
    return f"the payment of {due} for invoice {bill.number} did not go through. {_ASKS[bill.decline.family]}"


def tell_owner(bill: Bill, ruling: Ruling) -> ActionDraft:
    """A ticket for the owner of the account; suspending somebody is theirs to decide, never ours."""
    whose = bill.owner or "nobody (the CRM names no owner)"
    body = (
        f"Invoice {bill.number} of {bill.customer_name}: {bill.money(bill.due_minor)} could not be collected, attempt "
        f"{bill.attempt}, {count(bill.days_overdue, 'day')} overdue. {sentences(ruling.reasons)} Owner: {whose}. "
        f"{_people(bill)}Please call them. Nothing is switched off by us."
    )
    return ActionDraft(
        kind=ActionKind.TICKET,
        purpose=purposes.owner_ticket(bill.attempt),
        target=bill.owner_email or bill.invoice.row.record_id,
        payload={
            "title": f"{bill.customer_name}: payment of {bill.money(bill.due_minor)} failed",
            "body": body,
            "assignee": bill.owner_email,
        },
        description=f"Open a ticket for {bill.owner or 'the owner of the account'} ({listed(ruling.high)})",
    )


def _people(bill: Bill) -> str:
    """Whom the CRM knows there, so that somebody can be reached when the first one is away."""
    rows = bill.exhibits.rows("hubspot.contacts", "salesforce.contacts")[:_MOST_NAMED]
    named = [
        f"{' '.join(text(row, 'firstname', 'lastname', 'name').split())} <{text(row, 'email')}>"
        f"{f' ({title})' if (title := text(row, 'jobtitle', 'title')) else ''}"
        for row in rows
        if text(row, "email")
    ]
    return f"People there: {listed(named)}. " if named else ""


def try_again(bill: Bill) -> ActionDraft:
    """One more attempt to collect the invoice."""
    invoice = bill.invoice.row.record_id
    return ActionDraft(
        kind=ActionKind.STRIPE_RETRY_INVOICE,
        purpose=purposes.retry(bill.attempt),
        target=invoice,
        account=bill.case.subject.account,
        at_risk_minor=bill.due_minor,
        at_risk_currency=currency_code(bill.currency),
        payload={"invoice": invoice},
        snapshot={"invoice.status": text(bill.invoice, "status"), "invoice.amount_remaining": bill.due_minor},
        description=f"Try once more to collect {bill.money(bill.due_minor)}",
    )
