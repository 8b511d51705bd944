"""Every kind of action at Stripe: one that can be carried out, and one of the same kind that is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import Action, ActionKind, Json
from shared.ports.effects import Effects

from .actions import action, context, refund
from .objects import JsonObject, charge, customer, dispute, invoice, subscription

EVIDENCE: dict[str, Json] = {"uncategorized_text": "They used it.", "access_activity_log": "Every day."}


@dataclass(frozen=True)
class Setting:
    """An adapter, an action it can carry out, and one of the same kind that it refuses in the words given."""

    effects: Effects
    action: Action
    happened: Callable[[], int]
    """How many effects the action's target has seen, as the other side counts them."""
    refused: Action
    words: str
    knows: Mapping[str, Json]
    """What the snapshot's fields are before the effect."""


def _refund(effects: Effects, double: StripeDouble) -> Setting:
    paid, charged_back = charge(), charge()
    double.load([paid, charged_back, dispute(charged_back)])
    snapshot: dict[str, Json] = {"charge.currency": "", "charge.amount_refunded": 1}
    return Setting(
        effects,
        refund(paid["id"], snapshot=snapshot),
        lambda: _count(double, "refund", "charge", paid["id"]),
        refund(charged_back["id"], snapshot=snapshot),
        "charge_disputed",
        {"charge.currency": "usd", "charge.amount_refunded": 0, "refundable_minor": 10_000},
    )


def _on_dispute(kind: ActionKind, effect: str, effects: Effects, double: StripeDouble) -> Setting:
    paid, evidence = charge(), EVIDENCE if kind is ActionKind.STRIPE_SUBMIT_EVIDENCE else {}
    details = {"due_by": 1_789_000_000, "has_evidence": bool(evidence)}
    disputed = dispute(paid, evidence=evidence, evidence_details=details)
    settled = dispute(paid, "won", evidence=EVIDENCE)
    double.load([paid, disputed, settled])
    snapshot: dict[str, Json] = {"dispute.status": "", "dispute.submission_count": 9, "dispute.amount": 0}

    def made(about: JsonObject) -> Action:
        return action(kind, {"dispute": about["id"], "evidence": EVIDENCE}, snapshot=snapshot)

    return Setting(
        effects,
        made(disputed),
        lambda: _count(double, effect, "object", disputed["id"]),
        made(settled),
        "already closed",
        {"dispute.status": "needs_response", "dispute.submission_count": 0, "dispute.amount": 10_000},
    )


def _balance_credit(effects: Effects, double: StripeDouble) -> Setting:
    owner, abroad = customer(), customer(currency="eur")
    double.load([owner, abroad])

    def made(of: JsonObject) -> Action:
        snapshot = {"customer.balance": 9, "customer.currency": ""}
        return _given(ActionKind.STRIPE_BALANCE_CREDIT, {"customer": of["id"]}, 1_500, snapshot=snapshot)

    wanted = made(owner)
    return Setting(
        effects,
        wanted,
        lambda: _under_key(double, "balance_credit", wanted),
        made(abroad),
        "cannot combine currencies",
        {"customer.balance": 0, "customer.currency": "usd"},
    )


def _credit_note(effects: Effects, double: StripeDouble) -> Setting:
    billed = invoice()
    double.load([billed])

    def made(minor: int) -> Action:
        payload = {"invoice": billed["id"], "memo": "Outage", "how": "customer_balance"}
        return _given(ActionKind.STRIPE_CREDIT_NOTE, payload, minor, snapshot={"invoice.amount_remaining": 0})

    wanted = made(900)
    return Setting(
        effects,
        wanted,
        lambda: _under_key(double, "credit_note", wanted),
        made(4_901),
        "greater than what can still be credited",
        {"invoice.amount_remaining": 4_900},
    )


def _cancel_subscription(effects: Effects, double: StripeDouble) -> Setting:
    running, ended = subscription(), subscription(status="canceled")
    double.load([running, ended])

    def made(of: JsonObject) -> Action:
        payload = {"subscription": of["id"], "prorate": False}
        return action(ActionKind.STRIPE_CANCEL_SUBSCRIPTION, payload, snapshot={"subscription.status": ""})

    return Setting(
        effects,
        made(running),
        lambda: _count(double, "cancellation", "object", running["id"]),
        made(ended),
        "already cancelled",
        {"subscription.status": "active"},
    )


def _retry_invoice(effects: Effects, double: StripeDouble) -> Setting:
    billed = invoice()
    declined = invoice(default_payment_method="pm_card_visa_chargeDeclinedInsufficientFunds")
    double.load([billed, declined])

    def made(of: JsonObject) -> Action:
        snapshot: dict[str, Json] = {"invoice.status": "", "invoice.attempt_count": 9}
        return action(ActionKind.STRIPE_RETRY_INVOICE, {"invoice": of["id"]}, snapshot=snapshot)

    return Setting(
        effects,
        made(billed),
        lambda: _count(double, "invoice_payment", "object", billed["id"]),
        made(declined),
        "Your card has insufficient funds",
        {"invoice.status": "open", "invoice.attempt_count": 1},
    )


def _given(kind: ActionKind, payload: dict[str, Any], minor: int, **fields: Any) -> Action:
    return action(kind, payload, amount_minor=minor, currency="usd", **fields)


def _count(double: StripeDouble, kind: str, name: str, value: str) -> int:
    return sum(1 for effect in double.effects() if effect["kind"] == kind and effect[name] == value)


def _under_key(double: StripeDouble, kind: str, of: Action) -> int:
    """How often it happened whose target the double's list of effects does not name."""
    return _count(double, kind, "idempotency_key", context(of).idempotency_key)


STRIPE: dict[str, Callable[[Effects, StripeDouble], Setting]] = {
    "stripe_refund": _refund,
    "stripe_stage_evidence": lambda e, d: _on_dispute(ActionKind.STRIPE_STAGE_EVIDENCE, "staging", e, d),
    "stripe_submit_evidence": lambda e, d: _on_dispute(ActionKind.STRIPE_SUBMIT_EVIDENCE, "submission", e, d),
    "stripe_close_dispute": lambda e, d: _on_dispute(ActionKind.STRIPE_CLOSE_DISPUTE, "close", e, d),
    "stripe_balance_credit": _balance_credit,
    "stripe_credit_note": _credit_note,
    "stripe_cancel_subscription": _cancel_subscription,
    "stripe_retry_invoice": _retry_invoice,
}
