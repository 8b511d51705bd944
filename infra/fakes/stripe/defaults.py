"""What a loaded object may leave out, and what it must bring. Everything else of it is kept as it came."""

from __future__ import annotations

from . import evidence
from .wire import JsonObject

DEFAULTS: dict[str, JsonObject] = {
    "charge": {
        "amount_refunded": 0,
        "balance_transaction": None,
        "captured": True,
        "customer": None,
        "disputed": False,
        "fraud_details": {},
        "livemode": False,
        "metadata": {},
        "paid": True,
        "payment_intent": None,
        "payment_method": None,
        "refunded": False,
        "status": "succeeded",
    },
    "customer": {"balance": 0, "currency": None, "description": None, "email": None, "livemode": False, "metadata": {}},
    "dispute": {
        "enhanced_eligibility_types": [],
        "is_charge_refundable": False,
        "livemode": False,
        "payment_intent": None,
        "reason": "general",
    },
    "invoice": {
        "amount_due": 0,
        "amount_paid": 0,
        "attempt_count": 0,
        "attempted": False,
        "default_payment_method": None,
        "livemode": False,
        "metadata": {},
        "next_payment_attempt": None,
        "number": None,
        "parent": None,
        "post_payment_credit_notes_amount": 0,
        "pre_payment_credit_notes_amount": 0,
    },
    "invoice_payment": {"amount_paid": None, "is_default": True, "livemode": False},
    "radar.early_fraud_warning": {"actionable": True, "livemode": False},
    "refund": {"metadata": {}, "payment_intent": None, "payment_method": None, "status": "succeeded"},
    "subscription": {
        "cancel_at": None,
        "cancel_at_period_end": False,
        "canceled_at": None,
        "ended_at": None,
        "latest_invoice": None,
        "livemode": False,
        "metadata": {},
    },
}
REQUIRED = {
    "charge": ("amount", "currency"),
    "dispute": ("amount", "charge", "currency", "status"),
    "invoice": ("currency", "customer", "status"),
    "invoice_payment": ("invoice", "payment", "status"),
    "radar.early_fraud_warning": ("charge",),
    "refund": ("amount", "charge", "currency"),
    "subscription": ("customer", "status"),
}
AMOUNTS = {
    "balance_transaction": ("amount", "fee", "net"),
    "charge": ("amount", "amount_captured", "amount_refunded"),
    "customer": ("balance",),
    "dispute": ("amount",),
    "invoice": ("amount_due", "amount_paid", "amount_remaining", "total"),
    "payment_intent": ("amount",),
    "refund": ("amount",),
}
"""The fields of a kind that hold an amount in minor units."""


def complete(value: JsonObject) -> None:
    """Fills in what follows from the rest of the object. Changes it."""
    match value["object"]:
        case "charge":
            value.setdefault("amount_captured", value["amount"] if value["captured"] else 0)
        case "dispute":
            _complete_dispute(value)
        case "invoice":
            _complete_invoice(value)
        case "subscription":
            details: JsonObject = {"comment": None, "feedback": None, "reason": None}
            value["cancellation_details"] = {**details, **(value.get("cancellation_details") or {})}


def _complete_dispute(dispute: JsonObject) -> None:
    dispute["evidence"] = {**evidence.empty(), **(dispute.get("evidence") or {})}
    details: JsonObject = {
        "due_by": None,
        "enhanced_eligibility": {},
        "has_evidence": False,
        "past_due": False,
        "submission_count": 0,
    }
    dispute["evidence_details"] = {**details, **(dispute.get("evidence_details") or {})}
    dispute["metadata"] = dispute.get("metadata") or {}


def _complete_invoice(invoice: JsonObject) -> None:
    invoice.setdefault("amount_remaining", invoice["amount_due"] - invoice["amount_paid"])
    invoice.setdefault("total", invoice["amount_due"])
    transitions = dict.fromkeys(("finalized_at", "marked_uncollectible_at", "paid_at", "voided_at"))
    invoice["status_transitions"] = {**transitions, **(invoice.get("status_transitions") or {})}
    url = f"/v1/invoices/{invoice['id']}/lines"
    invoice["lines"] = {"object": "list", "data": [], "has_more": False, "url": url} | (invoice.get("lines") or {})
