"""Stripe objects for the double, each with an id of its own."""

from __future__ import annotations

from itertools import count
from typing import Any

JsonObject = dict[str, Any]

_numbers = count(1)


def charge(**fields: Any) -> JsonObject:
    """A captured charge of 100.00 USD."""
    return {"object": "charge", "id": f"ch_{next(_numbers):04d}", "amount": 10_000, "currency": "usd", **fields}


def dispute(disputed: JsonObject, status: str = "needs_response", **fields: Any) -> JsonObject:
    """A dispute about the whole charge that can be answered."""
    return {
        "object": "dispute",
        "id": f"du_{next(_numbers):04d}",
        "amount": disputed["amount"],
        "currency": disputed["currency"],
        "charge": disputed["id"],
        "reason": "product_not_received",
        "status": status,
        "evidence_details": {"due_by": 1_789_000_000},
        "payment_method_details": {"type": "card", "card": {"brand": "visa", "network_reason_code": "13.1"}},
        **fields,
    }
