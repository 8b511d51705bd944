from __future__ import annotations

import logging
import socket
import ssl
import subprocess
import sys
import time
import traceback
from typing import Any

import pytest
import requests
import stripe
from urllib3.exceptions import ConnectTimeoutError

from infra.effects import StripeEffects
from infra.effects.stripe.failures import after_write
from shared.case.actions import ActionKind
from shared.errors import InvalidInput
from shared.ports.effects import EffectRefused, EffectUnavailable, EffectUnknown

from .actions import action, context, refund
from .conftest import KEY
from .server import Answer, Server, errs, hangs_up, says

OUTCOMES: dict[str, tuple[Answer, type[Exception], str]] = {
    "a rate limit": (errs(429, "Too many requests", code="rate_limit"), EffectUnavailable, "Too many requests"),
    "a rate limit of whatever stands before Stripe": (says(429, b"slow down"), EffectUnavailable, "HTTP 429"),
    "a lock as 429": (errs(429, "locked", code="lock_timeout"), EffectUnavailable, "locked"),
    "a lock as 409": (errs(409, "locked", code="lock_timeout"), EffectUnavailable, "locked"),
    "an old rate limit": (errs(400, "slower", code="rate_limit"), EffectUnavailable, "slower"),
    "a key that is not accepted": (errs(401, "Invalid API Key provided."), EffectUnavailable, "Invalid API Key"),
    "our key in use": (
        errs(409, "in progress", code="idempotency_key_in_use", type="idempotency_error"),
        EffectUnknown,
        "in progress",
    ),
    "our key with other content": (errs(400, "same parameters", type="idempotency_error"), EffectUnknown, "same param"),
    "a conflict without a code": (errs(409, "conflict"), EffectUnknown, "conflict"),
    "a fault at Stripe": (errs(500, "An unknown error occurred", type="api_error"), EffectUnknown, "unknown error"),
    "an unavailable Stripe": (errs(503, "try later", type="api_error"), EffectUnknown, "try later"),
    "a dependency of Stripe": (errs(424, "a network is down"), EffectUnknown, "a network is down"),
    "a gateway before Stripe": (says(502, b"<html>bad gateway</html>"), EffectUnknown, "HTTP 502"),
    "a 404 that is not Stripe's": (says(404, b"<html>not here</html>"), EffectUnknown, "HTTP 404"),
    "a 403 that is not Stripe's": (says(403, {"denied": True}), EffectUnknown, "HTTP 403"),
    "an error of no shape": (says(400, {"error": None}), EffectUnknown, "could not be understood"),
    "a page instead of an answer": (says(200, b"<html>welcome</html>"), EffectUnknown, "could not be understood"),
    "half an answer": (says(200, b'{"id": "re_'), EffectUnknown, "could not be understood"),
    "an answer without an id": (says(200, {"object": "refund"}), EffectUnknown, "could not be understood"),
    "an answer that is no object": (says(200, []), EffectUnknown, "could not be understood"),
    "an empty answer": (says(200, None), EffectUnknown, "could not be understood"),
    "a broken connection": (hangs_up, EffectUnknown, "broke before an answer"),
    "a refusal": (errs(400, "charged back", code="charge_disputed"), EffectRefused, "charged back (charge_disputed"),
    "a failed card": (errs(402, "no funds", code="balance_insufficient"), EffectRefused, "no funds"),
    "a missing permission": (errs(403, "not permitted"), EffectRefused, "not permitted"),
    "a missing charge": (errs(404, "No such charge", code="resource_missing"), EffectRefused, "No such charge"),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_is_known_of_the_effect_after(outcome: str, server: Server, failing: StripeEffects) -> None:
    server.answer, expected, words = OUTCOMES[outcome]
    wanted = refund("ch_1")
    with pytest.raises(expected, match=words.replace("(", r"\(")) as raised:
        failing.perform(wanted, context(wanted))
    assert len(server.seen) == 1, "nothing is tried twice"
    assert KEY not in str(raised.value)


def test_an_answer_that_comes_too_late_leaves_the_effect_unknown(server: Server, failing: StripeEffects) -> None:
    server.answer = server.waits
    wanted = refund("ch_1")
    began = time.monotonic()
    with pytest.raises(EffectUnknown, match="broke before an answer"):
        failing.perform(wanted, context(wanted, timeout_s=0.2))
    assert time.monotonic() - began < 10
    assert len(server.seen) == 1


def test_a_refused_connection_did_certainly_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    wanted = refund("ch_1")
    with pytest.raises(EffectUnavailable, match="nothing was sent"):
        StripeEffects(KEY, base_url=f"http://127.0.0.1:{port}").perform(wanted, context(wanted))


def test_a_host_without_an_address_did_certainly_nothing() -> None:
    wanted = refund("ch_1")
    with pytest.raises(EffectUnavailable, match="nothing was sent"):
        StripeEffects(KEY, base_url="http://stripe.invalid").perform(wanted, context(wanted))


@pytest.mark.parametrize(
    "cause", [ConnectTimeoutError("no answer to the handshake"), ssl.SSLCertVerificationError("unknown authority")]
)
def test_what_ends_before_the_request_is_sent_did_certainly_nothing(cause: Exception) -> None:
    error: stripe.StripeError = stripe.APIConnectionError("no")  # type: ignore[no-untyped-call]
    error.__cause__ = requests.ConnectionError("gave up")
    error.__cause__.__context__ = cause
    assert isinstance(after_write(error, KEY), EffectUnavailable)


def test_without_time_left_nothing_is_sent(server: Server, failing: StripeEffects) -> None:
    wanted = refund("ch_1")
    with pytest.raises(EffectUnavailable, match="no time was left"):
        failing.perform(wanted, context(wanted, timeout_s=0.0))
    assert server.seen == []


@pytest.mark.parametrize("answer", [errs(500, "down"), errs(403, "not permitted"), says(200, []), hangs_up])
def test_what_cannot_be_read_is_unavailable(answer: Answer, server: Server, failing: StripeEffects) -> None:
    server.answer = answer
    wanted = refund("ch_1")
    with pytest.raises(EffectUnavailable):
        failing.observe(wanted, "acme")
    with pytest.raises(EffectUnavailable):
        failing.look_up(wanted, context(wanted))


def test_the_wait_that_is_asked_for_is_handed_on(server: Server, failing: StripeEffects) -> None:
    server.answer = errs(429, "slow down", Retry_After="7")
    wanted = refund("ch_1")
    with pytest.raises(EffectUnavailable) as raised:
        failing.perform(wanted, context(wanted))
    assert raised.value.after == 7.0


@pytest.mark.parametrize("leak", [KEY, "rk_live_51Habc***xyz", "whsec_abc"])
def test_no_key_gets_into_an_error(leak: str, server: Server, failing: StripeEffects) -> None:
    server.answer = errs(403, f"The key '{leak}' may not do this.")
    wanted = refund("ch_1")
    with pytest.raises(EffectRefused) as raised:
        failing.perform(wanted, context(wanted))
    assert "The key '[key]' may not do this." in str(raised.value)
    assert leak not in "".join(traceback.format_exception(raised.value))


def test_neither_key_nor_texts_get_into_a_log(
    server: Server, failing: StripeEffects, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.answer = says(200, {"id": "du_1", "object": "dispute", "metadata": {}})
    evidence = {"uncategorized_text": "My neighbour Jane told me."}
    staged = action(ActionKind.STRIPE_STAGE_EVIDENCE, {"dispute": "du_1", "evidence": evidence})
    failing.perform(staged, context(staged))
    assert "/v1/disputes/du_1" in caplog.text
    assert KEY not in caplog.text
    assert "neighbour" not in caplog.text


def test_the_sdk_is_not_loaded_before_the_first_call() -> None:
    program = "import sys, infra.effects; infra.effects.StripeEffects('sk_test_x'); sys.exit('stripe' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_no_key_gets_into_what_the_adapter_looks_like(failing: StripeEffects) -> None:
    assert KEY not in repr(failing)


@pytest.mark.parametrize("account", ["acct_connected", None])
def test_every_call_is_made_on_the_account_of_the_action(
    account: str | None, server: Server, failing: StripeEffects
) -> None:
    wanted = refund("ch_1", account=account, snapshot={"charge.currency": "usd", "dispute.status": "lost"})
    wanted = wanted.model_copy(update={"payload": {"charge": "ch_1", "dispute": "du_1"}})
    failing.perform(wanted, context(wanted))
    server.answer = _account_with_pages
    failing.observe(wanted, "acme")
    failing.look_up(wanted, context(wanted))
    paths = {request["path"].partition("?")[0] for request in server.seen}
    assert paths == {"/v1/refunds", "/v1/charges/ch_1", "/v1/disputes/du_1", "/v1/disputes"}
    assert [request["headers"].get("Stripe-Account") for request in server.seen] == [account] * len(server.seen)
    assert len(server.seen) == 7, "the second pages included"


def _account_with_pages(handler: Any) -> None:
    path, _, query = handler.path.partition("?")
    if path.startswith(("/v1/charges/", "/v1/disputes/")):
        return says(200, {"id": "x_1", "object": "charge", "currency": "usd"})(handler)
    more = "starting_after" not in query
    item = {"id": "x_2", "object": "dispute", "status": "won"}
    return says(200, {"object": "list", "url": path, "has_more": more, "data": [item] if more else []})(handler)


def test_a_change_carries_the_key_the_ids_and_a_fixed_version(server: Server, failing: StripeEffects) -> None:
    wanted = refund("ch_1")
    failing.perform(wanted, context(wanted, idempotency_key="manthan-key"))
    (request,) = server.seen
    assert request["headers"]["Idempotency-Key"] == "manthan-key"
    assert request["headers"]["Stripe-Version"] == "2026-08-26.dahlia"
    assert f"metadata[manthan_action]={wanted.id}" in request["body"]
    assert "metadata[manthan_case]=case_1" in request["body"]
    assert "metadata[manthan_org]=acme" in request["body"]


def test_what_is_not_for_stripe_is_refused_and_never_sent(server: Server, failing: StripeEffects) -> None:
    wanted = action(ActionKind.CRM_NOTE, {"company_id": "comp_1", "body": "Won."})
    with pytest.raises(EffectRefused, match="crm_note is not for Stripe"):
        failing.perform(wanted, context(wanted))
    assert failing.look_up(wanted, context(wanted)) is None
    assert server.seen == []


def test_stripe_without_a_key_is_refused_at_once() -> None:
    with pytest.raises(InvalidInput, match="API key"):
        StripeEffects(" ")
