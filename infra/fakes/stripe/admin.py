"""`/_double/`: what a test or a world does to the double, and what it asks of it. JSON in, JSON out, no keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from . import clock, effects, endpoints, faults, loading, script, timeline
from .errors import Invalid, StripeError
from .session import Session
from .store import Store
from .wire import JsonObject, Request, Response

PREFIX = "/_double/"


def handle(store: Store, request: Request) -> Response:
    """Answers a request below `/_double/`; a refusal has the shape of Stripe's errors."""
    name = request.path.removeprefix(PREFIX)
    try:
        if request.method == "POST" and name == "clock":
            return Response.of(_move_clock(store, _object(_payload(request))))
        handler = _HANDLERS.get(request.method, {}).get(name)
        if handler is None:
            raise Invalid(f"No such part of the double: {request.method} {request.path}", status=404)
        with store.transaction() as session:
            return Response.of(handler(session, _payload(request)))
    except StripeError as error:
        return error.response()


def _move_clock(store: Store, payload: JsonObject) -> JsonObject:
    fired = timeline.advance(store, clock.parse(payload["now"])) if "now" in payload else 0
    with store.transaction() as session:
        if "running" in payload:
            clock.run(session.db, payload["running"] is True)
        return {**timeline.state(session), "fired": fired}


def _load(session: Session, payload: object) -> JsonObject:
    return {"loaded": loading.load(session, _list(payload, "objects")), "fired": timeline.catch_up(session)}


def _script(session: Session, payload: object) -> JsonObject:
    scheduled = script.schedule(session, _list(payload, "events"))
    return {"scheduled": scheduled, "fired": timeline.catch_up(session), **timeline.state(session)}


def _register(session: Session, payload: object) -> JsonObject:
    body = _object(payload)
    url, secret = str(body.get("url", "")), body.get("secret")
    secrets = [str(item) for item in body.get("secrets", [secret] if secret else [])]
    endpoints.register(session, url, secrets, [str(item) for item in body.get("events", ["*"])])
    if body.get("only") is True:
        endpoints.move(session, url)
    return {"url": url}


def _settings(session: Session, payload: object) -> JsonObject:
    changed = session.settings.changed(_object(payload)).to_json()
    session.db.execute("INSERT OR REPLACE INTO meta VALUES ('settings', ?)", (json.dumps(changed),))
    return changed


def _requests(session: Session, _: object) -> JsonObject:
    rows = session.db.execute(
        "SELECT r.id, at, method, path, key_kind, idempotency_key, status, replayed, f.kind AS fault FROM requests r "
        "LEFT JOIN fault_hits f ON f.request = r.id ORDER BY r.seq"
    )
    return {"requests": [{**dict(row), "replayed": bool(row["replayed"])} for row in rows]}


def _add_faults(session: Session, payload: object) -> JsonObject:
    for rule in _list(payload, "faults"):
        faults.add(session, rule)
    return {"faults": faults.listed(session)}


def _clear_faults(session: Session, _: object) -> JsonObject:
    return {"cleared": faults.clear(session)}


_Handlers: TypeAlias = dict[str, Callable[[Session, object], JsonObject]]
_READS: _Handlers = {
    "health": lambda session, _: {"status": "ok"},
    "clock": lambda session, _: timeline.state(session),
    "settings": lambda session, _: session.settings.to_json(),
    "requests": _requests,
    "effects": lambda session, _: {"effects": effects.listed(session)},
    "deliveries": lambda session, _: endpoints.report(session),
    "faults": lambda session, _: {"faults": faults.listed(session)},
}
_WRITES: _Handlers = {
    "objects": _load,
    "script": _script,
    "webhooks": _register,
    "settings": _settings,
    "faults": _add_faults,
    "faults/clear": _clear_faults,
}
_HANDLERS: dict[str, _Handlers] = {"GET": _READS, "POST": _WRITES, "DELETE": {"faults": _clear_faults}}


def _payload(request: Request) -> object:
    try:
        return json.loads(request.body) if request.body else {}
    except ValueError:
        raise Invalid("The body is not JSON.") from None


def _object(payload: object) -> JsonObject:
    if not isinstance(payload, dict):
        raise Invalid("The body is not a JSON object.")
    return payload


def _list(payload: object, name: str) -> list[object]:
    """A list given as it is, under a name, or as its only element."""
    if isinstance(payload, dict):
        payload = payload.get(name, [payload])
    if not isinstance(payload, list):
        raise Invalid(f"The body holds no list of {name}.")
    return payload
