"""What the core may expect of Tasks, whoever carries them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.errors import InvalidInput
from shared.ports.queue import Retry, Task
from tests.contract.transports import TRANSPORTS, Transport
from tests.unit.runtime.house import START, answers

TASK = Task(
    queue="specialists",
    name="h-1",
    function="specialist",
    body={"case": "case_1", "round": 1},
    deadline_s=60.0,
    retry=Retry(max_attempts=3, min_backoff_s=2.0, max_backoff_s=60.0, max_duration_s=0.0),
)


@pytest.fixture(params=sorted(TRANSPORTS))
def transport(request: pytest.FixtureRequest) -> Iterator[Transport]:
    """A transport with a queue `specialists` and a function `specialist`."""
    with TRANSPORTS[request.param](request) as opened:
        yield opened


def _run(transport: Transport, seconds: float = 0.0) -> int:
    """Let time pass and say how many deliveries there have been."""
    transport.pass_time(seconds)
    transport.settle()
    return len(transport.function.seen)


def test_a_task_reaches_its_function_with_its_body_and_the_headers_of_cloud_tasks(transport: Transport) -> None:
    assert transport.tasks.enqueue(replace(TASK, attributes={"org": "acme", "traceparent": "00-ab-cd-01"}))
    seen = transport.function.wait()
    assert seen.json == {"case": "case_1", "round": 1}
    assert seen.headers["CONTENT_TYPE"] == "application/json"
    assert seen.headers["X_CLOUDTASKS_QUEUENAME"] == "specialists"
    assert seen.headers["X_CLOUDTASKS_TASKNAME"] == "h-1"
    assert seen.headers["X_CLOUDTASKS_TASKRETRYCOUNT"] == "0"
    assert seen.headers["X_CLOUDTASKS_TASKEXECUTIONCOUNT"] == "0"
    assert float(seen.headers["X_CLOUDTASKS_TASKETA"]) == START.timestamp()
    assert "X_CLOUDTASKS_TASKPREVIOUSRESPONSE" not in seen.headers
    assert seen.headers["X_MANTHAN_ORG"] == "acme"
    assert seen.headers["X_MANTHAN_TRACEPARENT"] == "00-ab-cd-01"


def test_a_scheduled_task_is_not_delivered_before_its_time(transport: Transport) -> None:
    transport.tasks.enqueue(replace(TASK, schedule_at=START + timedelta(seconds=90)))
    assert _run(transport, 89) == 0
    assert _run(transport, 1) == 1


def test_a_task_scheduled_in_the_past_is_delivered_at_once(transport: Transport) -> None:
    transport.tasks.enqueue(replace(TASK, schedule_at=START - timedelta(days=1)))
    assert _run(transport) == 1
    assert float(transport.function.seen[0].headers["X_CLOUDTASKS_TASKETA"]) == START.timestamp()


def test_a_name_that_waits_is_refused_and_delivered_once(transport: Transport) -> None:
    later = replace(TASK, schedule_at=START + timedelta(seconds=60))
    assert transport.tasks.enqueue(later)
    assert not transport.tasks.enqueue(later)
    assert _run(transport, 60) == 1


def test_a_name_stays_taken_for_24_hours_after_its_task_is_done(transport: Transport) -> None:
    transport.tasks.enqueue(TASK)
    assert _run(transport) == 1
    transport.pass_time(24 * 3600 - 1)
    assert not transport.tasks.enqueue(TASK)
    transport.pass_time(1)
    assert transport.tasks.enqueue(TASK)
    assert _run(transport) == 2


def test_a_name_stays_taken_after_its_task_was_given_up(transport: Transport) -> None:
    transport.function.answer = answers(500)
    once = replace(TASK, retry=replace(TASK.retry, max_attempts=1))
    transport.tasks.enqueue(once)
    assert _run(transport) == 1
    assert not transport.tasks.enqueue(once)


def test_the_same_name_on_another_queue_is_another_task(transport: Transport) -> None:
    assert transport.tasks.enqueue(TASK)
    assert transport.tasks.enqueue(replace(TASK, queue="watchdogs"))
    assert _run(transport) == 2


def test_every_2xx_acknowledges_a_task(transport: Transport) -> None:
    transport.function.answer = answers(206)
    transport.tasks.enqueue(TASK)
    assert _run(transport, 3600) == 1


def test_retries_carry_their_counts_and_the_previous_response_and_5xx_does_not_count_as_executed(
    transport: Transport,
) -> None:
    transport.function.answer = answers(503, 400, 204)
    transport.tasks.enqueue(TASK)
    for seconds in (0, 2, 4):
        _run(transport, seconds)
    history = [
        (
            seen.headers["X_CLOUDTASKS_TASKRETRYCOUNT"],
            seen.headers["X_CLOUDTASKS_TASKEXECUTIONCOUNT"],
            seen.headers.get("X_CLOUDTASKS_TASKPREVIOUSRESPONSE"),
        )
        for seen in transport.function.seen
    ]
    assert history == [("0", "0", None), ("1", "0", "503"), ("2", "1", "400")]


def test_every_attempt_carries_the_body_of_the_first(transport: Transport) -> None:
    transport.function.answer = answers(500, 500)
    transport.tasks.enqueue(TASK)
    for seconds in (0, 2, 4):
        _run(transport, seconds)
    assert len(transport.function.seen) == 3
    assert {seen.body for seen in transport.function.seen} == {transport.function.seen[0].body}


def test_a_task_is_given_up_silently_after_its_last_attempt(transport: Transport) -> None:
    transport.function.answer = lambda seen: 500
    transport.tasks.enqueue(TASK)
    for _ in range(10):
        _run(transport, 600)
    assert len(transport.function.seen) == 3


def test_retries_go_on_until_both_limits_are_reached(transport: Transport) -> None:
    transport.function.answer = lambda seen: 500
    transport.tasks.enqueue(replace(TASK, retry=Retry(2, 10.0, 10.0, max_duration_s=45.0)))
    assert [_run(transport, seconds) for seconds in (0, *[10] * 7)] == [1, 2, 3, 4, 5, 6, 6, 6]


def test_the_handler_can_ask_to_be_left_alone_for_longer(transport: Transport) -> None:
    transport.function.answer = answers((503, {"Retry-After": "40"}), (429, {"Retry-After": "30"}))
    transport.tasks.enqueue(TASK)
    assert [_run(transport, seconds) for seconds in (0, 39, 1, 29, 1)] == [1, 1, 2, 2, 3]


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ""},
        {"name": "has space"},
        {"body": {"text": "x" * 110_000}},
        {"schedule_at": START + timedelta(days=31)},
        {"attributes": {"org": "acme\r\nX-Evil: 1"}},
        {"attributes": {"bad name": "x"}},
    ],
)
def test_what_cloud_tasks_refuses_is_refused_everywhere(transport: Transport, changes: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        transport.tasks.enqueue(replace(TASK, **changes))  # type: ignore[arg-type]
