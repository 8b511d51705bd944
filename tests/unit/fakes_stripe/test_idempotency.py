from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import stripe

from infra.fakes.stripe import forms, idempotency
from infra.fakes.stripe.errors import Invalid, internal
from infra.fakes.stripe.process import StripeDouble
from infra.fakes.stripe.session import Session
from infra.fakes.stripe.store import Store
from infra.fakes.stripe.wire import JsonObject, Request, Response

from .builders import DAY, START, charge, chargeback
from .conftest import connect, error_body


def headers(response: stripe.StripeObject) -> dict[str, str]:
    assert response.last_response is not None
    return {name.lower(): value for name, value in response.last_response.headers.items()}


def test_the_first_result_is_replayed_to_the_byte(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    first = client.v1.refunds.create({"charge": paid["id"], "amount": 100}, {"idempotency_key": "same"})
    again = client.v1.refunds.create({"amount": 100, "charge": paid["id"]}, {"idempotency_key": "same"})
    assert first.last_response is not None
    assert again.last_response is not None
    assert again.last_response.body == first.last_response.body
    assert "idempotent-replayed" not in headers(first)
    assert headers(again)["idempotent-replayed"] == "true"
    assert headers(again)["original-request"] == headers(first)["request-id"] != headers(again)["request-id"]
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 100
    made = [request for request in shared.requests() if request["idempotency_key"] == "same"]
    assert [(request["status"], request["replayed"]) for request in made] == [(200, False), (200, True)]
    assert [effect["idempotency_key"] for effect in shared.effects() if effect["charge"] == paid["id"]] == ["same"]


def test_a_refusal_that_began_is_replayed_though_the_reason_is_gone(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    dispute = chargeback(paid)
    shared.load([paid, dispute])
    for _ in range(2):
        with pytest.raises(stripe.InvalidRequestError) as error:
            client.v1.refunds.create({"charge": paid["id"]}, {"idempotency_key": "refused"})
        assert error.value.code == "charge_disputed"
        shared.load([{**dispute, "status": "won"}])
    assert error.value.headers is not None
    assert error.value.headers["Idempotent-Replayed"] == "true"


def test_a_refusal_as_invalid_leaves_the_key_free(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.refunds.create({"charge": paid["id"], "amount": 0}, {"idempotency_key": "free"})
    assert client.v1.refunds.create({"charge": paid["id"], "amount": 5}, {"idempotency_key": "free"}).amount == 5


def test_the_same_key_with_other_parameters_is_refused(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    client.v1.refunds.create({"charge": paid["id"], "amount": 100}, {"idempotency_key": "taken"})
    with pytest.raises(stripe.IdempotencyError, match="same parameters") as error:
        client.v1.refunds.create({"charge": paid["id"], "amount": 101}, {"idempotency_key": "taken"})
    assert error.value.http_status == 400
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 100


def test_the_same_key_on_another_endpoint_is_refused(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    dispute = chargeback(charge())
    shared.load([paid, charge(id=dispute["charge"]), dispute])
    client.v1.refunds.create({"charge": paid["id"], "amount": 100}, {"idempotency_key": "elsewhere"})
    with pytest.raises(stripe.IdempotencyError, match="same endpoint") as error:
        client.v1.disputes.close(dispute["id"], None, {"idempotency_key": "elsewhere"})
    assert error.value.http_status == 400
    assert client.v1.disputes.retrieve(dispute["id"]).status == "needs_response"


def test_a_key_may_have_255_characters(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    shared.load([paid])
    client.v1.refunds.create({"charge": paid["id"], "amount": 1}, {"idempotency_key": "k" * 255})
    with pytest.raises(stripe.InvalidRequestError, match="255"):
        client.v1.refunds.create({"charge": paid["id"], "amount": 1}, {"idempotency_key": "k" * 256})


def test_many_calls_at_once_with_one_key_refund_once(shared: StripeDouble) -> None:
    paid = charge()
    shared.load([paid])

    def refund(_: int) -> str:
        try:
            made = connect(shared).v1.refunds.create(
                {"charge": paid["id"], "amount": 100}, {"idempotency_key": "crowd"}
            )
        except stripe.StripeError as error:
            # Of a 409 the SDK makes a plain APIError without the code.
            return f"{error.http_status} {error_body(error)['code']}"
        return made.id

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(refund, range(16)))
    assert len(answers - {"409 idempotency_key_in_use"}) == 1
    assert len([effect for effect in shared.effects() if effect["charge"] == paid["id"]]) == 1


def test_a_key_held_by_a_running_request_is_in_conflict_until_it_ends() -> None:
    in_flight = idempotency.InFlight()
    with in_flight.holding("k"):
        with pytest.raises(idempotency.KeyInUse) as error, in_flight.holding("k"):
            pass
        with in_flight.holding("other"), in_flight.holding(None), in_flight.holding(None):
            pass
    assert (error.value.status, error.value.code) == (409, "idempotency_key_in_use")
    with in_flight.holding("k"):
        pass


def test_a_key_is_forgotten_after_a_day(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    double.load([paid])

    def refund() -> str:
        return client.v1.refunds.create({"charge": paid["id"], "amount": 100}, {"idempotency_key": "old"}).id

    first = refund()
    double.set_clock(START + DAY - 1)
    assert refund() == first
    double.set_clock(START + DAY)
    assert refund() != first


def test_a_failure_of_the_double_itself_is_kept_too(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db", now=START)
    request = Request("POST", "/v1/refunds", "", {}, b"")
    calls = 0

    def fail() -> Response:
        nonlocal calls
        calls += 1
        raise internal()

    def attempt(session: Session, form: JsonObject) -> Response:
        return idempotency.once(session, request, form, fail)

    for _ in range(2):
        with store.transaction(request="req_1", idempotency_key="k") as session:
            response = attempt(session, forms.decode("charge=ch_1"))
        assert response.status == 500
    assert calls == 1
    with store.transaction(request="req_2", idempotency_key="k") as session, pytest.raises(Invalid):
        attempt(session, forms.decode("charge=ch_2"))
    store.close()
