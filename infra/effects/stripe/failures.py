"""What an error of the SDK says about the effect.

    refused      Stripe answered, in its own shape, that it will not: 400, 402, 403, 404
    unavailable  certainly nothing was done: never connected, 401, rate limit, a lock held by someone else
    unknown      everything else: no answer, 5xx, an answer that is not Stripe's, a key that is or was in use

A key in use means that an attempt of ours is being executed right now, and a key used with other parameters that an
earlier one reached Stripe: both may have had their effect. Sources: docs.stripe.com/error-codes and
docs.stripe.com/api/idempotent_requests.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from typing import TypeAlias

import stripe
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError

from shared.ports.effects import EffectRefused, EffectUnavailable, EffectUnknown

Failure: TypeAlias = EffectRefused | EffectUnknown | EffectUnavailable

WAIT_S = 2.0
"""How long to wait before trying again when Stripe does not say."""

_REFUSALS = frozenset({400, 402, 403, 404})
_NOTHING_DONE = frozenset({"rate_limit", "lock_timeout"})
_BEFORE_SENDING = (NewConnectionError, ConnectTimeoutError, ssl.SSLCertVerificationError)
_KEY = re.compile(r"\b(?:sk|rk|pk|ek|whsec)_[\w*]+")
_LONGEST = 500


def after_write(error: stripe.StripeError, secret: str) -> Failure:
    """What became of a change. `secret` is the API key, which the message never contains."""
    said, status = _said(error), error.http_status
    if isinstance(error, stripe.APIConnectionError):
        if _never_sent(error):
            return EffectUnavailable("Stripe could not be reached; nothing was sent", after=WAIT_S)
        return EffectUnknown("the connection to Stripe broke before an answer came")
    if status == 429 or said.get("code") in _NOTHING_DONE or (status == 401 and said):
        return EffectUnavailable(_words(error, secret), after=_wait(error))
    if said and said.get("type") != "idempotency_error" and status in _REFUSALS:
        return EffectRefused(_words(error, secret))
    return EffectUnknown(_words(error, secret))


def after_read(error: stripe.StripeError, secret: str) -> EffectUnavailable:
    """A read that failed changed nothing and can be repeated."""
    if isinstance(error, stripe.APIConnectionError):
        return EffectUnavailable("Stripe could not be read: no answer came", after=WAIT_S)
    return EffectUnavailable(_words(error, secret), after=_wait(error))


def is_missing(error: stripe.StripeError) -> bool:
    """Whether Stripe says that an object does not exist."""
    return _said(error).get("code") == "resource_missing"


def _said(error: stripe.StripeError) -> Mapping[str, object]:
    """Stripe's error object; empty when the answer is not in Stripe's shape."""
    body = error.json_body
    inner = body.get("error") if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _words(error: stripe.StripeError, secret: str) -> str:
    said = _said(error)
    message = said.get("message")
    if not isinstance(message, str):
        return f"Stripe's answer could not be understood (HTTP {error.http_status})"
    message = _KEY.sub("[key]", message.replace(secret, "[key]"))[:_LONGEST]
    parts = (said.get("code"), said.get("decline_code"), error.request_id)
    named = list(dict.fromkeys(str(part) for part in parts if part))
    return f"{message} ({', '.join(named)})" if named else message


def _wait(error: stripe.StripeError) -> float:
    given = str({name.lower(): value for name, value in (error.headers or {}).items()}.get("retry-after", ""))
    return float(given) if given.isdecimal() else WAIT_S


def _never_sent(error: BaseException) -> bool:
    return any(isinstance(cause, _BEFORE_SENDING) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
