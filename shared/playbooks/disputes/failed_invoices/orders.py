"""An invoice that bears another order number than the one the customer gave: it is asked about before it is dunned."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence
from shared.playbooks.disputes import purposes, telling
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.model import Errand, Message, Person, Ruling
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, claimed
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.purchase_order import PurchaseOrder, purchase_order
from shared.playbooks.disputes.signed import in_effect
from shared.team.exhibits import text
from shared.team.json_text import parsed
from shared.team.words import quoted

_SURE_PCT = 90
_ACCEPTED = frozenset({"approved", "scheduled", "paid"})


def amend(bill: Bill, policy: Policy) -> Ruling | None:
    """What to do about an order number that is not theirs; None where it is, or where nothing tells of any order.

    Raises Person where it is not clear which order is meant; Unevaluable.
    """
    wanted = purchase_order(policy)
    printed, orders = _printed(bill, wanted.printed_as), _orders(bill)
    filed = _filed(bill)
    if filed is not None and text(filed, "status").lower() in _ACCEPTED:
        return None
    if not orders and not _is_about_the_order(filed):
        return None
    cites = (policy.evidence, bill.invoice, *orders, *([filed] if filed else []))
    if len({_plain(text(order, "number")) for order in orders}) != 1:
        why = "no order of theirs is on file" if not orders else "several orders of theirs are on file"
        raise Person(f"their accounts payable cannot match the invoice, and {why}", cites=cites, policy=policy)
    order = orders[-1]
    if _plain(printed) == _plain(text(order, "number")):
        return None
    return _ruling(bill, policy, wanted, printed, order, filed)


def _ruling(
    bill: Bill, policy: Policy, wanted: PurchaseOrder, printed: str, order: Evidence, filed: Evidence | None
) -> Ruling:
    number, bears = text(order, "number"), f"bears order {printed}" if printed else "bears no order number"
    reasons = (
        f"the invoice {bears}, and the order on file is {number}: their accounts payable cannot match it",
        f"{policy.name} has the number amended first; trying again or a reminder would change nothing",
    )
    found = (
        claimed(f"the invoice {bears}", READ_OUT, bill.invoice),
        claimed(f"the order that they sent us is {number}, {text(order, 'title')}", READ_OUT, order),
        claimed(f"their portal says: {quoted(text(filed, 'status', 'reason'))}", INFERRED, filed) if filed else None,
    )
    to = _contact(bill, wanted.contact_titles)
    return Ruling(
        DecisionKind.RECOVER,
        reasons,
        _SURE_PCT,
        cites=(policy.evidence, bill.invoice, order, *([filed] if filed else [])),
        policy=policy,
        contact=True,
        message=_message(bill, to, printed, number) if to else None,
        errand=_errand(bill, wanted, printed, number, to),
        found=tuple(item for item in found if item is not None),
    )


def _message(bill: Bill, to: str, printed: str, number: str) -> Message:
    due = bill.money(bill.due_minor)
    bears = f"bears the purchase order {printed}" if printed else "bears no purchase order"
    body = (
        f"Hello,\n\nour invoice {bill.number} over {due} {bears}, while the order that we have from you is {number}. "
        f"We think that this is why it could not be matched.\n\nCould you confirm that {number} is the right one? We "
        "then send you the invoice again under it. If another order counts, please send us that one, or have the order "
        "amended.\n\nUntil then you need not do anything else about this invoice."
    )
    return Message(
        purpose=purposes.ask_about_order(bill.attempt),
        to=to,
        subject=f"The purchase order on invoice {bill.number}",
        body=body,
        description=f"Ask {to} to confirm the order {number}, or to have it amended",
    )


def _errand(bill: Bill, wanted: PurchaseOrder, printed: str, number: str, to: str) -> Errand:
    body = (
        f"Invoice {bill.number} of {bill.customer_name} ({bill.invoice.row.record_id}) bears {printed or 'no number'}; "
        f"their order on file is {number}. We ask {to or 'them (no address is on record)'} to confirm. Once they have, "
        "please issue the invoice again with that number and file it in their portal. No reminders until then."
    )
    return Errand(
        purposes.order_ticket(bill.attempt), f"{bill.customer_name}: amend the order number", body, wanted.corrected_by
    )


def _printed(bill: Bill, name: str) -> str:
    fields = parsed(text(bill.invoice, "custom_fields"))
    found = fields if isinstance(fields, list) else []
    return next(
        (
            str(item.get("value") or "").strip()
            for item in found
            if isinstance(item, dict) and str(item.get("name")).casefold() == name.casefold()
        ),
        "",
    )


def _orders(bill: Bill) -> list[Evidence]:
    """The orders of the customer that are in effect, the latest last."""
    rows = bill.exhibits.rows("agreements.documents")
    return [row for row in rows if text(row, "kind") == "purchase_order" and in_effect(row, bill.now, signed=False)]


def _filed(bill: Bill) -> Evidence | None:
    """The latest word of their accounts payable portal on this invoice."""
    rows: Sequence[Evidence] = bill.exhibits.rows("payables.submissions")
    return rows[-1] if rows else None


def _is_about_the_order(filed: Evidence | None) -> bool:
    return (
        filed is not None
        and re.search(r"\b(po|purchase order|order)\b", text(filed, "reason"), re.IGNORECASE) is not None
    )


def _contact(bill: Bill, titles: Sequence[str]) -> str:
    """The person in the CRM whose title says that they are asked, else the billing address."""
    people = bill.exhibits.rows("hubspot.contacts", "salesforce.contacts")
    asked = (text(row, "email") for row in people if any(t in text(row, "jobtitle", "title").lower() for t in titles))
    return next((address for address in asked if address), "") or telling.recipient(bill)


def _plain(number: str) -> str:
    return re.sub(r"[^a-z0-9]", "", number.lower().removeprefix("po"))
