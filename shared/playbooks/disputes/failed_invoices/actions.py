"""Following up a failed invoice: a message to the customer, a ticket for the owner of the account, another attempt."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind
from shared.case.money import currency_code
from shared.playbooks.disputes import purposes, telling
from shared.playbooks.disputes.conclusion import sentences
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.declines import Family
from shared.playbooks.disputes.failed_invoices.ruling import Ruling
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


def actions(bill: Bill, ruling: Ruling) -> list[ActionDraft]:
    """What the ruling asks for, as far as it can be carried out."""
    drafted = []
    email = ask_customer(bill) if ruling.contact else None
    if email is not None:
        drafted.append(email)
    if ruling.high:
        drafted.append(tell_owner(bill, ruling))
    if ruling.retry:
        drafted.append(try_again(bill))
    return drafted


def ask_customer(bill: Bill) -> ActionDraft | None:
    """One friendly message per failed attempt. None without an address that our own records hold."""
    to = telling.recipient(bill) or text(bill.invoice, "customer_email")
    if not to:
        return None
    due, link = bill.money(bill.due_minor), text(bill.invoice, "hosted_invoice_url")
    way = f"You can see and pay the invoice here:\n{link}\n\n" if link else ""
    again = f"We will try again on {day(bill.next_attempt)}.\n\n" if bill.next_attempt else ""
    body = (
        f"Hello,\n\nthe payment of {due} for invoice {bill.number} did not go through. {_ASKS[bill.decline.family]}\n\n"
        f"{way}{again}Nothing changes for you in the meantime. If anything is unclear, just reply to this message."
    )
    return telling.customer_email(
        to=to,
        subject=f"Your payment for invoice {bill.number}",
        body=body,
        purpose=purposes.ask_for_payment(bill.attempt),
        description=f"Tell {to} that the payment of {due} failed, and what they can do",
    )


def tell_owner(bill: Bill, ruling: Ruling) -> ActionDraft:
    """A ticket for the owner of the account; suspending somebody is theirs to decide, never ours."""
    whose = bill.owner or "nobody (the CRM names no owner)"
    body = (
        f"Invoice {bill.number} of {bill.customer_name}: {bill.money(bill.due_minor)} could not be collected, attempt "
        f"{bill.attempt}, {count(bill.days_overdue, 'day')} overdue. {sentences(ruling.reasons)} Owner: {whose}. "
        "Please call them. Nothing is switched off by us."
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
        description=f"Try once more to collect {bill.money(bill.due_minor)}",
    )
