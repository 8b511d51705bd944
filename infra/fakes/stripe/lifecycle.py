"""A dispute's way from status to status, with the money, the deadlines and the events that belong to it.

Every change of a dispute goes through `save`, so that object, charge, agenda and events cannot disagree.
"""

from __future__ import annotations

from typing import get_args

from . import agenda, charges, clock, events, issuer, ledger
from .session import Session
from .wire import JsonObject

CLOSED = ("won", "lost", "prevented", "warning_closed")
_WITHDRAWN = ("needs_response", "under_review", "won", "lost")


def is_inquiry(dispute: JsonObject) -> bool:
    """Whether the dispute is still an inquiry: no money has moved."""
    return str(dispute["status"]).startswith("warning_")


def save(session: Session, dispute: JsonObject, before: JsonObject | None, *types: str) -> JsonObject:
    """Stores a changed dispute, plans what it waits for now and tells of it; returns it as stored.

    `before` is the dispute as it was, None for a new one; `types` are the events to write, in order.
    """
    session.put(dispute)
    if before is None or _waits_for(before) != _waits_for(dispute):
        _plan(session, dispute)
    charges.refresh(session, dispute["charge"])
    stored = session.get("dispute", dispute["id"]) or dispute
    for type in types:
        events.emit(session, type, stored, before=before if type.endswith(".updated") else None)
    return stored


def settle_money(session: Session, dispute: JsonObject) -> list[str]:
    """Books what the dispute's status says has moved and is not booked yet.

    Changes `balance_transactions` of the given dispute; returns the types of the events that tell of it.
    """
    booked: list[JsonObject] = dispute["balance_transactions"]
    types = []
    if dispute["status"] in _WITHDRAWN and not any(entry["amount"] < 0 for entry in booked):
        booked.append(ledger.withdraw(session, dispute, session.get("charge", dispute["charge"])))
        _fail_pending_refunds(session, dispute["charge"])
        types.append("charge.dispute.funds_withdrawn")
    if dispute["status"] == "won" and not any(entry["amount"] > 0 for entry in booked):
        withdrawal = next(entry for entry in booked if entry["amount"] < 0)
        booked.append(ledger.reinstate(session, dispute, withdrawal))
        ledger.return_contest_fees(session, dispute)
        types.append("charge.dispute.funds_reinstated")
    return types


def close(session: Session, dispute: JsonObject, status: str) -> JsonObject:
    """Ends a dispute as won, lost or warning_closed; returns it as stored."""
    closed = {**dispute, "status": status, "balance_transactions": [*dispute["balance_transactions"]]}
    money = settle_money(session, closed)
    return save(session, closed, dispute, *money, "charge.dispute.closed")


def take_step(session: Session, entry: agenda.Entry) -> None:
    """Carries out what a dispute was waiting for: its deadline, its ruling, its escalation, an inquiry's end."""
    dispute = session.get("dispute", entry.ref)
    step = entry.body["step"]
    if dispute is None or step not in get_args(issuer.Step):
        raise LookupError(f"the agenda names a dispute step that does not exist: {entry.ref} {step}")
    if step == "deadline":
        close(session, dispute, "lost")
    elif step == "ruling":
        close(session, dispute, "won" if issuer.packet_holds(dispute) else "lost")
    elif step == "inquiry_end":
        close(session, dispute, "warning_closed")
    else:
        _escalate(session, dispute)


def close_inquiries(session: Session, charge: JsonObject) -> None:
    """Closes every open inquiry about a charge that has been refunded in full."""
    for dispute in session.find("dispute", "charge", charge["id"]):
        if is_inquiry(dispute) and dispute["status"] not in CLOSED:
            close(session, dispute, "warning_closed")


def _escalate(session: Session, dispute: JsonObject) -> None:
    due_by = clock.end_of_day(session.now, session.settings.answer_days)
    chargeback = {
        **dispute,
        "status": "needs_response",
        "evidence_details": {**dispute["evidence_details"], "due_by": due_by},
        "balance_transactions": [*dispute["balance_transactions"]],
        "payment_method_details": _as_chargeback(dispute.get("payment_method_details")),
    }
    money = settle_money(session, chargeback)
    save(session, chargeback, dispute, "charge.dispute.updated", *money)


def _fail_pending_refunds(session: Session, charge_id: str) -> None:
    """A refund that had not settled when the money was withdrawn does not go through."""
    failure = {"status": "failed", "failure_reason": "charge_for_pending_refund_disputed"}
    for refund in session.find("refund", "charge", charge_id):
        if refund["status"] == "pending":
            agenda.put(session, agenda.Entry(session.now, "refund", refund["id"], failure))


def _as_chargeback(details: JsonObject | None) -> JsonObject | None:
    if not details or "card" not in details:
        return details
    return {**details, "card": {**details["card"], "case_type": "chargeback"}}


def _waits_for(dispute: JsonObject) -> tuple[object, object]:
    return dispute["status"], dispute["evidence_details"]["due_by"]


def _plan(session: Session, dispute: JsonObject) -> None:
    due = issuer.next_step(dispute, session.settings, session.now)
    if due is None:
        agenda.drop(session, "dispute", dispute["id"])
        return
    agenda.put(session, agenda.Entry(due.at, "dispute", dispute["id"], {"step": due.step}))
