"""What really happened to money and evidence through the API: the list that "exactly once" is judged by."""

from __future__ import annotations

from typing import Literal

from .session import Session
from .wire import JsonObject


def record(
    session: Session,
    kind: Literal["refund", "submission", "staging", "close"],
    subject: JsonObject,
) -> None:
    """Notes an effect on a refund or dispute, in the same transaction as the effect itself."""
    session.db.execute(
        "INSERT INTO effects (at, kind, object, charge, amount, currency, idempotency_key, request) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session.now,
            kind,
            subject["id"],
            subject["charge"],
            subject["amount"],
            subject["currency"],
            session.idempotency_key,
            session.request,
        ),
    )


def listed(session: Session) -> list[JsonObject]:
    """Every effect, oldest first."""
    rows = session.db.execute(
        "SELECT at, kind, object, charge, amount, currency, idempotency_key, request FROM effects ORDER BY seq"
    )
    return [dict(row) for row in rows]
