"""A delivery as HTTP: the request exactly as production sends it, and what an answer means.

| transport       | request                                            | acknowledged by         | Retry-After |
|-----------------|----------------------------------------------------|-------------------------|-------------|
| Pub/Sub push    | JSON envelope with the base64 message              | 102, 200, 201, 202, 204 | ignored     |
| Cloud Tasks     | the task's body, `X-CloudTasks-*`, `X-Manthan-*`   | 2xx                     | on 429, 503 |
| Cloud Scheduler | the job's body, `X-CloudScheduler-*`               | 2xx                     | ignored     |
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from infra.local.queued import Kind, Queued
from shared.ports.task_rules import attribute_headers

MAX_RETRY_AFTER_S: Final = 3600.0
"""A handler cannot postpone its task further: longer waits belong to the case's wake_at."""
_PUSH_ACKS: Final = frozenset({102, 200, 201, 202, 204})


@dataclass(frozen=True, slots=True)
class DeliveryRequest:
    """A POST to a function's root. `deadline_s`: how long the sender waits for the answer."""

    headers: Mapping[str, str]
    body: bytes
    deadline_s: float


@dataclass(frozen=True, slots=True)
class DeliveryResponse:
    """The function's answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


Deliver = Callable[[str, DeliveryRequest], DeliveryResponse]
"""Carries a request to the function of that name and returns when it has answered completely."""


# The request


def request_for(queued: Queued) -> DeliveryRequest:
    """The request for the attempt that has just been started."""
    if queued.kind is Kind.MESSAGE:
        return _push(queued)
    headers = _scheduler_headers(queued) if queued.kind is Kind.JOB else _task_headers(queued)
    return DeliveryRequest(headers, queued.body.encode(), queued.deadline_s)


def _push(queued: Queued) -> DeliveryRequest:
    published, message_id = _rfc3339(queued.enqueued_at), str(queued.id)
    message: dict[str, object] = {
        "data": base64.b64encode(queued.body.encode()).decode("ascii"),
        "attributes": dict(queued.attributes),
        "messageId": message_id,
        "message_id": message_id,
        "publishTime": published,
        "publish_time": published,
    }
    if "ordering_key" in queued.attributes:
        message["orderingKey"] = queued.attributes["ordering_key"]
    envelope = {
        "message": message,
        "subscription": f"projects/local/subscriptions/{queued.lane}",
        "deliveryAttempt": queued.attempts,
    }
    headers = {"Content-Type": "application/json", "User-Agent": "CloudPubSub-Google"}
    return DeliveryRequest(headers, json.dumps(envelope, separators=(",", ":")).encode(), queued.deadline_s)


def _task_headers(queued: Queued) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Google-Cloud-Tasks",
        "X-CloudTasks-QueueName": queued.lane,
        "X-CloudTasks-TaskName": queued.name,
        "X-CloudTasks-TaskRetryCount": str(queued.attempts - 1),
        "X-CloudTasks-TaskExecutionCount": str(queued.executions),
        "X-CloudTasks-TaskETA": f"{queued.due_at.timestamp():.6f}",
    }
    if queued.last_status is not None:
        headers["X-CloudTasks-TaskPreviousResponse"] = str(queued.last_status)
    return headers | attribute_headers(queued.attributes)


def _scheduler_headers(queued: Queued) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": "Google-Cloud-Scheduler",
        "X-CloudScheduler": "true",
        "X-CloudScheduler-JobName": queued.function,
        "X-CloudScheduler-ScheduleTime": _rfc3339(queued.due_at),
    }


def _rfc3339(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


# The answer


def acknowledges(kind: Kind, status: int) -> bool:
    """Whether this status ends the delivery; everything else has it tried again."""
    return status in _PUSH_ACKS if kind is Kind.MESSAGE else 200 <= status <= 299


def retry_after_s(kind: Kind, response: DeliveryResponse, now: datetime) -> float:
    """How many seconds the handler of a task asks to be left alone; 0 when it does not say, or not readably."""
    text = response.headers.get("retry-after", "").strip()
    if kind is not Kind.TASK or response.status not in (429, 503) or not text:
        return 0.0
    seconds = float(text) if text.isascii() and text.isdecimal() else _seconds_until(text, now)
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_S)


def _seconds_until(http_date: str, now: datetime) -> float:
    try:
        instant = parsedate_to_datetime(http_date)
    except ValueError:
        return 0.0
    return (instant.replace(tzinfo=instant.tzinfo or UTC) - now).total_seconds()
