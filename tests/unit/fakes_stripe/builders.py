"""Stripe objects for the tests: as few fields as the double needs, ids of their own."""

from __future__ import annotations

from itertools import count
from typing import Any

JsonObject = dict[str, Any]

START = 1_788_220_800
"""Where the double's clock starts: 2026-09-01T00:00:00Z."""
DAY = 86_400
DUE_BY = START + 10 * DAY - 1

_numbers = count(1)


def charge(**fields: object) -> JsonObject:
    """A captured charge of 100.00 USD."""
    number = next(_numbers)
    return {
        "object": "charge",
        "id": f"ch_{number:04d}",
        "amount": 10_000,
        "currency": "usd",
        "created": START - 30 * DAY,
        "customer": None,
        "payment_method": "pm_card",
        **fields,
    }


def intent(paid: JsonObject, **fields: object) -> JsonObject:
    """The payment intent of a charge; names the charge and is named by it."""
    paid["payment_intent"] = f"pi_{paid['id']}"
    return {
        "object": "payment_intent",
        "id": paid["payment_intent"],
        "amount": paid["amount"],
        "currency": paid["currency"],
        "created": paid["created"],
        "latest_charge": paid["id"],
        "metadata": {},
        "status": "succeeded",
        **fields,
    }


def chargeback(disputed: JsonObject, **fields: object) -> JsonObject:
    """A chargeback of the whole charge that awaits evidence until DUE_BY."""
    return {
        "object": "dispute",
        "id": f"du_{next(_numbers):04d}",
        "amount": disputed["amount"],
        "currency": disputed["currency"],
        "charge": disputed["id"],
        "created": START - DAY,
        "reason": "product_not_received",
        "status": "needs_response",
        "evidence_details": {"due_by": DUE_BY},
        "payment_method_details": {
            "card": {"brand": "visa", "case_type": "chargeback", "network": "visa", "network_reason_code": "13.1"},
            "type": "card",
        },
        **fields,
    }


def inquiry(disputed: JsonObject, **fields: object) -> JsonObject:
    """An inquiry about the whole charge that awaits an answer until DUE_BY."""
    card = {"brand": "visa", "case_type": "inquiry", "network": "visa", "network_reason_code": "10"}
    details = {"card": card, "type": "card"}
    return chargeback(disputed, **{"status": "warning_needs_response", "payment_method_details": details, **fields})


def warning(charged: JsonObject, **fields: object) -> JsonObject:
    """An early fraud warning about a charge."""
    return {
        "object": "radar.early_fraud_warning",
        "id": f"issfr_{next(_numbers):04d}",
        "actionable": True,
        "charge": charged["id"],
        "created": START - DAY,
        "fraud_type": "misc",
        "livemode": False,
        **fields,
    }


def customer(**fields: object) -> JsonObject:
    """A customer who is billed in USD."""
    return {"object": "customer", "id": f"cus_{next(_numbers):04d}", "currency": "usd", **fields}


def invoice(**fields: object) -> JsonObject:
    """An open invoice of 49.00 USD, of which nothing was paid yet and one attempt failed."""
    return {
        "object": "invoice",
        "id": f"in_{next(_numbers):04d}",
        "amount_due": 4900,
        "attempt_count": 1,
        "attempted": True,
        "created": START - DAY,
        "currency": "usd",
        "customer": "cus_1",
        "next_payment_attempt": START + 3 * DAY,
        "number": "N-0007",
        "status": "open",
        **fields,
    }


def invoice_payment(billed: JsonObject, intent_id: str, **fields: object) -> JsonObject:
    """The open payment of an invoice through a payment intent."""
    return {
        "object": "invoice_payment",
        "id": f"inpay_{next(_numbers):04d}",
        "amount_requested": billed["amount_due"],
        "currency": billed["currency"],
        "invoice": billed["id"],
        "payment": {"payment_intent": intent_id, "type": "payment_intent"},
        "status": "open",
        "status_transitions": {"canceled_at": None, "paid_at": None},
        **fields,
    }


def subscription(**fields: object) -> JsonObject:
    """A subscription of 30.00 USD for 30 days, ten of which have passed."""
    item = {
        "object": "subscription_item",
        "id": f"si_{next(_numbers):04d}",
        "current_period_start": START - 10 * DAY,
        "current_period_end": START + 20 * DAY,
        "price": {"object": "price", "id": "price_1", "unit_amount": 1500},
        "quantity": 2,
    }
    return {
        "object": "subscription",
        "id": f"sub_{next(_numbers):04d}",
        "currency": "usd",
        "customer": "cus_1",
        "items": {"object": "list", "data": [item], "has_more": False, "url": "/v1/subscription_items"},
        "status": "active",
        **fields,
    }


def event(type: str, subject: JsonObject, created: int) -> JsonObject:
    """An event as Stripe sends it."""
    return {
        "id": f"evt_scripted_{next(_numbers):04d}",
        "object": "event",
        "api_version": "2026-08-26.dahlia",
        "created": created,
        "data": {"object": subject},
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": None, "idempotency_key": None},
        "type": type,
    }
