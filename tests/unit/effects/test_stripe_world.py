from __future__ import annotations

import pytest

from infra.effects import StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import ActionKind

from .actions import action, refund
from .objects import charge, customer, dispute, invoice, subscription, warning
from .server import Server, says


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


def test_invoice_subscription_customer_and_warning_are_read_too(double: StripeDouble, effects: StripeEffects) -> None:
    paid, owner, running = charge(), customer(balance=-500), subscription()
    parent = {"type": "subscription_details", "subscription_details": {"subscription": running["id"]}}
    billed, flagged = invoice(customer=owner["id"], parent=parent), warning(paid)
    double.load([paid, owner, running, billed, flagged])
    objects = {"invoice": billed, "subscription": running, "customer": owner, "warning": flagged}
    expected = {
        "invoice.status": "open",
        "invoice.amount_remaining": 4_900,
        "invoice.next_payment_attempt": None,
        "invoice.customer": owner["id"],
        "invoice.subscription": running["id"],
        "subscription.status": "active",
        "subscription.cancel_at_period_end": False,
        "customer.balance": -500,
        "customer.currency": "usd",
        "warning.actionable": True,
        "warning.charge": paid["id"],
    }
    payload = {name: item["id"] for name, item in objects.items()}
    observed = action(ActionKind.TICKET, payload, snapshot=dict.fromkeys(expected))
    assert effects.observe(observed, "acme") == expected


def test_a_warning_that_became_a_dispute_is_no_longer_actionable(double: StripeDouble, effects: StripeEffects) -> None:
    paid = charge()
    flagged = warning(paid)
    double.load([paid, flagged])
    payload = {"warning": flagged["id"]}
    wanted = refund(paid["id"], payload=payload, snapshot={"warning.actionable": True})
    assert effects.observe(wanted, "acme") == {"warning.actionable": True, "refundable_minor": 10_000}
    double.load([dispute(paid)])
    assert effects.observe(wanted, "acme") == {"warning.actionable": False, "refundable_minor": 0}


def test_only_what_the_snapshot_asks_about_is_read(server: Server, failing: StripeEffects) -> None:
    owner = {"id": "cus_1", "object": "customer"}
    server.answer = says(200, {"id": "in_1", "object": "invoice", "status": "open", "customer": owner})
    payload = {"invoice": "in_1", "customer": "cus_1", "subscription": "sub_1", "charge": "ch_1"}
    wanted = action(ActionKind.STRIPE_RETRY_INVOICE, payload, snapshot={"invoice.status": "", "invoice.customer": ""})
    assert failing.observe(wanted, "acme") == {"invoice.status": "open", "invoice.customer": "cus_1"}
    assert [request["path"] for request in server.seen] == ["/v1/invoices/in_1"]


def test_what_is_not_there_or_means_nothing_is_left_out(double: StripeDouble, effects: StripeEffects) -> None:
    made = charge()
    double.load([made])
    snapshot = {
        "dispute.status": "lost",
        "charge.colour": "red",
        "customer.id": "cus_1",
        "planet.id": "x",
        "charge.currency": "usd",
    }
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
