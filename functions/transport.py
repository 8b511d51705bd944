"""What Pub/Sub and Cloud Tasks send, and what they understand as an answer.

Pub/Sub push: 204 acknowledges, everything else is delivered again; a 200 or 204 is the only success we ever answer.
Cloud Tasks: a 2xx acknowledges; a 503 with Retry-After asks for later. A poisoned request, which no redelivery can
cure, is quarantined and acknowledged. Whoever is not a transport of ours gets a 403, before its request is looked at.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import math
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from flask import Request, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.case.canonical import short_hash
from shared.errors import Conflict, IllegalTransition, InvalidInput, ManthanError, Refused, Retryable, Terminal
from shared.ports.telemetry import TRACEPARENT, Work, parent_of
from shared.steps.budgets import FAULTS_BEFORE_FAILED
from shared.steps.context import Ports, RequestContext, system_context
from shared.steps.dead_letters import quarantine

logger = logging.getLogger("manthan")

_Id = Field(min_length=1, max_length=300)


class Hint(BaseModel):
    """The body of every message and task: identifiers only. The case is the truth."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    org: str = _Id


class CaseHint(Hint):
    """A hint about a case."""

    case_id: str = _Id
    generation: int = Field(default=0, ge=0, le=1_000_000_000)


H = TypeVar("H", bound=Hint)


@dataclass(frozen=True, slots=True)
class Envelope:
    """A decoded request: its JSON body, whose trace it is in, and which delivery it is (0 is the first, None: unknown).

    `parent`: the sender's span in that trace, empty when it recorded none.
    """

    body: object
    trace: str
    delivery: int | None
    parent: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Of a message."""


@dataclass(frozen=True, slots=True)
class Handler(Generic[H]):
    """How one function takes up hints of one shape; `on_fault` is called when redelivery has not cured a fault."""

    name: str
    shape: type[H]
    run: Callable[[Ports, RequestContext, H, Envelope], None]
    on_fault: Callable[[Ports, RequestContext, H, str], None]


def handle_push(request: Request, ports: Ports, handler: Handler[H]) -> Response:
    """Answer a Pub/Sub push delivery."""
    return answered(request, ports, handler.name, lambda: _handle(request, ports, handler, decode_push))


def handle_task(request: Request, ports: Ports, handler: Handler[H]) -> Response:
    """Answer a Cloud Tasks delivery."""
    return answered(request, ports, handler.name, lambda: _handle(request, ports, handler, decode_task))


def answered(request: Request, ports: Ports, name: str, answer: Callable[[], Response]) -> Response:
    """The answer, if the caller is a transport of ours: else 403, or 503 while nobody can be verified."""
    try:
        return answer() if _is_ours(request, ports, name) else Response("not served", 403, content_type="text/plain")
    except Retryable as error:
        return _later(name, error)


def _is_ours(request: Request, ports: Ports, name: str) -> bool:
    try:
        ports.require_caller(request.headers.get("Authorization", ""), request.remote_addr or "")
    except Refused as error:
        logger.warning("%s: refused a caller: %s", name, error)
        return False
    return True


def decode_push(request: Request) -> Envelope:
    """The envelope of a wrapped Pub/Sub push. Raises InvalidInput for anything else."""
    outer = _json(request.get_data(), "the push body")
    message = outer.get("message") if isinstance(outer, dict) else None
    if not isinstance(message, dict):
        raise InvalidInput("the push body has no message")
    data = message.get("data")
    try:
        raw = base64.b64decode(data, validate=True) if isinstance(data, str) else b""
    except (binascii.Error, ValueError):
        raise InvalidInput("message.data is not base64") from None
    attributes = message.get("attributes")
    told = _texts(attributes) if isinstance(attributes, dict) else {}
    attempt = outer.get("deliveryAttempt") if isinstance(outer, dict) else None
    trace, parent = _origin(request, told.get("trace", ""), told.get(TRACEPARENT, ""))
    return Envelope(
        body=_json(raw, "message.data"),
        trace=trace,
        # The emulator leaves the attempt out; then nothing may rely on it.
        delivery=attempt - 1 if isinstance(attempt, int) else None,
        parent=parent,
        attributes=told,
    )


def _texts(attributes: Mapping[object, object]) -> dict[str, str]:
    return {name: text for name, text in attributes.items() if isinstance(name, str) and isinstance(text, str)}


def decode_task(request: Request) -> Envelope:
    """The envelope of a Cloud Tasks request. Raises InvalidInput for a body that is not JSON.

    The retry count is the one that counts every attempt; the execution count ignores 5xx answers.
    """
    retry = request.headers.get("X-CloudTasks-TaskRetryCount", "")
    told = request.headers.get("X-Manthan-Trace", ""), request.headers.get("X-Manthan-Traceparent", "")
    trace, parent = _origin(request, *told)
    return Envelope(
        body=_json(request.get_data(), "the task body"),
        trace=trace,
        delivery=int(retry) if retry.isascii() and retry.isdigit() and len(retry) < 10 else None,
        parent=parent,
    )


def _origin(request: Request, trace: str, sender: str) -> tuple[str, str]:
    """The trace that the request is in, and its parent there.

    As the sender's traceparent says, or else its trace. Without either: the platform's own traceparent, or a trace made
    from the request's bytes.
    """
    told = parent_of(sender)
    if told is not None and trace in ("", told[0]):
        return told
    platform = parent_of(request.headers.get("traceparent", ""))
    if trace or platform is None:
        return trace or short_hash(request.get_data(as_text=True), length=32), ""
    return platform


def body_of(request: Request) -> object:
    """The JSON body of a plain call, None when it has none that can be read."""
    try:
        return _json(request.get_data(), "the body")
    except InvalidInput:
        return None


def _json(raw: bytes, what: str) -> object:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise InvalidInput(f"{what} is not JSON") from None


def _handle(request: Request, ports: Ports, handler: Handler[H], decode: Callable[[Request], Envelope]) -> Response:
    try:
        envelope = decode(request)
    except InvalidInput as error:
        return _quarantine(request, ports, handler.name, str(error))
    try:
        hint = handler.shape.model_validate(envelope.body)
    except ValidationError as error:
        where = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:5])
        return _quarantine(request, ports, handler.name, f"the hint is malformed: {where}", envelope)
    with ports.telemetry.doing(_work(handler.name, hint, envelope)):
        return _run(request, ports, handler, hint, envelope)


def _work(step: str, hint: Hint, envelope: Envelope) -> Work:
    """The request as logs and spans name it: a hint holds identifiers only."""
    known = hint.model_dump(exclude_none=True)
    if envelope.delivery is not None:
        known["delivery"] = envelope.delivery
    return Work(step, envelope.trace, envelope.parent, known.pop("org"), known.pop("case_id", ""), known)


def _run(request: Request, ports: Ports, handler: Handler[H], hint: H, envelope: Envelope) -> Response:
    context = system_context(hint.org, envelope.trace)
    try:
        handler.run(ports, context, hint, envelope)
    except IllegalTransition as error:
        return _fault(ports, context, handler, hint, envelope, error)
    except Terminal as error:
        return _quarantine(request, ports, handler.name, str(error), envelope)
    except (Retryable, Conflict) as error:
        return _later(handler.name, error)
    except Exception as error:  # noqa: BLE001 - the one handler shell: an unexpected error asks for redelivery
        return _fault(ports, context, handler, hint, envelope, error)
    return Response(status=204)


def _later(name: str, error: ManthanError) -> Response:
    after = error.after if isinstance(error, Retryable) else None
    logger.info("%s: later (%s)", name, error.code)
    response = Response(status=503)
    if after is not None:
        response.headers["Retry-After"] = str(max(1, math.ceil(after)))
    return response


def _fault(
    ports: Ports, context: RequestContext, handler: Handler[H], hint: H, envelope: Envelope, error: Exception
) -> Response:
    # The type and the stack, never the text: what raises unexpectedly may carry what must not be logged.
    kind = type(error).__name__
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("%s: unexpected %s\n%s", handler.name, kind, frames)
    if envelope.delivery is not None and envelope.delivery + 1 >= FAULTS_BEFORE_FAILED:
        handler.on_fault(ports, context, hint, kind)
        return Response(status=204)
    return Response("unexpected error", status=500, content_type="text/plain")


def _quarantine(request: Request, ports: Ports, name: str, reason: str, envelope: Envelope | None = None) -> Response:
    hint = None if envelope is None else envelope.body
    letter = quarantine(ports, name, request.get_data(as_text=True), reason, hint=hint)
    # Why is kept with the letter: whatever a request holds, it may turn up in a reason.
    logger.warning("%s: quarantined a request as dead letter %s", name, letter)
    return Response(status=204)
