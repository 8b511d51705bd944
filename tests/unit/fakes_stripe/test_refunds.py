from __future__ import annotations

from typing import cast

import pytest
import stripe

from infra.fakes.stripe.process import StripeDouble

from .builders import DAY, START, charge, chargeback, inquiry, intent, warning
from .conftest import connect, error_body


def refused(error: pytest.ExceptionInfo[stripe.StripeError]) -> tuple[int | None, str | None, str | None]:
    """Status, code and parameter of a refusal."""
    return error.value.http_status, error_body(error.value).get("code"), error_body(error.value).get("param")


def test_a_partial_refund_is_booked_on_the_charge_and_told_in_order(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge(customer="cus_1")
    shared.load([paid])
    refund = client.v1.refunds.create({"charge": paid["id"], "amount": 2000, "metadata": {"case": "c1"}})
    assert (refund.status, refund.amount, refund.currency, refund.customer) == ("succeeded", 2000, "usd", "cus_1")
    after = client.v1.charges.retrieve(paid["id"])
    assert (after.amount_refunded, after.refunded) == (2000, False)
    assert isinstance(refund.balance_transaction, str)
    money = client.v1.balance_transactions.retrieve(refund.balance_transaction)
    assert (money.amount, money.net, money.fee, money.type) == (-2000, -2000, 0, "refund")
    told, created = client.v1.events.list({"limit": 2}).data
    assert (created.type, told.type) == ("refund.created", "charge.refunded")
    assert told.data.object["amount_refunded"] == 2000


def test_a_refund_without_an_amount_takes_what_is_left(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    client.v1.refunds.create({"charge": paid["id"], "amount": 2500})
    assert client.v1.refunds.create({"charge": paid["id"]}).amount == 7500
    assert client.v1.charges.retrieve(paid["id"]).refunded is True


def test_a_refund_by_payment_intent_finds_the_charge(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([intent(paid), paid])
    refund = client.v1.refunds.create({"payment_intent": paid["payment_intent"], "amount": 100})
    assert (refund.charge, refund.payment_intent) == (paid["id"], paid["payment_intent"])


def test_more_than_what_is_left_is_refused_naming_the_amount(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    client.v1.refunds.create({"charge": paid["id"], "amount": 6000})
    with pytest.raises(stripe.InvalidRequestError, match=r"\(\$50.00\) is greater .* \(\$40.00\)") as error:
        client.v1.refunds.create({"charge": paid["id"], "amount": 5000})
    assert refused(error) == (400, None, "amount")


def test_a_fully_refunded_charge_is_refused(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    client.v1.refunds.create({"charge": paid["id"]})
    with pytest.raises(stripe.InvalidRequestError) as error:
        client.v1.refunds.create({"charge": paid["id"], "amount": 1})
    assert refused(error) == (400, "charge_already_refunded", None)


@pytest.mark.parametrize("status", ["needs_response", "under_review", "lost"])
def test_a_charged_back_charge_is_refused(shared: StripeDouble, status: str) -> None:
    client, paid = connect(shared), charge()
    dispute = chargeback(paid, status=status)
    shared.load([paid, dispute])
    with pytest.raises(stripe.InvalidRequestError, match="has been charged back") as error:
        client.v1.refunds.create({"charge": paid["id"], "amount": 100})
    assert refused(error) == (400, "charge_disputed", None)
    assert client.v1.disputes.retrieve(dispute["id"]).is_charge_refundable is False


@pytest.mark.parametrize("status", ["warning_needs_response", "warning_under_review", "warning_closed", "won"])
def test_an_inquiry_or_a_won_dispute_leaves_the_charge_refundable(shared: StripeDouble, status: str) -> None:
    client, paid = connect(shared), charge()
    dispute = inquiry(paid, status=status)
    shared.load([paid, dispute])
    assert client.v1.disputes.retrieve(dispute["id"]).is_charge_refundable is True
    assert client.v1.refunds.create({"charge": paid["id"], "amount": 100}).status == "succeeded"
    assert client.v1.charges.retrieve(paid["id"]).disputed is True


@pytest.mark.parametrize("amount", [0, -5])
def test_an_amount_below_one_is_refused(shared: StripeDouble, amount: int) -> None:
    paid = charge()
    shared.load([paid])
    with pytest.raises(stripe.InvalidRequestError) as error:
        connect(shared).v1.refunds.create({"charge": paid["id"], "amount": amount})
    assert refused(error) == (400, "parameter_invalid_integer", "amount")


def test_neither_charge_nor_intent_is_refused(shared: StripeDouble) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="payment_intent or charge") as error:
        connect(shared).v1.refunds.create({"amount": 100})
    assert refused(error) == (400, None, None)


def test_an_unknown_charge_is_not_found(shared: StripeDouble) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="No such charge: 'ch_none'") as error:
        connect(shared).v1.refunds.create({"charge": "ch_none"})
    assert refused(error) == (404, "resource_missing", "id")


def test_an_uncaptured_charge_is_refused(shared: StripeDouble) -> None:
    paid = charge(captured=False)
    shared.load([paid])
    with pytest.raises(stripe.InvalidRequestError) as error:
        connect(shared).v1.refunds.create({"charge": paid["id"]})
    assert refused(error) == (400, None, None)


def test_a_failed_charge_is_refused(shared: StripeDouble) -> None:
    paid = charge(status="failed", paid=False)
    shared.load([intent(paid), paid])
    with pytest.raises(stripe.InvalidRequestError, match="does not have a successful charge") as error:
        connect(shared).v1.refunds.create({"payment_intent": paid["payment_intent"]})
    assert refused(error) == (400, None, None)


def test_an_unknown_reason_or_parameter_is_refused(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    with pytest.raises(stripe.InvalidRequestError, match="must be one of duplicate, fraudulent") as error:
        client.v1.refunds.create(cast(stripe.params.RefundCreateParams, {"charge": paid["id"], "reason": "goodwill"}))
    assert refused(error) == (400, None, "reason")
    unknown = cast(stripe.params.RefundCreateParams, {"charge": paid["id"], "colour": "red"})
    with pytest.raises(stripe.InvalidRequestError) as error:
        client.v1.refunds.create(unknown)
    assert refused(error) == (400, "parameter_unknown", "colour")
    assert client.v1.refunds.list({"charge": paid["id"]}).data == []


def test_yen_have_no_minor_units(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge(amount=9899, currency="jpy")
    shared.load([paid])
    assert client.v1.refunds.create({"charge": paid["id"], "amount": 5800}).amount == 5800
    with pytest.raises(stripe.InvalidRequestError, match=r"\(¥5,000\) is greater .* \(¥4,099\)"):
        client.v1.refunds.create({"charge": paid["id"], "amount": 5000})


def test_a_refund_settles_at_the_rate_of_its_charge(shared: StripeDouble) -> None:
    client = connect(shared)
    settled = {
        "object": "balance_transaction",
        "id": "txn_eur",
        "amount": 10_800,
        "currency": "usd",
        "fee": 343,
        "net": 10_457,
        "type": "charge",
    }
    paid = charge(currency="eur", balance_transaction=settled)
    shared.load([paid])
    refund = client.v1.refunds.create({"charge": paid["id"], "amount": 2500}, {"stripe_version": "2026-08-26.dahlia"})
    assert isinstance(refund.balance_transaction, str)
    money = client.v1.balance_transactions.retrieve(refund.balance_transaction)
    assert (refund.currency, money.amount, money.currency) == ("eur", -2700, "usd")


def test_metadata_of_a_refund_can_be_merged_and_removed(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    refund = client.v1.refunds.create({"charge": paid["id"], "metadata": {"case": "c1", "action": "a1"}})
    updated = client.v1.refunds.update(refund.id, {"metadata": {"action": "", "note": "n"}})
    assert updated.metadata is not None
    assert updated.metadata.to_dict() == {"case": "c1", "note": "n"}
    assert client.v1.events.list({"type": "refund.updated", "limit": 1}).data[0].data.object["id"] == refund.id


def test_a_full_refund_closes_an_inquiry_and_a_partial_one_does_not(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    dispute = inquiry(paid)
    shared.load([paid, dispute])
    client.v1.refunds.create({"charge": paid["id"], "amount": 9999})
    assert client.v1.disputes.retrieve(dispute["id"]).status == "warning_needs_response"
    client.v1.refunds.create({"charge": paid["id"]})
    closed = client.v1.disputes.retrieve(dispute["id"])
    assert (closed.status, closed.is_charge_refundable, closed.balance_transactions) == ("warning_closed", False, [])
    types = [event.type for event in client.v1.events.list({"limit": 3}).data]
    assert types == ["charge.dispute.closed", "charge.refunded", "refund.created"]


def test_a_full_refund_settles_an_early_fraud_warning(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    early = warning(paid)
    shared.load([paid, early])
    client.v1.refunds.create({"charge": paid["id"]})
    assert client.v1.radar.early_fraud_warnings.retrieve(early["id"]).actionable is False
    told = client.v1.events.list({"type": "radar.early_fraud_warning.updated"}).data[0]
    assert told.data.object["id"] == early["id"]
    assert told.data.to_dict()["previous_attributes"] == {"actionable": True}


def test_a_pending_refund_settles_later_and_counts_at_once(double: StripeDouble) -> None:
    client, paid = connect(double), charge(payment_method="pm_card_pendingRefund")
    double.load([paid])
    refund = client.v1.refunds.create({"charge": paid["id"], "amount": 6000})
    assert (refund.status, refund.pending_reason, refund.balance_transaction) == ("pending", "processing", None)
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 0
    with pytest.raises(stripe.InvalidRequestError, match=r"\(\$40.00\)$"):
        client.v1.refunds.create({"charge": paid["id"], "amount": 6000})
    assert double.clock()["next_at"] == START + 5 * DAY
    assert double.set_clock(START + 5 * DAY)["fired"] == 1
    assert client.v1.refunds.retrieve(refund.id).status == "succeeded"
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 6000
    types = [event.type for event in client.v1.events.list().data]
    assert types == ["charge.refunded", "charge.refund.updated", "refund.updated", "refund.created"]


def test_a_refund_can_fail_days_after_it_succeeded(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    double.load([paid])
    double.configure(refunds={paid["id"]: "fails"}, refund_failure="expired_or_canceled_card")
    refund = client.v1.refunds.create({"charge": paid["id"]})
    assert refund.status == "succeeded"
    double.set_clock(START + 5 * DAY)
    failed = client.v1.refunds.retrieve(refund.id)
    assert (failed.status, failed.failure_reason) == ("failed", "expired_or_canceled_card")
    after = client.v1.charges.retrieve(paid["id"])
    assert (after.amount_refunded, after.refunded) == (0, False)
    assert isinstance(failed.failure_balance_transaction, str)
    assert client.v1.balance_transactions.retrieve(failed.failure_balance_transaction).amount == 10_000
    assert client.v1.events.list({"limit": 1}).data[0].type == "refund.failed"
    assert client.v1.refunds.create({"charge": paid["id"]}).amount == 10_000


def test_a_refund_that_is_pending_when_its_inquiry_escalates_fails(double: StripeDouble) -> None:
    client, paid = connect(double), charge(payment_method="pm_card_pendingRefund")
    dispute = inquiry(paid, evidence_details={"due_by": START + DAY})
    double.load([paid, dispute])
    refund = client.v1.refunds.create({"charge": paid["id"], "amount": 2000})
    double.set_clock(START + DAY)
    assert client.v1.disputes.retrieve(dispute["id"]).status == "needs_response"
    failed = client.v1.refunds.retrieve(refund.id)
    assert (failed.status, failed.failure_reason) == ("failed", "charge_for_pending_refund_disputed")
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 0
