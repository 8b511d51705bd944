from __future__ import annotations

from pathlib import Path

import pytest
import stripe

from infra.fakes.stripe.process import DoubleFailed, StripeDouble

from .builders import START, charge, chargeback
from .conftest import connect, start
from .receiver import SECRET, Receiver


def test_events_are_posted_signed_and_in_order(double: StripeDouble, receiver: Receiver) -> None:
    paid = charge()
    dispute = chargeback(paid)
    double.load([paid, dispute])
    double.register_webhook(receiver.url, SECRET)
    client = connect(double)
    client.v1.disputes.close(dispute["id"], None, {"idempotency_key": "close-1"})
    posted = receiver.next()
    event = posted.event()
    assert (event.type, event.data.object["status"], event.created) == ("charge.dispute.closed", "lost", START)
    assert event.request is not None
    assert event.request.idempotency_key == "close-1"
    assert client.v1.events.retrieve(event.id).to_dict() == event.to_dict()
    with pytest.raises(stripe.SignatureVerificationError):
        posted.event("whsec_other")
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(posted.body + b" ", posted.signature, SECRET)


def test_a_refund_is_told_before_its_charge(double: StripeDouble, receiver: Receiver) -> None:
    paid = charge()
    double.load([paid])
    double.register_webhook(receiver.url, SECRET)
    connect(double).v1.refunds.create({"charge": paid["id"]})
    assert receiver.types(2) == ["refund.created", "charge.refunded"]


def test_what_is_not_accepted_is_posted_again(double: StripeDouble, receiver: Receiver) -> None:
    receiver.answers.extend([500, 301])
    double.register_webhook(receiver.url, SECRET, events=["customer.created"])
    connect(double).v1.customers.create({"email": "a@example.com"})
    posted = [receiver.next() for _ in range(3)]
    assert len({item.event().id for item in posted}) == 1
    assert len({item.body for item in posted}) == 1
    # The next event is delivered only after the acceptance of this one has been written down.
    connect(double).v1.customers.create({"email": "b@example.com"})
    receiver.next()
    assert double.deliveries()["deliveries"][0] == {
        "event": posted[0].event().id,
        "type": "customer.created",
        "url": receiver.url,
        "attempts": 3,
        "last_status": 200,
        "delivered": True,
    }


def test_an_endpoint_gets_the_types_it_asked_for(double: StripeDouble, receiver: Receiver) -> None:
    paid = charge()
    double.load([paid])
    double.register_webhook(receiver.url, SECRET, events=["charge.refunded"])
    connect(double).v1.refunds.create({"charge": paid["id"]})
    assert receiver.types(1) == ["charge.refunded"]
    assert len(double.deliveries()["deliveries"]) == 1


def test_while_a_secret_is_rolled_both_verify(double: StripeDouble, receiver: Receiver) -> None:
    double.register_webhook(receiver.url, SECRET, "whsec_second")
    connect(double).v1.customers.create({"email": "a@example.com"})
    posted = receiver.next()
    assert posted.event(SECRET).id == posted.event("whsec_second").id


def test_an_endpoint_without_a_secret_is_refused(double: StripeDouble) -> None:
    with pytest.raises(DoubleFailed, match="needs"):
        double.register_webhook("http://127.0.0.1:1/")


def test_a_pending_delivery_survives_a_crash(tmp_path: Path, receiver: Receiver) -> None:
    with start(tmp_path / "state.db") as double:
        # Port 1 of the loopback address refuses at once.
        double.register_webhook("http://127.0.0.1:1/", SECRET)
        customer = connect(double).v1.customers.create({"email": "a@example.com"})
        assert double.deliveries()["pending"] == 1
        double.kill()
    with start(tmp_path / "state.db") as double:
        assert double.deliveries()["pending"] == 1
        double.register_webhook(receiver.url, SECRET)
        connect(double).v1.customers.create({"email": "b@example.com"})
        assert receiver.next().event().data.object["email"] == "b@example.com"
        kept = connect(double).v1.events.list({"type": "customer.created"}).data[-1]
        assert kept.data.object["id"] == customer.id


def test_a_receiver_that_comes_back_after_the_crash_gets_the_event(tmp_path: Path) -> None:
    with Receiver() as first:
        first.answers.extend([503] * 50)
        with start(tmp_path / "state.db") as double:
            double.register_webhook(first.url, SECRET)
            connect(double).v1.customers.create({"email": "a@example.com"})
            refused = first.next().event().id
            double.kill()
        first.answers.clear()
        while first.posted.qsize():
            first.next()
        with start(tmp_path / "state.db"):
            assert first.next().event().id == refused
