"""The SDK for the calls of one operation: same account, one deadline, errors already told apart.

Importing this module loads the SDK, a quarter of a second; so whoever needs it imports it when the first call is due.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TypeAlias, cast

import requests
import stripe

from infra.effects.stripe import failures
from shared.case.actions import Json
from shared.ports.effects import EffectUnavailable, EffectUnknown

stripe.enable_telemetry = False
# At DEBUG the SDK logs request bodies: evidence and other texts from customers.
logging.getLogger("stripe").setLevel(logging.INFO)

Object: TypeAlias = dict[str, Json]
Ask: TypeAlias = Callable[[stripe.StripeClient, stripe.RequestOptions], object]

_MADE_NO_SENSE = (AttributeError, KeyError, TypeError, ValueError)
"""What the SDK raises on a reply that is JSON, but not in any shape of Stripe's."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How Stripe is reached. `base_url` None: Stripe itself."""

    api_key: str = field(repr=False)
    base_url: str | None
    api_version: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The object Stripe answered with. `replayed`: as it was when this key was first used, not as it is now."""

    object: Object
    replayed: bool


class Calls:
    """The calls of one operation; a context manager that closes its connection.

    All of them together begin within `timeout_s` seconds, and each gives up when what is left of them passes without
    a byte from Stripe.
    """

    def __init__(self, connection: Connection, account: str | None, timeout_s: float) -> None:
        self._connection = connection
        self._account = account
        self._deadline = time.monotonic() + timeout_s
        self._session = requests.Session()

    def __enter__(self) -> Calls:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._session.close()

    def read(self, ask: Ask) -> Object | None:
        """One object; None when Stripe has none of this id. Raises EffectUnavailable when it cannot be read."""
        try:
            answer = _object(ask(self._client(), self._options()))
        except stripe.StripeError as error:
            if failures.is_missing(error):
                return None
            raise failures.after_read(error, self._connection.api_key) from None
        except _MADE_NO_SENSE:
            answer = None
        if answer is None:
            raise EffectUnavailable("what Stripe answered could not be understood", after=failures.WAIT_S)
        return answer

    def read_all(self, ask: Ask) -> list[Object]:
        """Every object of a list, all pages; none when what it belongs to does not exist. Raises EffectUnavailable."""
        try:
            listing = ask(self._client(), self._options())
            if isinstance(listing, stripe.ListObject):
                return [item for found in listing.auto_paging_iter() if (item := _object(found)) is not None]
        except stripe.StripeError as error:
            if failures.is_missing(error):
                return []
            raise failures.after_read(error, self._connection.api_key) from None
        except _MADE_NO_SENSE:
            listing = None
        raise EffectUnavailable("the list that Stripe answered with could not be understood", after=failures.WAIT_S)

    def write(self, ask: Ask, idempotency_key: str | None) -> Reply:
        """One change, once; only a DELETE has no key. Raises EffectRefused, EffectUnknown or EffectUnavailable."""
        client = self._client()
        try:
            answer = ask(client, self._options(idempotency_key))
            found = _object(answer)
        except stripe.StripeError as error:
            raise failures.after_write(error, self._connection.api_key) from None
        except _MADE_NO_SENSE:
            found = None
        if found is None or not isinstance(found.get("id"), str):
            raise EffectUnknown("what Stripe answered could not be understood")
        return Reply(found, _was_replayed(answer))

    def _client(self) -> stripe.StripeClient:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise EffectUnavailable("no time was left for another call to Stripe", after=failures.WAIT_S)
        own = self._connection.base_url
        http = stripe.RequestsClient(timeout=(left / 4, left * 3 / 4), session=self._session)
        return stripe.StripeClient(
            self._connection.api_key,
            stripe_version=self._connection.api_version,
            base_addresses={"api": own, "files": own} if own is not None else {},
            max_network_retries=0,
            http_client=http,
        )

    def _options(self, idempotency_key: str | None = None) -> stripe.RequestOptions:
        return {"stripe_account": self._account, "idempotency_key": idempotency_key}


def _object(answer: object) -> Object | None:
    if not isinstance(answer, stripe.StripeObject):
        return None
    return cast(Object, answer.to_dict(for_json=True))


def _was_replayed(answer: object) -> bool:
    response = answer.last_response if isinstance(answer, stripe.StripeObject) else None
    headers = response.headers if response is not None else None
    return headers is not None and str(headers.get("Idempotent-Replayed", "")).lower() == "true"
