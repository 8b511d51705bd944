"""Scripted events: what the outside world will do, and when. Delivered word for word, at their `created`.

Delivering one brings its object up to date, unless it has changed since the event was created. Of an object that is
already here the merchant's own side stays: a dispute's evidence, metadata and booked money; what a charge shows as
refunded when that is more; that an invoice was paid or a subscription cancelled.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from . import agenda, charges, events, lifecycle, loading, refunds
from .errors import Invalid
from .session import Session
from .wire import JsonObject

_FINAL = {"invoice": "paid", "subscription": "canceled"}
_MONEY_EVENTS = ("charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated")


def schedule(session: Session, scripted: Iterable[object]) -> int:
    """Puts events on the agenda; one whose id is known already is passed over. Returns how many are new.

    Raises Invalid for what is not an event, or whose object could not be taken over.
    """
    new = 0
    for event in scripted:
        if not _is_event(event):
            raise Invalid("A scripted event needs `id`, `type`, `created` and `data.object` with `object` and `id`.")
        if session.get("event", event["id"]) or agenda.holds(session, "script", event["id"]):
            continue
        loading.parts(session, event["data"]["object"])
        whole = {"object": "event", **event}
        agenda.put(session, agenda.Entry(event["created"], "script", event["id"], whole))
        new += 1
    return new


def deliver(session: Session, entry: agenda.Entry) -> None:
    """Publishes a scripted event and takes its object over."""
    event = entry.body
    # The money of an outcome moves before the dispute is told to be closed.
    if event["type"] == "charge.dispute.closed":
        _take_over(session, event)
        events.publish(session, event)
    else:
        events.publish(session, event)
        _take_over(session, event)


def _take_over(session: Session, event: JsonObject) -> None:
    whole, *nested = loading.parts(session, event["data"]["object"])
    changed = session.changed(whole["object"], whole["id"])
    if changed is not None and changed > event["created"]:
        return
    for value in nested:
        session.put(value)
    if whole["object"] == "dispute":
        _take_dispute(session, whole, event["type"])
        return
    if whole["object"] == "refund":
        refunds.take_over(session, whole)
        return
    before = session.get(whole["object"], whole["id"])
    if before is not None and "status" in before and before["status"] == _FINAL.get(whole["object"]):
        return
    if whole["object"] == "charge" and before is not None:
        whole["amount_refunded"] = max(whole["amount_refunded"], before["amount_refunded"])
        whole["refunded"] = whole["amount_refunded"] >= whole["amount_captured"]
    session.put(whole)
    if charge := whole["id"] if whole["object"] == "charge" else whole.get("charge"):
        charges.refresh(session, charge)


def _take_dispute(session: Session, incoming: JsonObject, type: str) -> None:
    """Takes over a dispute; tells of the money it moved unless the script tells of that itself."""
    before = session.get("dispute", incoming["id"])
    dispute = incoming if before is None else _merged(before, incoming)
    told = [kind for kind in _MONEY_EVENTS if kind == type or _is_scripted(session, kind, dispute["id"])]
    money = [kind for kind in lifecycle.settle_money(session, dispute) if kind not in told]
    lifecycle.save(session, dispute, before, *money)


def _merged(before: JsonObject, incoming: JsonObject) -> JsonObject:
    ours = ("evidence", "metadata")
    mine, theirs = before["evidence_details"], incoming["evidence_details"]
    details = {
        **theirs,
        "has_evidence": mine["has_evidence"] or theirs["has_evidence"],
        "submission_count": max(mine["submission_count"], theirs["submission_count"]),
    }
    booked = before["balance_transactions"] or incoming["balance_transactions"]
    kept = {name: before[name] for name in ours if before[name]}
    return {**before, **incoming, **kept, "evidence_details": details, "balance_transactions": list(booked)}


def _is_scripted(session: Session, type: str, dispute_id: str) -> bool:
    sql = (
        "SELECT 1 FROM agenda WHERE kind = 'script' AND json_extract(body, '$.type') = ? "
        "AND json_extract(body, '$.data.object.id') = ?"
    )
    return session.db.execute(sql, (type, dispute_id)).fetchone() is not None


def _is_event(event: object) -> TypeGuard[JsonObject]:
    if not isinstance(event, dict) or type(event.get("created")) is not int:
        return False
    subject = (event.get("data") or {}).get("object") if isinstance(event.get("data"), dict) else None
    texts = [event.get("id"), event.get("type")]
    texts += [subject.get("object"), subject.get("id")] if isinstance(subject, dict) else [None]
    return all(isinstance(text, str) for text in texts)
