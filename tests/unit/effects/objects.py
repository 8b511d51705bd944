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


def customer(**fields: Any) -> JsonObject:
    """A customer who is billed in USD and owes nothing."""
    return {"object": "customer", "id": f"cus_{next(_numbers):04d}", "currency": "usd", **fields}


def invoice(**fields: Any) -> JsonObject:
    """An open invoice of 49.00 USD that one attempt did not collect."""
    return {
        "object": "invoice",
        "id": f"in_{next(_numbers):04d}",
        "amount_due": 4_900,
        "attempt_count": 1,
        "attempted": True,
        "currency": "usd",
        "customer": "cus_nobody",
        "status": "open",
        **fields,
    }


def payment(billed: JsonObject, paid: JsonObject | None, **fields: Any) -> tuple[JsonObject, JsonObject]:
    """The payment of an invoice and its intent: paid by the charge, or not yet."""
    number = next(_numbers)
    intent = {
        "object": "payment_intent",
        "id": f"pi_{number:04d}",
        "amount": billed["amount_due"],
        "currency": billed["currency"],
        "latest_charge": paid["id"] if paid else None,
        "status": "succeeded" if paid else "processing",
    }
    made = {
        "object": "invoice_payment",
        "id": f"inpay_{number:04d}",
        "invoice": billed["id"],
        "payment": {"payment_intent": intent["id"], "type": "payment_intent"},
        "status": "paid" if paid else "open",
        "status_transitions": {"canceled_at": None, "paid_at": 1_788_000_000 if paid else None},
    }
    return {**made, **fields}, intent


def subscription(**fields: Any) -> JsonObject:
    """A subscription of 30.00 USD for 30 days, ten of which have passed when the double's clock starts."""
    begun = 1_788_220_800 - 10 * 86_400
    item = {
        "object": "subscription_item",
        "id": f"si_{next(_numbers):04d}",
        "current_period_start": begun,
        "current_period_end": begun + 30 * 86_400,
        "price": {"object": "price", "id": "price_1", "unit_amount": 3_000},
        "quantity": 1,
    }
    return {
        "object": "subscription",
        "id": f"sub_{next(_numbers):04d}",
        "currency": "usd",
        "customer": "cus_nobody",
        "items": {"object": "list", "data": [item], "has_more": False, "url": "/v1/subscription_items"},
        "status": "active",
        **fields,
    }


def warning(about: JsonObject, **fields: Any) -> JsonObject:
    """An early fraud warning about a charge."""
    number = next(_numbers)
    return {
        "object": "radar.early_fraud_warning",
        "id": f"issfr_{number:04d}",
        "charge": about["id"],
        "fraud_type": "misc",
        **fields,
    }
