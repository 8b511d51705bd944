from __future__ import annotations

from typing import Any

import pytest
import stripe

from infra.effects import StripeEffects
from infra.fakes.stripe.process import StripeDouble
from shared.case.actions import Action, ActionKind
from shared.ports.effects import EffectRefused, EffectUnknown

from .actions import action, context
from .conftest import KEY
from .objects import JsonObject, charge, invoice, payment
from .server import Answer, Server, errs, says


def retry(id: str) -> Action:
    return action(ActionKind.STRIPE_RETRY_INVOICE, {"invoice": id})


def loaded(double: StripeDouble, **fields: Any) -> JsonObject:
    billed = invoice(**fields)
    double.load([billed])
    return billed


def at_stripe(double: StripeDouble) -> stripe.V1Services:
    return stripe.StripeClient(KEY, base_addresses={"api": double.url}, max_network_retries=0).v1


def happened(double: StripeDouble, billed: JsonObject) -> list[str]:
    return [effect["kind"] for effect in double.effects() if effect["object"] == billed["id"]]


def test_a_retry_that_is_paid_is_known_by_its_payment(double: StripeDouble, effects: StripeEffects) -> None:
    billed = loaded(double)
    wanted = retry(billed["id"])
    done = effects.perform(wanted, context(wanted))
    (made,) = at_stripe(double).invoice_payments.list({"invoice": billed["id"]}).data
    assert (done.external_ref, made.status) == (made.id, "paid")
    assert done.summary == f"invoice {billed['id']} is paid, 49.00 USD in all"
    assert not done.pending
    assert happened(double, billed) == ["invoice_payment"]


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ("pm_card_visa_chargeDeclinedInsufficientFunds", r"insufficient funds\. \(card_declined, insufficient_funds, "),
        ("pm_card_chargeDeclinedExpiredCard", r"has expired\. \(expired_card, req_"),
        ("pm_card_authenticationRequired", r"additional user action .*\(invoice_payment_intent_requires_action"),
    ],
)
def test_a_decline_is_refused_in_stripes_words(
    card: str, words: str, double: StripeDouble, effects: StripeEffects
) -> None:
    billed = loaded(double, default_payment_method=card)
    wanted = retry(billed["id"])
    with pytest.raises(EffectRefused, match=words):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None
    assert happened(double, billed) == ["invoice_attempt"]


def test_a_decline_whose_answer_was_lost_is_not_tried_on_the_card_again(
    double: StripeDouble, effects: StripeEffects
) -> None:
    billed = loaded(double, default_payment_method="pm_card_visa_chargeDeclined")
    wanted = retry(billed["id"])
    double.fault("timeout_after", method="POST", hold_s=0.0)
    with pytest.raises(EffectUnknown):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None
    with pytest.raises(EffectRefused, match="generic_decline"):
        effects.perform(wanted, context(wanted, attempt=2))
    assert happened(double, billed) == ["invoice_attempt"]


def test_an_invoice_that_is_paid_counts_as_done_whoever_paid_it(double: StripeDouble, effects: StripeEffects) -> None:
    billed = loaded(double)
    at_stripe(double).invoices.pay(billed["id"])
    wanted = retry(billed["id"])
    with pytest.raises(EffectRefused, match="already paid"):
        effects.perform(wanted, context(wanted))
    found = effects.look_up(wanted, context(wanted))
    assert found is not None
    assert found.external_ref.startswith("inpay_")
    assert found.summary == f"invoice {billed['id']} is paid, 49.00 USD in all; it cannot be told by whom"
    assert happened(double, billed) == ["invoice_payment"]


def test_the_latest_of_several_payments_is_the_reference(double: StripeDouble, effects: StripeEffects) -> None:
    billed, paid = loaded(double, status="paid", amount_paid=4_900), charge()
    early = {"canceled_at": None, "paid_at": 1_000}
    late = {"canceled_at": None, "paid_at": 2_000}
    (first, _), (second, _) = (payment(billed, paid, status_transitions=at) for at in (late, early))
    failed, _ = payment(billed, None, status="canceled")
    double.load([paid, first, second, failed])
    found = effects.look_up(retry(billed["id"]), context(retry(billed["id"])))
    assert found is not None
    assert found.external_ref == first["id"]


def test_an_invoice_settled_without_a_payment_is_its_own_reference(
    double: StripeDouble, effects: StripeEffects
) -> None:
    billed = loaded(double, status="paid")
    found = effects.look_up(retry(billed["id"]), context(retry(billed["id"])))
    assert found is not None
    assert found.external_ref == billed["id"]


def test_a_debit_that_takes_days_is_found_as_pending(double: StripeDouble, effects: StripeEffects) -> None:
    billed = loaded(double)
    made, intent = payment(billed, None)
    double.load([made, intent])
    found = effects.look_up(retry(billed["id"]), context(retry(billed["id"])))
    assert found is not None
    assert (found.external_ref, found.pending) == (made["id"], True)
    assert f"the payment of invoice {billed['id']} is pending" in found.summary


@pytest.mark.parametrize("status", ["draft", "void"])
def test_an_invoice_that_cannot_be_paid_is_refused(status: str, double: StripeDouble, effects: StripeEffects) -> None:
    wanted = retry(loaded(double, status=status)["id"])
    with pytest.raises(EffectRefused, match=f"This invoice is {status}"):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None


def test_an_unknown_invoice_is_refused_and_can_have_had_no_payment(effects: StripeEffects) -> None:
    wanted = retry("in_nowhere")
    with pytest.raises(EffectRefused, match="No such invoice"):
        effects.perform(wanted, context(wanted))
    assert effects.look_up(wanted, context(wanted)) is None


def test_without_an_invoice_nothing_is_sent(server: Server, failing: StripeEffects) -> None:
    wanted = retry("")
    with pytest.raises(EffectRefused, match="nothing was sent"):
        failing.perform(wanted, context(wanted))
    assert failing.look_up(wanted, context(wanted)) is None
    assert server.seen == []


def _open(intent_status: str | None) -> JsonObject:
    billed = {"id": "in_1", "object": "invoice", "status": "open", "currency": "usd"}
    if intent_status is None:
        return billed
    intent = {"id": "pi_1", "object": "payment_intent", "status": intent_status}
    made = {"id": "inpay_1", "object": "invoice_payment", "status": "open", "payment": {"payment_intent": intent}}
    return {**billed, "payments": {"object": "list", "data": [made], "has_more": False, "url": "/v1/invoice_payments"}}


def test_a_debit_that_was_begun_is_pending(server: Server, failing: StripeEffects) -> None:
    server.answer = says(200, _open("processing"))
    wanted = retry("in_1")
    done = failing.perform(wanted, context(wanted))
    assert (done.external_ref, done.pending) == ("inpay_1", True)


@pytest.mark.parametrize("status", [None, "requires_payment_method"])
def test_an_answer_that_shows_no_payment_is_unknown(status: str | None, server: Server, failing: StripeEffects) -> None:
    server.answer = says(200, _open(status))
    wanted = retry("in_1")
    with pytest.raises(EffectUnknown, match="shows invoice in_1 as open and no payment"):
        failing.perform(wanted, context(wanted))


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (says(200, _open("requires_payment_method")), "as open and no payment"),
        (errs(500, "down"), "what became of it is not known"),
    ],
)
def test_a_repeated_answer_is_compared_with_how_it_is_now(
    now: Answer, words: str, server: Server, failing: StripeEffects
) -> None:
    begun = says(200, _open("processing"), Idempotent_Replayed="true")
    server.answer = lambda handler: (begun if handler.command == "POST" else now)(handler)
    wanted = retry("in_1")
    with pytest.raises(EffectUnknown, match=words):
        failing.perform(wanted, context(wanted))
