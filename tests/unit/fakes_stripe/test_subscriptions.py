from __future__ import annotations

import pytest
import stripe

from infra.fakes.stripe.process import StripeDouble

from .builders import DAY, START, event, invoice, subscription, warning
from .builders import charge as paid_charge
from .conftest import connect


def test_a_cancelled_subscription_ends_at_once(shared: StripeDouble) -> None:
    client, running = connect(shared), subscription()
    shared.load([running])
    ended = client.v1.subscriptions.cancel(
        running["id"], {"cancellation_details": {"comment": "repeat disputes", "feedback": "other"}}
    )
    assert (ended.status, ended.canceled_at, ended.ended_at) == ("canceled", START, START)
    assert ended.cancellation_details is not None
    assert ended.cancellation_details.reason == "cancellation_requested"
    assert ended.cancellation_details.comment == "repeat disputes"
    told = client.v1.events.list({"limit": 1}).data[0]
    assert (told.type, told.data.object["status"]) == ("customer.subscription.deleted", "canceled")
    assert client.v1.invoice_items.list({"customer": "cus_1"}).data == []
    effect = shared.effects()[-1]
    assert (effect["kind"], effect["object"], effect["amount"]) == ("cancellation", running["id"], 0)


def test_a_cancelled_subscription_is_not_there_to_be_cancelled_again(shared: StripeDouble) -> None:
    client, running = connect(shared), subscription()
    shared.load([running])
    client.v1.subscriptions.cancel(running["id"])
    with pytest.raises(stripe.InvalidRequestError, match="No such subscription") as error:
        client.v1.subscriptions.cancel(running["id"])
    assert (error.value.http_status, error.value.code) == (404, "resource_missing")
    assert [effect["object"] for effect in shared.effects()].count(running["id"]) == 1
    assert client.v1.subscriptions.retrieve(running["id"]).status == "canceled"
    with pytest.raises(stripe.InvalidRequestError, match="can only update its cancellation_details and metadata"):
        client.v1.subscriptions.update(running["id"], {"cancel_at_period_end": False})
    noted = client.v1.subscriptions.update(running["id"], {"metadata": {"case": "c1"}})
    assert noted.metadata.to_dict() == {"case": "c1"}


def test_prorating_credits_the_unused_time_as_a_pending_item(shared: StripeDouble) -> None:
    client, running = connect(shared), subscription(customer="cus_prorated")
    shared.load([running])
    client.v1.subscriptions.cancel(running["id"], {"prorate": True})
    item = client.v1.invoice_items.list({"customer": "cus_prorated"}).data[0]
    # 20 of 30 days of 2 x 15.00 are left.
    assert (item.amount, item.currency, item.proration, item.invoice) == (-2000, "usd", True, None)
    assert shared.effects()[-1]["amount"] == 2000
    types = [told.type for told in client.v1.events.list({"limit": 2}).data]
    assert types == ["customer.subscription.deleted", "invoiceitem.created"]


def test_what_the_double_cannot_do_at_a_cancellation_is_refused(shared: StripeDouble) -> None:
    client, running, shapeless = connect(shared), subscription(), subscription(items=None)
    shared.load([running, shapeless])
    with pytest.raises(stripe.InvalidRequestError, match="makes no invoice"):
        client.v1.subscriptions.cancel(running["id"], {"invoice_now": True})
    with pytest.raises(stripe.InvalidRequestError, match="no current period"):
        client.v1.subscriptions.cancel(shapeless["id"], {"prorate": True})
    assert client.v1.subscriptions.retrieve(running["id"]).status == "active"
    with pytest.raises(stripe.InvalidRequestError) as error:
        client.v1.subscriptions.update("sub_none", {"cancel_at_period_end": True})
    assert error.value.code == "resource_missing"


def test_subscriptions_of_a_customer_hide_the_cancelled_ones(shared: StripeDouble) -> None:
    client = connect(shared)
    running, ending = subscription(customer="cus_listed"), subscription(customer="cus_listed")
    shared.load([running, ending])
    client.v1.subscriptions.cancel(ending["id"])
    assert [item.id for item in client.v1.subscriptions.list({"customer": "cus_listed"}).data] == [running["id"]]
    cancelled = client.v1.subscriptions.list({"customer": "cus_listed", "status": "canceled"}).data
    assert [item.id for item in cancelled] == [ending["id"]]


def test_the_outside_world_catches_up_with_what_was_settled_here(double: StripeDouble) -> None:
    client = connect(double)
    ending, kept, billed, other = subscription(), subscription(), invoice(), invoice()
    double.load([ending, kept, billed, other])
    client.v1.subscriptions.update(kept["id"], {"cancel_at_period_end": True})
    called_off = client.v1.subscriptions.update(kept["id"], {"cancel_at_period_end": False})
    assert (called_off.cancel_at, called_off.canceled_at, double.clock()["next_at"]) == (None, None, None)

    planned = client.v1.subscriptions.update(ending["id"], {"cancel_at_period_end": True})
    assert (planned.status, planned.cancel_at, planned.cancel_at_period_end) == ("active", START + 20 * DAY, True)
    told = client.v1.events.list({"limit": 1}).data[0]
    assert told.type == "customer.subscription.updated"
    assert told.data.to_dict()["previous_attributes"]["cancel_at_period_end"] is False
    client.v1.invoices.pay(billed["id"])
    # A scripted failure that comes after our retry was paid does not undo it; one about another invoice counts.
    failures = [{**item, "attempt_count": 2, "status": "open"} for item in (billed, other)]
    early = paid_charge()
    flagged = {**warning(early), "created": START + DAY}
    double.load([early])
    double.script(
        *[event("invoice.payment_failed", failure, START + DAY) for failure in failures],
        event("radar.early_fraud_warning.created", flagged, START + DAY),
    )
    assert double.set_clock(START + DAY)["next_at"] == START + 20 * DAY
    assert client.v1.invoices.retrieve(billed["id"]).status == "paid"
    assert client.v1.invoices.retrieve(other["id"]).attempt_count == 2
    assert client.v1.radar.early_fraud_warnings.list({"charge": early["id"]}).data[0].actionable is True
    client.v1.refunds.create({"charge": early["id"]})
    assert client.v1.radar.early_fraud_warnings.list({"charge": early["id"]}).data[0].actionable is False
    double.set_clock(START + 20 * DAY)
    ended = client.v1.subscriptions.retrieve(ending["id"])
    assert (ended.status, ended.ended_at, ended.canceled_at) == ("canceled", START + 20 * DAY, START)
    assert client.v1.subscriptions.retrieve(kept["id"]).status == "active"
    assert client.v1.events.list({"limit": 1}).data[0].type == "customer.subscription.deleted"
