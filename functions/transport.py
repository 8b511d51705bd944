"""What Pub/Sub and Cloud Tasks send, and what they understand as an answer.

Pub/Sub push: 204 acknowledges, everything else is delivered again; a 200 or 204 is the only success we ever answer.
Cloud Tasks: a 2xx acknowledges; a 503 with Retry-After asks for later. A poisoned request, which no redelivery can
cure, is quarantined and acknowledged.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import math
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from flask import Request, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.case.canonical import short_hash
from shared.errors import Conflict, IllegalTransition, InvalidInput, ManthanError, Retryable, Terminal
from shared.ports.store import InboxEntry, InboxStatus
from shared.steps.budgets import FAULTS_BEFORE_FAILED, INBOX_KEEP
from shared.steps.context import Ports, RequestContext, system_context

logger = logging.getLogger("manthan")

TRANSPORT_ORG = "_transport"
"""Where poisoned requests are kept for operators: they belong to no org that could be trusted."""

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
    """A decoded request: its JSON body, the trace, and which delivery it is (0 is the first, None: unknown)."""

    body: object
    trace: str
    delivery: int | None


@dataclass(frozen=True, slots=True)
class Handler(Generic[H]):
    """How one function takes up hints of one shape; `on_fault` is called when redelivery has not cured a fault."""

    name: str
    shape: type[H]
    run: Callable[[Ports, RequestContext, H, Envelope], None]
    on_fault: Callable[[Ports, RequestContext, H, str], None]


def handle_push(request: Request, ports: Ports, handler: Handler[H]) -> Response:
    """Answer a Pub/Sub push delivery."""
    try:
        envelope = decode_push(request)
    except InvalidInput as error:
        return _quarantine(request, ports, handler.name, str(error))
    return _run(request, ports, handler, envelope)


def handle_task(request: Request, ports: Ports, handler: Handler[H]) -> Response:
    """Answer a Cloud Tasks delivery."""
    try:
        envelope = decode_task(request)
    except InvalidInput as error:
        return _quarantine(request, ports, handler.name, str(error))
    return _run(request, ports, handler, envelope)


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
    trace = attributes.get("trace") if isinstance(attributes, dict) else None
    attempt = outer.get("deliveryAttempt") if isinstance(outer, dict) else None
    return Envelope(
        body=_json(raw, "message.data"),
        trace=trace if isinstance(trace, str) else _trace_header(request),
        # The emulator leaves the attempt out; then nothing may rely on it.
        delivery=attempt - 1 if isinstance(attempt, int) else None,
    )


def decode_task(request: Request) -> Envelope:
    """The envelope of a Cloud Tasks request. Raises InvalidInput for a body that is not JSON.

    The retry count is the one that counts every attempt; the execution count ignores 5xx answers.
    """
    retry = request.headers.get("X-CloudTasks-TaskRetryCount", "")
    return Envelope(
        body=_json(request.get_data(), "the task body"),
        trace=request.headers.get("X-Manthan-Trace") or _trace_header(request),
        delivery=int(retry) if retry.isascii() and retry.isdigit() and len(retry) < 10 else None,
    )


def _trace_header(request: Request) -> str:
    """The trace id of a W3C traceparent header, or one made from the request's own bytes."""
    parts = request.headers.get("traceparent", "").split("-")
    return (
        parts[1] if len(parts) == 4 and len(parts[1]) == 32 else short_hash(request.get_data(as_text=True), length=32)
    )


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


def _run(request: Request, ports: Ports, handler: Handler[H], envelope: Envelope) -> Response:
    try:
        hint = handler.shape.model_validate(envelope.body)
    except ValidationError as error:
        where = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:5])
        return _quarantine(request, ports, handler.name, f"the hint is malformed: {where}")
    context = system_context(hint.org, envelope.trace)
    try:
        handler.run(ports, context, hint, envelope)
    except IllegalTransition as error:
        return _fault(ports, context, handler, hint, envelope, error)
    except Terminal as error:
        return _quarantine(request, ports, handler.name, str(error))
    except (Retryable, Conflict) as error:
        return _later(handler.name, error)
    except Exception as error:  # noqa: BLE001 - the one handler shell: an unexpected error asks for redelivery
        return _fault(ports, context, handler, hint, envelope, error)
    return Response(status=204)


def _later(name: str, error: ManthanError) -> Response:
    after = error.after if isinstance(error, Retryable) else None
    logger.info("%s: later: %s (%s)", name, error, error.code)
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


def _quarantine(request: Request, ports: Ports, name: str, reason: str) -> Response:
    body = request.get_data(as_text=True)
    now = ports.clock.now()
    logger.warning("%s: quarantined a request: %s", name, reason)
    ports.inbox.put(
        InboxEntry(
            org=TRANSPORT_ORG,
            id=f"{name}-{short_hash(body)}",
            type=f"transport.{name}",
            received_at=now,
            body=body,
            status=InboxStatus.QUARANTINED,
            reason=reason,
            expires_at=now + INBOX_KEEP,
        )
    )
    return Response(status=204)
