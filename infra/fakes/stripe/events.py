"""Events: what happened, stored in the same transaction as the change and queued for every endpoint that wants it."""

from __future__ import annotations

import json

from .session import Session
from .wire import JsonObject

API_VERSION = "2026-08-26.dahlia"


def emit(session: Session, type: str, subject: JsonObject, *, before: JsonObject | None = None) -> None:
    """Writes an event of this type about `subject`; `before` is the object as it was, for `previous_attributes`."""
    data: JsonObject = {"object": subject}
    if before is not None:
        data["previous_attributes"] = previous_attributes(before, subject)
    event: JsonObject = {
        "id": session.new_id("evt"),
        "object": "event",
        "api_version": API_VERSION,
        "created": session.now,
        "data": data,
        "livemode": _livemode(session, subject),
        "pending_webhooks": len(_receivers(session, type)),
        "request": {"id": session.request, "idempotency_key": session.idempotency_key},
        "type": type,
    }
    publish(session, event)


def publish(session: Session, event: JsonObject) -> None:
    """Stores an event as it is and queues its deliveries, as the settings have them go."""
    session.put(event)
    id, type, webhooks = event["id"], event["type"], session.settings.webhooks
    if type in webhooks.drop:
        return
    session.db.executemany(
        "INSERT INTO deliveries (event, type, endpoint, not_before) VALUES (?, ?, ?, ?)",
        [
            (id, type, endpoint, webhooks.place(id, endpoint, copy))
            for copy in range(webhooks.duplicate)
            for endpoint in _receivers(session, type)
        ],
    )


def previous_attributes(before: JsonObject, after: JsonObject) -> JsonObject:
    """The earlier values of what changed; inside a nested mapping only the changed keys."""
    changes: JsonObject = {}
    for name in before | after:
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            changes[name] = previous_attributes(old, new)
        else:
            changes[name] = old
    return changes


def _receivers(session: Session, type: str) -> list[int]:
    rows = session.db.execute("SELECT id, events FROM endpoints ORDER BY id").fetchall()
    return [row["id"] for row in rows if {"*", type} & set(json.loads(row["events"]))]


def _livemode(session: Session, subject: JsonObject) -> bool:
    if "livemode" in subject:
        return bool(subject["livemode"])
    # A refund carries no livemode of its own.
    charge = session.get("charge", subject.get("charge"))
    return bool(charge and charge.get("livemode"))
