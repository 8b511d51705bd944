"""The application: from a request to its answer, in one transaction.

`App.handle` is the one door every request goes through.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import replace

from . import admin, events, faults, forms, idempotency, keys, multipart, routes, timeline
from .courier import Courier
from .errors import Declined, Invalid, StripeError, internal
from .expand import expanded
from .session import Session
from .store import Store
from .wire import Request, Response

log = logging.getLogger(__name__)

FLUSH_TIMEOUT = 2.0
"""How long, in seconds, a caller who waits for the deliveries is kept waiting."""


class App:
    """Stripe's API and the double's admin interface over one store."""

    def __init__(self, store: Store, api_keys: keys.Keys, courier: Courier) -> None:
        self._store = store
        self._keys = api_keys
        self._courier = courier
        self._in_flight = idempotency.InFlight()

    def handle(self, request: Request) -> Response:
        """Answers any request; a failure of the double itself is logged and answered with a 500."""
        try:
            response = self._respond(request)
        except Exception:
            log.exception("the double failed at %s %s", request.method, request.path)
            response = internal().response()
        if request.method != "GET":
            self._courier.wake()
        return response

    def _respond(self, request: Request) -> Response:
        if request.path == admin.PREFIX + "flush":
            return Response.of({"delivered": self._courier.flush(FLUSH_TIMEOUT)})
        if request.path.startswith(admin.PREFIX):
            return admin.handle(self._store, request)
        return self._api(request)

    def _api(self, request: Request) -> Response:
        id = f"req_{secrets.token_hex(8)}"
        key = idempotency.key_of(request)
        kind = self._keys.kind(request.headers)
        try:
            # Only a key that may write can hold an idempotency key against others.
            with self._in_flight.holding(key if kind == "write" else None):
                with self._store.transaction(request=id, idempotency_key=key) as session:
                    timeline.catch_up(session)
                    fault = faults.take(session, request)
                    response = (fault and fault.instead()) or self._answer(session, request, kind, fault)
                    _note(session, request, kind, response)
        except idempotency.KeyInUse as busy:
            fault, response = None, busy.response()
            with self._store.transaction(request=id, idempotency_key=key) as session:
                _note(session, request, kind, response)
        headers = {"Request-Id": id, "Stripe-Version": request.headers.get("stripe-version", events.API_VERSION)}
        if key is not None:
            headers["Idempotency-Key"] = key
        response = replace(response, headers={**headers, **response.headers})
        return fault.sent(response) if fault else response

    def _answer(self, session: Session, request: Request, kind: keys.KeyKind, fault: faults.Fault | None) -> Response:
        def execute() -> Response:
            response = _execute(session, match.handler, form)
            return fault.result(response) if fault else response

        try:
            match = routes.match(request.method, request.path)
            keys.check(kind, request.method, match.permission, session.settings.account)
            form = _form(request)
            return idempotency.once(session, request, form, execute)
        except StripeError as error:
            return error.response()


def _execute(session: Session, handler: routes.Handler, form: forms.Form) -> Response:
    """Runs a handler; what it changed is undone when it refuses or fails, and stays when a card was declined."""
    try:
        with session.savepoint():
            try:
                return Response.of(expanded(session, handler(session, form), form))
            except Declined as declined:
                return declined.response()
    except StripeError:
        raise
    except Exception:
        log.exception("a handler failed")
        raise internal() from None


def _form(request: Request) -> forms.Form:
    if request.method in ("GET", "DELETE"):
        return forms.decode(request.query)
    content_type = request.headers.get("content-type", "")
    if multipart.is_multipart(content_type):
        return multipart.decode(content_type, request.body)
    try:
        return forms.decode(request.body.decode())
    except UnicodeDecodeError:
        raise Invalid("The request body is not valid UTF-8.") from None


def _note(session: Session, request: Request, kind: keys.KeyKind, response: Response) -> None:
    replayed = "Idempotent-Replayed" in response.headers
    session.db.execute(
        "INSERT INTO requests (id, at, method, path, key_kind, idempotency_key, status, replayed) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            session.request,
            session.now,
            request.method,
            request.path,
            kind,
            session.idempotency_key,
            response.status,
            replayed,
        ),
    )
