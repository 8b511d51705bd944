"""Idempotency keys: the first result of a POST, replayed for as long as its key is kept.

A result is stored once execution began, errors and 500s included, in the same transaction as what it changed. A
request that was refused as invalid stores nothing. The double drops a key as soon as Stripe may: when it is 24 hours
old, by the double's clock. Source: docs.stripe.com/api/idempotent_requests.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from . import clock
from .errors import Invalid, StripeError
from .forms import Form, fingerprint
from .session import Session
from .wire import Request, Response

MAX_KEY_CHARS = 255


class KeyInUse(Invalid):
    """Another request with the same key is being executed; HTTP 409."""

    def __init__(self, key: str) -> None:
        message = (
            "There is currently another in-progress request using this Idempotent Key (that probably means you "
            f"submitted twice, and the other request is still going through): {key}. Please try again later."
        )
        super().__init__(message, status=409, type="idempotency_error", code="idempotency_key_in_use")


class InFlight:
    """The keys of the requests being executed right now, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: set[str] = set()

    @contextmanager
    def holding(self, key: str | None) -> Iterator[None]:
        """Holds a key while its request is executed. Raises KeyInUse when another request holds it."""
        with self._lock:
            if key is not None:
                if key in self._keys:
                    raise KeyInUse(key)
                self._keys.add(key)
        try:
            yield
        finally:
            with self._lock:
                self._keys.discard(key or "")


def key_of(request: Request) -> str | None:
    """The request's key; only a POST has one."""
    return request.headers.get("idempotency-key") or None if request.method == "POST" else None


def once(session: Session, request: Request, form: Form, execute: Callable[[], Response]) -> Response:
    """The stored result of this key, or the result of executing now. Raises Invalid when the key was used otherwise."""
    key = session.idempotency_key
    if key is None:
        return execute()
    if len(key) > MAX_KEY_CHARS:
        raise Invalid(f"Idempotency keys can be up to {MAX_KEY_CHARS} characters long.")
    stored = _stored(session, key)
    if stored is not None:
        _check_same(stored, key, request.path, fingerprint(form))
        headers = {"Idempotent-Replayed": "true", "Original-Request": stored["request"]}
        return Response(stored["status"], stored["body"], headers)
    try:
        response = execute()
    except Invalid:
        raise
    except StripeError as error:
        response = error.response()
    session.db.execute(
        "INSERT INTO idempotency VALUES (?, ?, ?, ?, ?, ?, ?)",
        (key, request.path, fingerprint(form), response.status, response.body, session.request, session.now),
    )
    return response


def _stored(session: Session, key: str) -> sqlite3.Row | None:
    session.db.execute("DELETE FROM idempotency WHERE key = ? AND created <= ?", (key, session.now - clock.DAY))
    row: sqlite3.Row | None = session.db.execute("SELECT * FROM idempotency WHERE key = ?", (key,)).fetchone()
    return row


def _check_same(stored: sqlite3.Row, key: str, path: str, parameters: str) -> None:
    advice = f"Try using a key other than '{key}' if you meant to execute a different request."
    if stored["path"] != path:
        used = f"the same endpoint they were first used for ('{stored['path']}' vs '{path}')"
        raise Invalid(f"Keys for idempotent requests can only be used for {used}. {advice}", type="idempotency_error")
    if stored["parameters"] != parameters:
        used = "with the same parameters they were first used with"
        raise Invalid(f"Keys for idempotent requests can only be used {used}. {advice}", type="idempotency_error")
