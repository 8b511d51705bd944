"""What really happened through the API: the list that "exactly once" is judged by.

refund, balance_credit             money that was given, `amount` in minor units
credit_note                        a note; what it refunded or credited is an effect of its own
invoice_payment, invoice_attempt   a charge that an invoice made: paid, or declined
staging, submission, close         a dispute's evidence, and giving it up
cancellation                       a subscription ended, or set to end; `amount` is what was prorated
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from .session import Session
from .wire import JsonObject

Kind: TypeAlias = Literal[
    "refund",
    "balance_credit",
    "credit_note",
    "invoice_payment",
    "invoice_attempt",
    "staging",
    "submission",
    "close",
    "cancellation",
]


def record(
    session: Session, kind: Kind, subject: JsonObject, *, charge: str | None = None, amount: int | None = None
) -> None:
    """Notes an effect on an object, in the same transaction as the effect itself.

    `charge` and `amount` (minor units) stand in for those of an object that has none of its own.
    """
    session.db.execute(
        "INSERT INTO effects (at, kind, object, charge, amount, currency, idempotency_key, request) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session.now,
            kind,
            subject["id"],
            subject.get("charge", charge),
            subject.get("amount", amount),
            subject.get("currency"),
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
