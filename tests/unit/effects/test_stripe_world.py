from __future__ import annotations

import pytest

from infra.effects import StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import ActionKind

from .actions import action, refund
from .objects import charge, dispute


def refundable(effects: StripeEffects, id: str, currency: str = "usd") -> object:
    return effects.observe(refund(id, currency=currency), "acme").get("refundable_minor")


def test_the_fields_of_the_snapshot_are_read_again(double: StripeDouble, effects: StripeEffects) -> None:
    made = charge(customer="cus_1")
    disputed = dispute(made)
    double.load([made, disputed])
    snapshot = {
        "dispute.status": "?",
        "dispute.amount": 0,
        "dispute.currency": "?",
        "dispute.reason": "?",
        "dispute.submission_count": 7,
        "dispute.has_evidence": True,
        "dispute.due_by": 0,
        "dispute.charge": "?",
        "dispute.network_reason_code": "?",
        "dispute.brand": "?",
        "charge.amount": 0,
        "charge.amount_captured": 0,
        "charge.currency": "?",
        "charge.customer": "?",
        "charge.refunded": True,
        "charge.payment_intent": "?",
    }
    payload = {"dispute": disputed["id"], "charge": made["id"]}
    world = effects.observe(action(ActionKind.STRIPE_SUBMIT_EVIDENCE, payload, snapshot=snapshot), "acme")
    assert world == {
        "dispute.status": "needs_response",
        "dispute.amount": 10_000,
        "dispute.currency": "usd",
        "dispute.reason": "product_not_received",
        "dispute.submission_count": 0,
        "dispute.has_evidence": False,
        "dispute.due_by": 1_789_000_000,
        "dispute.charge": made["id"],
        "dispute.network_reason_code": "13.1",
        "dispute.brand": "visa",
        "charge.amount": 10_000,
        "charge.amount_captured": 10_000,
        "charge.currency": "usd",
        "charge.customer": "cus_1",
        "charge.refunded": False,
        "charge.payment_intent": None,
    }


def test_what_is_not_there_or_means_nothing_is_left_out(double: StripeDouble, effects: StripeEffects) -> None:
    made = charge()
    double.load([made])
    snapshot = {"dispute.status": "lost", "charge.colour": "red", "customer.id": "cus_1", "charge.currency": "usd"}
    payload = {"dispute": "du_nowhere", "charge": made["id"]}
    world = effects.observe(action(ActionKind.STRIPE_CLOSE_DISPUTE, payload, snapshot=snapshot), "acme")
    assert world == {"charge.currency": "usd"}


def test_what_is_captured_and_not_refunded_can_be_refunded(double: StripeDouble, effects: StripeEffects) -> None:
    made = charge(amount_captured=9_000, amount_refunded=2_500)
    double.load([made])
    assert refundable(effects, made["id"]) == 6_500


@pytest.mark.parametrize(
    ("status", "left"),
    [
        ("needs_response", 0),
        ("under_review", 0),
        ("lost", 0),
        ("prevented", 0),
        ("won", 10_000),
        ("warning_needs_response", 10_000),
        ("warning_under_review", 10_000),
        ("warning_closed", 10_000),
    ],
)
def test_a_chargeback_keeps_the_charge_an_inquiry_does_not(
    status: str, left: int, double: StripeDouble, effects: StripeEffects
) -> None:
    made = charge()
    double.load([made, dispute(made, status)])
    assert refundable(effects, made["id"]) == left


def test_one_open_chargeback_among_several_disputes_is_enough(double: StripeDouble, effects: StripeEffects) -> None:
    made = charge()
    double.load([made, dispute(made, "won"), dispute(made, "needs_response")])
    assert refundable(effects, made["id"]) == 0


def test_nothing_can_be_refunded_in_another_currency(double: StripeDouble, effects: StripeEffects) -> None:
    made = charge(currency="jpy")
    double.load([made])
    assert refundable(effects, made["id"], "usd") == 0
    assert refundable(effects, made["id"], "jpy") == 10_000


def test_an_unknown_charge_has_nothing_to_say(effects: StripeEffects) -> None:
    assert effects.observe(refund("ch_nowhere", snapshot={"charge.currency": "usd"}), "acme") == {}
