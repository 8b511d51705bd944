"""Actions and the context of a call, as small as they can be."""

from __future__ import annotations

from itertools import count
from typing import Any

from shared.case.actions import Action, ActionKind
from shared.ports.effects import EffectContext

_numbers = count(1)


def action(kind: ActionKind, payload: dict[str, Any], **fields: Any) -> Action:
    """An approved action with an id of its own."""
    number = next(_numbers)
    return Action(
        kind=kind,
        purpose=f"purpose {number}",
        target="target",
        payload=payload,
        description="what it does",
        id=f"{kind.value}-{number:04d}",
        hash=f"hash-{number}",
        **fields,
    )


def refund(charge: str, minor: int = 2_000, currency: str = "usd", **fields: Any) -> Action:
    """A refund of 20.00."""
    payload = {"charge": charge, "reason": "requested_by_customer", **fields.pop("payload", {})}
    return action(ActionKind.STRIPE_REFUND, payload, amount_minor=minor, currency=currency, **fields)


def context(of: Action, *, timeout_s: float = 10.0, attempt: int = 1, **fields: Any) -> EffectContext:
    """The context of one attempt; every action has a key of its own, the same for every attempt."""
    values = {"org": "acme", "case_id": "case_1", "idempotency_key": f"manthan-{of.id}", **fields}
    return EffectContext(attempt=attempt, timeout_s=timeout_s, **values)


def email(**payload: Any) -> Action:
    """A customer e-mail."""
    return action(
        ActionKind.CUSTOMER_EMAIL,
        {"to": "jane@example.com", "subject": "Your refund", "body_text": "It is on its way.", **payload},
    )
