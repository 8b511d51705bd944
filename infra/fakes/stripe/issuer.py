"""The issuer: how it rules on evidence, and what a dispute waits for. Pure functions; `lifecycle` carries them out.

The rule. `winning_evidence` or `losing_evidence` in `uncategorized_text` decide, as in Stripe's test mode, and
`escalate_inquiry_evidence` escalates an inquiry. Otherwise a packet holds when it makes an argument
(`uncategorized_text` or one of the three rebuttals) and supports it with at least two more filled fields that fit the
dispute's reason. A bank debit is never won. What the text says is not read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from . import clock
from .evidence import filled
from .settings import Settings
from .wire import JsonObject

Step: TypeAlias = Literal["deadline", "ruling", "escalation", "inquiry_end"]

REQUIRED_SUPPORT = 2

_REBUTTALS = {"cancellation_rebuttal", "refund_refusal_explanation", "duplicate_charge_explanation"}
_ANY_REASON = _REBUTTALS | {
    "access_activity_log",
    "customer_communication",
    "customer_email_address",
    "customer_name",
    "product_description",
    "receipt",
    "service_date",
    "service_documentation",
    "uncategorized_file",
}
_IDENTITY = {"billing_address", "customer_purchase_ip", "customer_signature", "shipping_address"}
_DELIVERY = {
    "shipping_address",
    "shipping_carrier",
    "shipping_date",
    "shipping_documentation",
    "shipping_tracking_number",
}
_CANCELLATION = {"cancellation_policy", "cancellation_policy_disclosure"}
_REFUND = {"refund_policy", "refund_policy_disclosure"}
_FITTING = {
    "fraudulent": _ANY_REASON | _IDENTITY | _DELIVERY,
    "unrecognized": _ANY_REASON | _IDENTITY | _DELIVERY,
    "product_not_received": _ANY_REASON | _DELIVERY | {"customer_signature"},
    "product_unacceptable": _ANY_REASON | _REFUND | _CANCELLATION | _DELIVERY,
    "subscription_canceled": _ANY_REASON | _CANCELLATION,
    "credit_not_processed": _ANY_REASON | _REFUND | _CANCELLATION,
    "duplicate": _ANY_REASON | {"duplicate_charge_id", "duplicate_charge_documentation", "shipping_documentation"},
}
_BANK_DEBIT = {
    "bank_cannot_process",
    "check_returned",
    "debit_not_authorized",
    "incorrect_account_details",
    "insufficient_funds",
}


@dataclass(frozen=True)
class Due:
    """What happens to a dispute next if nobody touches it, and when (epoch seconds)."""

    at: int
    step: Step


def packet_holds(dispute: JsonObject) -> bool:
    """Whether the issuer finds for the merchant on the evidence as it stands."""
    text = dispute["evidence"].get("uncategorized_text") or ""
    if "winning_evidence" in text:
        return True
    if "losing_evidence" in text or "escalate_inquiry_evidence" in text or dispute["reason"] in _BANK_DEBIT:
        return False
    fields = filled(dispute["evidence"])
    fitting = fields & _FITTING.get(dispute["reason"], _ANY_REASON)
    if "uncategorized_text" in fields:
        return len(fitting) >= REQUIRED_SUPPORT
    # Here one of the rebuttals is the argument, and the rebuttals count among the fitting fields.
    return bool(fields & _REBUTTALS) and len(fitting) - 1 >= REQUIRED_SUPPORT


def next_step(dispute: JsonObject, settings: Settings, now: int) -> Due | None:
    """What a dispute in this status, entered at `now`, waits for; None once it is closed.

    `due_by` 0 or null means that nobody can answer, so no deadline passes.
    """
    status, due_by = dispute["status"], dispute["evidence_details"]["due_by"]
    inquiry_end = Due(max(now, dispute["created"] + settings.inquiry_days * clock.DAY), "inquiry_end")
    if status == "needs_response":
        return Due(due_by, "deadline") if due_by else None
    if status == "under_review":
        return Due(now + settings.decision_days * clock.DAY, "ruling")
    if status == "warning_needs_response":
        return Due(due_by, "escalation") if due_by else inquiry_end
    if status == "warning_under_review":
        escalation = Due(now + settings.escalation_days * clock.DAY, "escalation")
        return inquiry_end if packet_holds(dispute) else escalation
    return None
