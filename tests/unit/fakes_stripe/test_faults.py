from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import stripe

from infra.fakes.stripe.process import DoubleFailed, StripeDouble

from .builders import JsonObject, charge
from .conftest import WRITE_KEY, connect, error_body
from .test_admin import call


@pytest.fixture(autouse=True)
def _without_leftovers(shared: StripeDouble) -> Iterator[None]:
    yield
    shared.clear_faults()


@pytest.fixture
def paid(shared: StripeDouble) -> JsonObject:
    """A charge of 100.00 USD at the double."""
    paid = charge()
    shared.load([paid])
    return paid


def refund(double: StripeDouble, paid: JsonObject, key: str) -> stripe.Refund:
    """Ten refunded of a charge, under a key of its own per charge."""
    return connect(double).v1.refunds.create(
        {"charge": paid["id"], "amount": 1000}, {"idempotency_key": f"{key} {paid['id']}"}
    )


def refunded(double: StripeDouble, paid: JsonObject) -> int:
    """What the charge shows as refunded, and the effects agree with."""
    shown = connect(double).v1.charges.retrieve(paid["id"]).amount_refunded
    assert shown == sum(effect["amount"] for effect in double.effects() if effect["charge"] == paid["id"])
    return shown


def test_a_timeout_before_the_effect_leaves_nothing_behind(shared: StripeDouble, paid: JsonObject) -> None:
    shared.fault("timeout_before", path="/v1/refunds", hold_s=0.0)
    with pytest.raises(stripe.APIConnectionError):
        refund(shared, paid, "a")
    assert refunded(shared, paid) == 0
    assert refund(shared, paid, "a").amount == 1000
    assert refunded(shared, paid) == 1000


def test_a_timeout_after_the_effect_is_found_again_by_its_key(shared: StripeDouble, paid: JsonObject) -> None:
    shared.fault("timeout_after", path="/v1/refunds", hold_s=0.0)
    with pytest.raises(stripe.APIConnectionError):
        refund(shared, paid, "b")
    assert refunded(shared, paid) == 1000
    told = connect(shared).v1.events.list({"limit": 2}).data
    assert [event.type for event in told] == ["charge.refunded", "refund.created"]
    again = refund(shared, paid, "b")
    assert again.last_response is not None
    assert {name.lower() for name in again.last_response.headers} >= {"idempotent-replayed"}
    assert refunded(shared, paid) == 1000


@pytest.mark.parametrize("kind", ["timeout_before", "timeout_after"])
def test_a_timeout_holds_the_connection_as_long_as_it_was_told(
    shared: StripeDouble, paid: JsonObject, kind: str
) -> None:
    shared.fault(kind, hold_s=0.15)
    started = time.monotonic()
    with pytest.raises(stripe.APIConnectionError):
        refund(shared, paid, "held")
    assert time.monotonic() - started >= 0.15


def test_a_client_that_gives_up_is_not_waited_for(shared: StripeDouble, paid: JsonObject) -> None:
    shared.fault("timeout_before", hold_s=60)
    impatient = stripe.StripeClient(
        WRITE_KEY,
        base_addresses={"api": shared.url},
        max_network_retries=0,
        http_client=stripe.RequestsClient(timeout=0.1),
    )
    with pytest.raises(stripe.APIConnectionError):
        impatient.v1.charges.retrieve(paid["id"])
    assert impatient.v1.charges.retrieve(paid["id"]).id == paid["id"]


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("409", 409, "lock_timeout"),
        ("lock_timeout", 429, "lock_timeout"),
        ("429", 429, "rate_limit"),
        ("500", 500, None),
    ],
)
def test_a_request_turned_away_has_no_effect_and_its_key_stays_free(
    shared: StripeDouble, paid: JsonObject, kind: str, status: int, code: str | None
) -> None:
    shared.fault(kind)
    with pytest.raises(stripe.StripeError) as error:
        refund(shared, paid, kind)
    assert (error.value.http_status, error_body(error.value).get("code")) == (status, code)
    headers = {name.lower(): value for name, value in (error.value.headers or {}).items()}
    assert ("stripe-rate-limited-reason" in headers) is (kind == "429")
    assert refunded(shared, paid) == 0
    assert refund(shared, paid, kind).amount == 1000


def test_a_500_after_the_effect_is_what_its_key_replays(shared: StripeDouble, paid: JsonObject) -> None:
    shared.fault("500_after", path="/v1/refunds")
    for replayed in (False, True):
        with pytest.raises(stripe.APIError) as error:
            refund(shared, paid, "c")
        headers = {name.lower() for name in error.value.headers or {}}
        assert (error.value.http_status, "idempotent-replayed" in headers) == (500, replayed)
    assert refunded(shared, paid) == 1000
    assert [item.amount for item in connect(shared).v1.refunds.list({"charge": paid["id"]}).data] == [1000]


def test_a_refusal_is_still_a_refusal_after_which_a_500_would_have_come(shared: StripeDouble, paid: JsonObject) -> None:
    shared.fault("500_after")
    with pytest.raises(stripe.InvalidRequestError):
        connect(shared).v1.refunds.create({"charge": paid["id"], "amount": 10_001})
    assert shared.faults() == []


def test_a_fault_happens_as_often_as_asked_to_the_requests_it_names(shared: StripeDouble, paid: JsonObject) -> None:
    client = connect(shared)
    shared.fault("500", method="POST", path=r"^/v1/disputes/[^/]+/close$", times=2)
    shared.fault("429", method="GET", path="/v1/charges/", times=1)
    assert [(rule["kind"], rule["left"]) for rule in shared.faults()] == [("500", 2), ("429", 1)]
    client.v1.charges.list()
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.disputes.retrieve("du_none")
    with pytest.raises(stripe.RateLimitError):
        client.v1.charges.retrieve(paid["id"])
    assert client.v1.charges.retrieve(paid["id"]).id == paid["id"]
    for _ in range(2):
        with pytest.raises(stripe.APIError):
            client.v1.disputes.close("du_none")
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.disputes.close("du_none")
    made = [(request["path"], request["status"], request["fault"]) for request in shared.requests()]
    assert made[-3:] == [
        ("/v1/disputes/du_none/close", 500, "500"),
        ("/v1/disputes/du_none/close", 500, "500"),
        ("/v1/disputes/du_none/close", 404, None),
    ]


def test_faults_can_be_called_off(shared: StripeDouble, paid: JsonObject) -> None:
    shared.fault("500", times=3)
    shared.fault("429")
    assert shared.clear_faults() == 2
    assert connect(shared).v1.charges.retrieve(paid["id"]).id == paid["id"]
    shared.fault("500")
    assert call(shared, "POST", "/_double/faults/clear", "{}") == (200, {"cleared": 1})
    rules = '{"faults": [{"kind": "500"}, {"kind": "429", "times": 2}]}'
    assert [rule["left"] for rule in call(shared, "POST", "/_double/faults", rules)[1]["faults"]] == [1, 2]


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "flood"},
        {"kind": "500", "times": 0},
        {"kind": "500", "path": "^/v1/("},
        {"kind": "timeout_after", "hold_s": -1},
    ],
)
def test_a_fault_that_makes_no_sense_is_refused(shared: StripeDouble, wrong: dict[str, object]) -> None:
    with pytest.raises(DoubleFailed):
        shared.fault(**wrong)  # type: ignore[arg-type]
    assert call(shared, "POST", "/_double/faults", '{"kind": "500", "colour": "red"}')[0] == 400
    assert call(shared, "POST", "/_double/faults", '{"kind": "500", "method": 1}')[0] == 400
    assert shared.faults() == []
