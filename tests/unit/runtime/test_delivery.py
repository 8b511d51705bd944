"""Requests exactly as production sends them, and what the answers mean."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from email.utils import format_datetime

import pytest

from infra.local.delivery import DeliveryResponse, acknowledges, request_for, retry_after_s
from infra.local.queued import Kind, Queued
from tests.unit.runtime.house import RETRY, START


def _queued(kind: Kind, **changes: object) -> Queued:
    fields = {
        "id": 7001,
        "kind": kind,
        "lane": "triage",
        "body": '{"event":"evt_1"}',
        "deadline_s": 30.0,
        "retry": RETRY,
        "enqueued_at": START + timedelta(microseconds=123_456),
        "due_at": START + timedelta(microseconds=500_000),
        "attempts": 1,
    }
    return Queued(**{**fields, **changes})  # type: ignore[arg-type]


def test_a_push_has_every_field_of_a_production_push() -> None:
    request = request_for(_queued(Kind.MESSAGE, attempts=3, attributes={"org": "acme", "ordering_key": "case_1"}))
    assert request.headers["Content-Type"] == "application/json"
    assert request.deadline_s == 30.0
    assert json.loads(request.body) == {
        "subscription": "projects/local/subscriptions/triage",
        "deliveryAttempt": 3,
        "message": {
            "data": base64.b64encode(b'{"event":"evt_1"}').decode(),
            "attributes": {"org": "acme", "ordering_key": "case_1"},
            "messageId": "7001",
            "message_id": "7001",
            "publishTime": "2026-03-02T09:00:00.123Z",
            "publish_time": "2026-03-02T09:00:00.123Z",
            "orderingKey": "case_1",
        },
    }


def test_a_push_without_an_ordering_key_has_none() -> None:
    assert "orderingKey" not in json.loads(request_for(_queued(Kind.MESSAGE)).body)["message"]


def test_a_task_request_has_the_headers_of_cloud_tasks() -> None:
    queued = _queued(
        Kind.TASK, lane="specialists", name="h-1", attempts=3, executions=1, last_status=409, attributes={"org_id": "a"}
    )
    request = request_for(queued)
    assert request.body == b'{"event":"evt_1"}'
    assert request.headers == {
        "Content-Type": "application/json",
        "User-Agent": "Google-Cloud-Tasks",
        "X-CloudTasks-QueueName": "specialists",
        "X-CloudTasks-TaskName": "h-1",
        "X-CloudTasks-TaskRetryCount": "2",
        "X-CloudTasks-TaskExecutionCount": "1",
        "X-CloudTasks-TaskETA": f"{START.timestamp() + 0.5:.6f}",
        "X-CloudTasks-TaskPreviousResponse": "409",
        "X-Manthan-Org-Id": "a",
    }


def test_a_tick_of_the_scheduler_has_its_headers() -> None:
    request = request_for(_queued(Kind.JOB, function="sweep", body="{}"))
    assert request.headers["X-CloudScheduler"] == "true"
    assert request.headers["X-CloudScheduler-JobName"] == "sweep"
    assert request.headers["X-CloudScheduler-ScheduleTime"] == "2026-03-02T09:00:00.500Z"


def test_a_push_is_acknowledged_by_five_statuses_only() -> None:
    assert {status for status in range(100, 600) if acknowledges(Kind.MESSAGE, status)} == {102, 200, 201, 202, 204}


@pytest.mark.parametrize("kind", [Kind.TASK, Kind.JOB])
def test_a_task_is_acknowledged_by_any_2xx(kind: Kind) -> None:
    assert {status for status in range(100, 600) if acknowledges(kind, status)} == set(range(200, 300))


@pytest.mark.parametrize(
    ("kind", "status", "text", "seconds"),
    [
        (Kind.TASK, 503, "120", 120.0),
        (Kind.TASK, 429, " 5 ", 5.0),
        (Kind.TASK, 503, format_datetime(START + timedelta(seconds=90), usegmt=True), 90.0),
        (Kind.TASK, 503, format_datetime(START - timedelta(seconds=90), usegmt=True), 0.0),
        (Kind.TASK, 503, "99999999999999999999", 3600.0),
        (Kind.TASK, 503, "-5", 0.0),
        (Kind.TASK, 503, "1.5", 0.0),
        (Kind.TASK, 503, "soon", 0.0),
        (Kind.TASK, 503, "٣", 0.0),
        (Kind.TASK, 503, "", 0.0),
        (Kind.TASK, 500, "120", 0.0),
        (Kind.MESSAGE, 503, "120", 0.0),
    ],
)
def test_retry_after_counts_for_tasks_that_are_busy(kind: Kind, status: int, text: str, seconds: float) -> None:
    assert retry_after_s(kind, DeliveryResponse(status, {"retry-after": text}), START) == seconds
