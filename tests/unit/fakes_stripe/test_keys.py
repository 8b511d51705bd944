from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

import pytest
import stripe

from infra.fakes.stripe.keys import Keys
from infra.fakes.stripe.process import StripeDouble

from .builders import charge, chargeback
from .conftest import READ_KEY, WRITE_KEY, connect


def test_the_read_key_reads(shared: StripeDouble) -> None:
    paid = charge()
    shared.load([paid])
    assert connect(shared, READ_KEY).v1.charges.retrieve(paid["id"]).amount == 10_000


def test_the_read_key_writes_nothing_and_takes_no_idempotency_key(shared: StripeDouble) -> None:
    paid = charge()
    dispute = chargeback(paid)
    shared.load([paid, dispute])
    reader = connect(shared, READ_KEY)
    for write in (
        lambda: reader.v1.refunds.create({"charge": paid["id"]}, {"idempotency_key": "reader"}),
        lambda: reader.v1.disputes.update(dispute["id"], {"submit": True}),
        lambda: reader.v1.disputes.close(dispute["id"]),
        lambda: reader.v1.customers.create({"email": "a@example.com"}),
    ):
        with pytest.raises(stripe.PermissionError, match="required permissions") as error:
            write()
        assert error.value.http_status == 403
    assert connect(shared).v1.disputes.close(dispute["id"], None, {"idempotency_key": "reader"}).status == "lost"


def test_an_unknown_key_is_refused(shared: StripeDouble) -> None:
    with pytest.raises(stripe.AuthenticationError, match="Invalid API Key") as error:
        connect(shared, "sk_test_other").v1.charges.list()
    assert error.value.http_status == 401
    assert "sk_test_other" not in str(error.value)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer "}, {"Authorization": "Digest x"}])
def test_a_missing_key_is_refused(shared: StripeDouble, headers: dict[str, str]) -> None:
    connection = http.client.HTTPConnection(urlsplit(shared.url).netloc)
    connection.request("GET", "/v1/charges", headers=headers)
    response = connection.getresponse()
    body = json.loads(response.read())
    connection.close()
    assert response.status == 401
    assert body["error"]["message"].startswith("You did not provide an API key.")


def test_a_key_may_come_as_a_user_name(shared: StripeDouble) -> None:
    keys = Keys(write="sk_a", read="rk_b")
    assert keys.kind({"authorization": "Basic c2tfYTo="}) == "write"
    assert keys.kind({"authorization": "Basic cmtfYjo="}) == "read"
    assert keys.kind({"authorization": "Basic !!"}) == "unknown"


def test_requests_are_listed_with_the_kind_of_their_key_and_never_the_key(shared: StripeDouble) -> None:
    connect(shared, READ_KEY).v1.charges.list({"limit": 1})
    listed = shared.requests()
    assert {"method": "GET", "path": "/v1/charges", "key_kind": "read", "status": 200}.items() <= listed[-1].items()
    assert WRITE_KEY not in json.dumps(listed)
    assert READ_KEY not in json.dumps(listed)
    assert "sk_a" not in repr(Keys(write="sk_a", read="rk_b"))
