"""Webhooks as the world may treat them: twice, out of order, late, never."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from infra.fakes.stripe.process import DoubleFailed, StripeDouble
from infra.fakes.stripe.settings import Webhooks

from .builders import DAY, START, charge, event
from .conftest import connect
from .receiver import SECRET, Receiver


@pytest.fixture(scope="module")
def listening() -> Iterator[Receiver]:
    """One endpoint for the module, registered with its double."""
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(autouse=True)
def _as_usual(shared: StripeDouble, listening: Receiver) -> Iterator[None]:
    shared.register_webhook(listening.url, SECRET)
    yield
    shared.configure(webhooks={})
    assert shared.flush()
    while listening.posted.qsize():
        listening.next()


def create(double: StripeDouble, number: int) -> list[str]:
    """Customers created one after the other; their ids."""
    client = connect(double)
    return [client.v1.customers.create({"email": f"{place}@example.com"}).id for place in range(number)]


def test_every_event_can_be_delivered_several_times(shared: StripeDouble, listening: Receiver) -> None:
    shared.configure(webhooks={"duplicate": 3})
    made = create(shared, 2)
    posted = [listening.next() for _ in range(6)]
    assert Counter(item.event().data.object["id"] for item in posted) == dict.fromkeys(made, 3)
    assert len({item.body for item in posted}) == 2
    assert len({event.id for event in connect(shared).v1.events.list({"limit": 2}).data}) == 2


def test_what_is_held_back_arrives_in_its_order_once_let_go(shared: StripeDouble, listening: Receiver) -> None:
    shared.configure(webhooks={"hold": True})
    made = create(shared, 3)
    assert (shared.deliveries()["pending"], listening.posted.qsize()) == (3, 0)
    shared.configure(webhooks={"hold": False})
    assert [listening.next().event().data.object["id"] for _ in range(3)] == made


def test_what_is_pending_together_can_arrive_shuffled(shared: StripeDouble, listening: Receiver) -> None:
    shared.configure(webhooks={"hold": True, "shuffle": 7, "duplicate": 2})
    made = create(shared, 6)
    shared.configure(webhooks={})
    arrived = [listening.next().event().data.object["id"] for _ in range(12)]
    assert Counter(arrived) == dict.fromkeys(made, 2)
    assert arrived != sorted(arrived, key=made.index)
    assert arrived not in (made * 2, made[::-1] * 2)


def test_the_order_depends_on_the_seed_alone() -> None:
    def order(seed: int) -> list[int]:
        webhooks = Webhooks(shuffle=seed)
        return sorted(range(20), key=lambda number: webhooks.place(f"evt_{number}", 1, 0))

    assert order(1) == order(1) != order(2)
    assert {Webhooks().place(f"evt_{number}", 1, 0) for number in range(20)} == {0.0}


def test_an_outcome_can_come_without_a_webhook(shared: StripeDouble, listening: Receiver) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    shared.configure(webhooks={"drop": ["refund.created", "payout.failed"]})
    client.v1.refunds.create({"charge": paid["id"]})
    shared.script(event("payout.failed", {"object": "payout", "id": "po_1"}, START))
    assert shared.flush()
    assert (listening.types(1), listening.posted.qsize()) == (["charge.refunded"], 0)
    told = client.v1.events.list({"types": ["refund.created", "payout.failed"]}).data
    assert [item.type for item in told] == ["payout.failed", "refund.created"]


def test_a_refund_that_fails_days_later_is_told_and_its_money_is_back(double: StripeDouble, receiver: Receiver) -> None:
    client, paid = connect(double), charge()
    double.load([paid])
    double.register_webhook(receiver.url, SECRET)
    double.configure(refunds={paid["id"]: "fails"}, refund_days=4)
    made = client.v1.refunds.create({"charge": paid["id"], "amount": 4000})
    assert receiver.types(2) == ["refund.created", "charge.refunded"]
    assert double.clock()["next_at"] == START + 4 * DAY
    double.set_clock(START + 4 * DAY)
    late = [receiver.next().event() for _ in range(3)]
    assert [item.type for item in late] == ["refund.updated", "charge.refund.updated", "refund.failed"]
    assert {item.data.object["status"] for item in late} == {"failed"}
    assert late[0].data.to_dict()["previous_attributes"]["status"] == "succeeded"
    booked = client.v1.balance_transactions.list({"source": made.id}).data
    assert [entry.amount for entry in booked] == [4000, -4000]
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"colour": "red"},
        {"duplicate": 0},
        {"duplicate": True},
        {"shuffle": "x"},
        {"hold": 1},
        {"drop": "refund.created"},
        {"drop": [1]},
    ],
)
def test_a_way_of_delivering_that_makes_no_sense_is_refused(shared: StripeDouble, wrong: dict[str, object]) -> None:
    with pytest.raises(DoubleFailed, match="webhooks"):
        shared.configure(webhooks=wrong)
