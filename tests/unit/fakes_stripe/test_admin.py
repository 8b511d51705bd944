from __future__ import annotations

import http.client
import json
from typing import cast
from urllib.parse import urlsplit

import pytest

from infra.fakes.stripe.process import StripeDouble

from .builders import START, JsonObject, charge, event
from .conftest import WRITE_KEY


def call(double: StripeDouble, method: str, path: str, body: str | None = None) -> tuple[int, JsonObject]:
    """One plain HTTP call."""
    connection = http.client.HTTPConnection(urlsplit(double.url).netloc)
    headers = {"Authorization": f"Bearer {WRITE_KEY}"}
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    answer = cast(JsonObject, json.loads(response.read()))
    connection.close()
    return response.status, answer


def test_a_healthy_double_says_so(shared: StripeDouble) -> None:
    assert call(shared, "GET", "/_double/health") == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/_double/nothing", None, 404),
        ("POST", "/_double/effects", "{}", 404),
        ("POST", "/_double/objects", "{", 400),
        ("POST", "/_double/objects", '"text"', 400),
        ("POST", "/_double/settings", "[]", 400),
        ("POST", "/_double/clock", '{"now": 1.5}', 400),
        ("POST", "/_double/clock", '{"now": true}', 400),
    ],
)
def test_an_admin_call_that_makes_no_sense_is_refused(
    shared: StripeDouble, method: str, path: str, body: str | None, status: int
) -> None:
    answered, answer = call(shared, method, path, body)
    assert answered == status
    assert answer["error"]["message"]


def test_one_object_or_event_needs_no_list_around_it(shared: StripeDouble) -> None:
    paid = charge()
    assert call(shared, "POST", "/_double/objects", json.dumps(paid))[1]["loaded"] == 1
    told = event("charge.updated", paid, START)
    assert call(shared, "POST", "/_double/script", json.dumps(told))[1]["fired"] == 1
    assert call(shared, "GET", f"/v1/events/{told['id']}") == (200, told)


def test_a_secret_may_be_registered_alone(shared: StripeDouble) -> None:
    endpoint = json.dumps({"url": "http://127.0.0.1:1/", "secret": "whsec_x", "events": ["payout.paid"]})
    status, answer = call(shared, "POST", "/_double/webhooks", endpoint)
    assert (status, answer) == (200, {"url": "http://127.0.0.1:1/"})


def test_a_body_that_is_not_text_is_refused(shared: StripeDouble) -> None:
    connection = http.client.HTTPConnection(urlsplit(shared.url).netloc)
    connection.request("POST", "/v1/refunds", b"charge=\xff", {"Authorization": f"Bearer {WRITE_KEY}"})
    assert connection.getresponse().status == 400
    connection.close()
