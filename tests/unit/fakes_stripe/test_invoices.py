from __future__ import annotations

from typing import cast

import pytest
import stripe

from infra.fakes.stripe.process import DoubleFailed, StripeDouble

from .builders import START, charge, intent, invoice, invoice_payment, subscription
from .conftest import connect, error_body


def types_since(client: stripe.StripeClient, last: str | None) -> list[str]:
    """The types of the events after `last`, oldest first."""
    params: stripe.params.EventListParams = {"limit": 100}
    if last is not None:
        params["ending_before"] = last
    return [str(event.type) for event in client.v1.events.list(params).data][::-1]


def last_event(client: stripe.StripeClient) -> str | None:
    """The id of the newest event."""
    return next((event.id for event in client.v1.events.list({"limit": 1}).data), None)


def test_a_retry_that_is_paid_settles_the_invoice_and_all_that_hangs_on_it(shared: StripeDouble) -> None:
    client = connect(shared)
    billed = invoice()
    late = subscription(status="past_due", latest_invoice=billed["id"])
    billed["parent"] = {"type": "subscription_details", "subscription_details": {"subscription": late["id"]}}
    attempt = {**intent(charge()), "latest_charge": None, "status": "requires_payment_method"}
    shared.load([billed, late, attempt, invoice_payment(billed, attempt["id"])])
    before = last_event(client)
    paid = client.v1.invoices.pay(billed["id"], {"payment_method": "pm_card_visa"}, {"idempotency_key": "retry"})
    assert (paid.status, paid.amount_paid, paid.amount_remaining) == ("paid", 4900, 0)
    assert (paid.attempt_count, paid.next_payment_attempt, paid.status_transitions.paid_at) == (1, None, START)
    settled = client.v1.payment_intents.retrieve(attempt["id"], {"expand": ["latest_charge"]})
    assert isinstance(settled.latest_charge, stripe.Charge)
    assert (settled.status, settled.latest_charge.amount, settled.latest_charge.paid) == ("succeeded", 4900, True)
    payment = client.v1.invoice_payments.list({"invoice": billed["id"]}).data[0]
    assert (payment.status, payment.amount_paid) == ("paid", 4900)
    assert client.v1.subscriptions.retrieve(late["id"]).status == "active"
    assert types_since(client, before) == [
        "charge.succeeded",
        "payment_intent.succeeded",
        "invoice_payment.paid",
        "invoice.updated",
        "invoice.paid",
        "invoice.payment_succeeded",
        "customer.subscription.updated",
    ]
    effect = shared.effects()[-1]
    assert (effect["kind"], effect["object"], effect["amount"]) == ("invoice_payment", billed["id"], 4900)
    assert effect["charge"] == settled.latest_charge.id


def test_a_retry_with_the_same_key_charges_once(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    for _ in range(2):
        client.v1.invoices.pay(billed["id"], None, {"idempotency_key": "once"})
    with pytest.raises(stripe.InvalidRequestError, match="Invoice is already paid") as error:
        client.v1.invoices.pay(billed["id"], None, {"idempotency_key": "twice"})
    assert (error.value.http_status, error.value.code) == (400, None)
    assert [effect["object"] for effect in shared.effects()].count(billed["id"]) == 1


def test_a_declined_retry_is_answered_as_a_card_error_and_leaves_its_marks(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice(attempt_count=0, attempted=False)
    shared.load([billed])
    shared.configure(invoices={billed["id"]: "insufficient_funds"})
    before = last_event(client)
    errors = []
    for _ in range(2):
        with pytest.raises(stripe.CardError, match="insufficient funds") as error:
            client.v1.invoices.pay(billed["id"], None, {"idempotency_key": f"declined {billed['id']}"})
        errors.append(error_body(error.value))
    assert errors[0] == errors[1]
    assert (error.value.http_status, errors[0]["code"], errors[0]["decline_code"]) == (
        402,
        "card_declined",
        "insufficient_funds",
    )
    failed = client.v1.charges.retrieve(errors[0]["charge"])
    assert (failed.status, failed.paid, failed.failure_code) == ("failed", False, "card_declined")
    tried = client.v1.payment_intents.retrieve(errors[0]["payment_intent"]["id"])
    assert tried.last_payment_error is not None
    assert (tried.status, tried.last_payment_error.decline_code) == ("requires_payment_method", "insufficient_funds")
    after = client.v1.invoices.retrieve(billed["id"])
    assert (after.status, after.attempted, after.attempt_count, after.amount_remaining) == ("open", True, 1, 4900)
    assert types_since(client, before) == [
        "payment_intent.created",
        "charge.failed",
        "payment_intent.payment_failed",
        "invoice.updated",
        "invoice.payment_failed",
    ]
    assert [effect["kind"] for effect in shared.effects() if effect["object"] == billed["id"]] == ["invoice_attempt"]


def test_a_later_attempt_by_hand_does_not_count_and_goes_through_the_same_intent(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice(attempt_count=2)
    shared.load([billed])
    shared.configure(invoices={billed["id"]: "generic_decline"})
    with pytest.raises(stripe.CardError):
        client.v1.invoices.pay(billed["id"])
    shared.configure(invoices={})
    assert client.v1.invoices.pay(billed["id"]).attempt_count == 2
    assert len(client.v1.invoice_payments.list({"invoice": billed["id"]}).data) == 1


def test_a_card_that_wants_authentication_needs_the_customer(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    before = last_event(client)
    with pytest.raises(stripe.CardError, match="additional user action") as error:
        client.v1.invoices.pay(billed["id"], {"payment_method": "pm_card_authenticationRequired"})
    assert error.value.code == "invoice_payment_intent_requires_action"
    assert error_body(error.value)["payment_intent"]["status"] == "requires_action"
    assert types_since(client, before)[-2:] == ["invoice.payment_action_required", "invoice.payment_failed"]


@pytest.mark.parametrize(("decline", "code"), [("expired_card", "expired_card"), ("lost_card", "card_declined")])
def test_a_decline_has_the_code_that_stripe_gives_it(shared: StripeDouble, decline: str, code: str) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    shared.configure(invoices={billed["id"]: decline})
    with pytest.raises(stripe.CardError) as error:
        client.v1.invoices.pay(billed["id"])
    assert (error.value.code, error_body(error.value)["decline_code"]) == (code, decline)


def test_the_card_tried_is_the_invoices_the_subscriptions_or_the_customers(shared: StripeDouble) -> None:
    client, broke = connect(shared), "pm_card_visa_chargeDeclinedInsufficientFunds"
    subscribed = subscription(default_payment_method=broke)
    place = {"type": "subscription_details", "subscription_details": {"subscription": subscribed["id"]}}
    owner = {"object": "customer", "id": "cus_broke", "invoice_settings": {"default_payment_method": broke}}
    shared.load([subscribed, owner])
    for fields in ({"default_payment_method": broke}, {"parent": place}, {"customer": "cus_broke"}):
        billed = invoice(**cast(dict[str, object], fields))
        shared.load([billed])
        with pytest.raises(stripe.CardError, match="insufficient funds"):
            client.v1.invoices.pay(billed["id"])
        assert client.v1.invoices.pay(billed["id"], {"payment_method": "pm_card_visa"}).status == "paid"


@pytest.mark.parametrize("status", ["draft", "void"])
def test_only_an_open_invoice_can_be_paid(shared: StripeDouble, status: str) -> None:
    billed = invoice(status=status)
    shared.load([billed])
    with pytest.raises(stripe.InvalidRequestError, match=status):
        connect(shared).v1.invoices.pay(billed["id"])


def test_an_unknown_invoice_is_not_found(shared: StripeDouble) -> None:
    with pytest.raises(stripe.InvalidRequestError) as error:
        connect(shared).v1.invoices.pay("in_none")
    assert (error.value.http_status, error.value.code) == (404, "resource_missing")


def test_an_invoice_given_up_can_still_be_paid(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    given_up = client.v1.invoices.mark_uncollectible(billed["id"])
    assert (given_up.status, given_up.next_payment_attempt) == ("uncollectible", None)
    assert given_up.status_transitions.marked_uncollectible_at == START
    assert client.v1.events.list({"type": "invoice.marked_uncollectible"}).data[0].data.object["id"] == billed["id"]
    with pytest.raises(stripe.InvalidRequestError, match="uncollectible"):
        client.v1.invoices.mark_uncollectible(billed["id"])
    assert client.v1.invoices.pay(billed["id"]).status == "paid"


def test_invoices_are_found_by_subscription_wherever_it_is_named(shared: StripeDouble) -> None:
    place = {"type": "subscription_details", "subscription_details": {"subscription": "sub_found"}}
    billed, older = invoice(parent=place), invoice(subscription="sub_found")
    shared.load([billed, older, invoice()])
    found = connect(shared).v1.invoices.list({"subscription": "sub_found", "status": "open"}).data
    assert {item.id for item in found} == {billed["id"], older["id"]}


def test_payments_are_found_by_invoice_and_by_intent_and_lead_to_both(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    through, billed = intent(paid), invoice(status="paid")
    payment = invoice_payment(billed, through["id"], status="paid")
    shared.load([paid, through, billed, payment])
    by_intent = client.v1.invoice_payments.list(
        {
            "payment": {"type": "payment_intent", "payment_intent": through["id"]},
            "expand": ["data.invoice", "data.payment.payment_intent.latest_charge"],
        }
    ).data
    assert [item.id for item in by_intent] == [payment["id"]]
    assert isinstance(by_intent[0].invoice, stripe.Invoice)
    assert isinstance(by_intent[0].payment.payment_intent, stripe.PaymentIntent)
    assert isinstance(by_intent[0].payment.payment_intent.latest_charge, stripe.Charge)
    whole = client.v1.invoices.retrieve(billed["id"], {"expand": ["payments.data.payment.payment_intent"]})
    assert whole.payments is not None
    assert isinstance(whole.payments.data[0].payment.payment_intent, stripe.PaymentIntent)
    with pytest.raises(stripe.InvalidRequestError, match=r"payment\[payment_record\]"):
        client.v1.invoice_payments.list({"payment": {"type": "payment_record", "payment_record": "pr_1"}})


def test_the_lines_of_an_invoice_are_paged_in_their_order(shared: StripeDouble) -> None:
    lines = [{"object": "line_item", "id": f"il_{number}", "amount": number} for number in range(5)]
    billed = invoice(lines={"object": "list", "data": lines, "has_more": False, "url": "/v1/invoices/x/lines"})
    shared.load([billed])
    listing = connect(shared).v1.invoices.line_items
    first = listing.list(billed["id"], {"limit": 2})
    assert ([line.amount for line in first.data], first.has_more) == ([0, 1], True)
    assert [line.amount for line in first.auto_paging_iter()] == [0, 1, 2, 3, 4]
    back = listing.list(billed["id"], {"limit": 2, "ending_before": "il_3"})
    assert ([line.amount for line in back.data], back.has_more) == ([1, 2], True)
    with pytest.raises(stripe.InvalidRequestError) as error:
        listing.list(billed["id"], {"starting_after": "il_9"})
    assert error.value.param == "starting_after"


def test_an_outcome_that_no_card_has_is_refused(shared: StripeDouble) -> None:
    with pytest.raises(DoubleFailed, match="insufficient_funds"):
        shared.configure(invoices={"in_1": "no_mood"})
