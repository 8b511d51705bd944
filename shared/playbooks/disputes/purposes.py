"""Purposes: how the actions of a draft refer to each other, and what tells two actions of one kind apart for good.

The identity of an action is its case, kind, target and purpose. An inquiry and the chargeback that it becomes need one
answer each, so their purposes differ; so do those of two attempts to collect one invoice.
"""

from __future__ import annotations

STAGE, SUBMIT = "stage_evidence", "submit_evidence"
STAGE_ANSWER, SUBMIT_ANSWER = "stage_inquiry_answer", "submit_inquiry_answer"
OF_INQUIRY = frozenset({STAGE_ANSWER, SUBMIT_ANSWER})

REFUND_AFTER_WIN = "refund_owed_after_win"
REFUND = "refund_charge"
TELL_OF_REFUND = "tell_customer_of_refund"
CLOSE = "close_dispute"
WARN_OWNER = "warn_owner_of_repeat_disputes"
TELL_OF_CLOSE = "tell_customer_of_close"
END_SUBSCRIPTION = "end_subscription"
REPAIR_ACCESS = "repair_access"
REPAIR_MANDATE = "repair_mandate"
CLEAR_DOUBLE = "clear_double_billing"
CALL_ABOUT_SEATS = "call_about_seats"
CREDIT = "credit_customer_balance"
CREDIT_NOTE = "issue_credit_note"
TELL_OF_CREDIT = "tell_customer_of_credit"
DECLINE = "tell_customer_why_not"
NOTE, BRIEF = "note_decision", "brief_team"


def in_round(purpose: str, round: int) -> str:
    """One per round: what a later round decides is told again."""
    return purpose if round <= 1 else f"{purpose}_{round}"


def ask_for_payment(attempt: int) -> str:
    """One message per attempt to collect an invoice."""
    return f"ask_for_payment_{attempt}"


def owner_ticket(attempt: int) -> str:
    """One ticket per attempt to collect an invoice."""
    return f"tell_owner_{attempt}"


def fraud_review(attempt: int) -> str:
    """One ticket per attempt for those who look for fraud."""
    return f"review_for_fraud_{attempt}"


def ask_about_order(attempt: int) -> str:
    """One message about the order number per attempt to collect an invoice."""
    return f"ask_about_order_{attempt}"


def order_ticket(attempt: int) -> str:
    """One ticket to amend the order number per attempt to collect an invoice."""
    return f"amend_order_{attempt}"


def retry(attempt: int) -> str:
    """One retry after each attempt that failed."""
    return f"retry_after_{attempt}"
