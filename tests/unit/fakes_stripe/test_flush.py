"""A world waits until Stripe has said everything it had to say."""

from __future__ import annotations

from pathlib import Path

from infra.fakes.stripe.process import StripeDouble
from tests.unit.fakes_stripe.receiver import Receiver


def test_a_flush_returns_once_every_event_was_taken(tmp_path: Path) -> None:
    with Receiver() as receiver, StripeDouble.start(db=tmp_path / "stripe.db", now="2026-05-01") as double:
        double.register_webhook(receiver.url, "whsec_test")
        double.script(
            {"id": "evt_1", "type": "payout.paid", "created": 1, "data": {"object": {"id": "po_1", "object": "payout"}}}
        )
        assert double.flush()
        assert double.deliveries()["pending"] == 0


def test_a_flush_gives_up_on_a_receiver_that_refuses(tmp_path: Path) -> None:
    with StripeDouble.start(db=tmp_path / "stripe.db", now="2026-05-01") as double:
        double.register_webhook("http://127.0.0.1:9/", "whsec_test")
        double.script(
            {"id": "evt_1", "type": "payout.paid", "created": 1, "data": {"object": {"id": "po_1", "object": "payout"}}}
        )
        assert not double.flush()
