"""Attempts: the request that a worker gets, retries, deadlines, giving up."""

from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from google.cloud import tasks_v2

from infra.fakes.cloud_tasks import dispatcher
from tests.unit.fakes_cloud_tasks.conftest import QUEUE, START, Bench
from tests.unit.runtime.house import answers

SLOW = {"min_backoff": timedelta(seconds=10), "max_backoff": timedelta(seconds=300), "max_doublings": 3}


def test_a_worker_gets_the_headers_of_the_service(bench: Bench) -> None:
    bench.task("t", schedule_time=START + timedelta(seconds=1.5))
    bench.after(1.5)
    headers = bench.worker.seen[0].headers
    assert headers["USER_AGENT"] == "Google-Cloud-Tasks"
    assert headers["CONTENT_TYPE"] == "application/octet-stream"
    told = {name: value for name, value in headers.items() if name.startswith("X_CLOUDTASKS_")}
    assert told == {
        "X_CLOUDTASKS_QUEUENAME": "specialists",
        "X_CLOUDTASKS_TASKNAME": "t",
        "X_CLOUDTASKS_TASKRETRYCOUNT": "0",
        "X_CLOUDTASKS_TASKEXECUTIONCOUNT": "0",
        "X_CLOUDTASKS_TASKETA": f"{START.timestamp() + 1.5:.6f}",
    }


def test_retries_say_what_came_before_and_5xx_does_not_count_as_executed(bench: Bench) -> None:
    bench.worker.answer = answers(503, 400, 204)
    bench.task("t", retry_config=SLOW)
    assert bench.calls_at(0, 10, 20) == [1, 2, 3]
    told = [
        tuple(seen.headers[f"X_CLOUDTASKS_TASK{name}"] for name in ("RETRYCOUNT", "EXECUTIONCOUNT", "RETRYREASON"))
        for seen in bench.worker.seen[1:]
    ]
    assert told == [
        ("1", "0", "UNAVAILABLE(14): HTTP status code 503"),
        ("2", "1", "INVALID_ARGUMENT(3): HTTP status code 400"),
    ]
    assert [seen.headers["X_CLOUDTASKS_TASKPREVIOUSRESPONSE"] for seen in bench.worker.seen[1:]] == ["503", "400"]


def test_headers_of_the_task_are_sent_except_those_that_are_the_services_own(bench: Bench) -> None:
    theirs = {
        "Content-Type": "application/json",
        "X-Org": "acme",
        "X-CloudTasks-TaskRetryCount": "99",
        "x-google-evil": "1",
        "X-AppEngine-Evil": "1",
        "User-Agent": "somebody",
        "Host": "elsewhere",
        "Content-Length": "7",
    }
    bench.task("t", request={"headers": theirs})
    bench.settle()
    headers = bench.worker.seen[0].headers
    assert (headers["CONTENT_TYPE"], headers["X_ORG"]) == ("application/json", "acme")
    assert headers["X_CLOUDTASKS_TASKRETRYCOUNT"] == "0"
    assert headers["USER_AGENT"] == "Google-Cloud-Tasks"
    assert headers["HOST"] in bench.url
    assert not [name for name in headers if name.endswith("_EVIL")]


@pytest.mark.parametrize("method", [tasks_v2.HttpMethod.PUT, tasks_v2.HttpMethod.PATCH])
def test_other_methods_with_a_body_are_sent_as_they_are(bench: Bench, method: tasks_v2.HttpMethod) -> None:
    bench.task("t", request={"http_method": method, "url": f"{bench.url}some/path?and=query", "body": b"[1]"})
    bench.settle()
    assert bench.worker.seen[0].body == b"[1]"


def test_every_2xx_ends_a_task_and_nothing_else_does(bench: Bench) -> None:
    bench.worker.answer = answers(302, 404, 206)
    bench.task("t")
    bench.settle()
    assert bench.calls_at(1, 1, 3600) == [2, 3, 3]


def test_the_wait_doubles_then_grows_by_a_constant_up_to_its_cap(bench: Bench) -> None:
    bench.worker.answer = lambda seen: 500
    bench.task("t", retry_config=SLOW)
    bench.settle()
    for number, wait in enumerate([10, 20, 40, 80, 160, 240, 300, 300], start=1):
        assert bench.after(wait - 1) == number
        assert bench.after(1) == number + 1


def test_a_task_is_given_up_when_attempts_and_duration_are_both_used_up(bench: Bench) -> None:
    bench.worker.answer = lambda seen: 500
    ten = timedelta(seconds=10)
    both = {"max_attempts": 2, "max_retry_duration": timedelta(seconds=45), "min_backoff": ten, "max_backoff": ten}
    bench.task("t", retry_config=both)
    assert bench.calls_at(0, *[10] * 7) == [1, 2, 3, 4, 5, 6, 6, 6]
    (dropped,) = bench.emulator.dropped()
    assert (dropped.attempts, dropped.at) == (6, START + timedelta(seconds=50))


def test_the_policy_of_a_task_goes_before_that_of_its_queue(bench: Bench) -> None:
    bench.worker.answer = lambda seen: 500
    bench.client.update_queue(queue={"name": QUEUE, "retry_config": {"max_attempts": 1}})
    bench.task("by-its-own", retry_config={"max_attempts": 3})
    bench.task("by-the-queue")
    bench.settle()
    bench.calls_at(60, 60, 60)
    assert {dropped.name.rsplit("/", 1)[1]: dropped.attempts for dropped in bench.emulator.dropped()} == {
        "by-its-own": 3,
        "by-the-queue": 1,
    }


def test_without_a_limit_of_attempts_a_task_ends_with_its_retention(bench: Bench) -> None:
    bench.worker.answer = lambda seen: 500
    bench.task(
        "t", retry_config={"max_attempts": -1, "min_backoff": timedelta(days=1), "max_backoff": timedelta(days=1)}
    )
    bench.settle()
    for _ in range(40):
        bench.after(86_400)
    (dropped,) = bench.emulator.dropped()
    assert dropped.at == START + timedelta(days=31)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_honoured_when_the_worker_is_overloaded(bench: Bench, status: int) -> None:
    bench.worker.answer = answers((status, {"Retry-After": "40"}))
    bench.task("t")
    bench.settle()
    assert bench.calls_at(39, 1) == [1, 2]


def test_retry_after_may_be_a_date(bench: Bench) -> None:
    bench.worker.answer = answers((503, {"Retry-After": format_datetime(datetime.now(UTC) + timedelta(minutes=10))}))
    bench.task("t")
    bench.settle()
    assert bench.calls_at(580, 20) == [1, 2]


def test_other_answers_cannot_ask_for_a_wait(bench: Bench) -> None:
    bench.worker.answer = answers((500, {"Retry-After": "40"}))
    bench.task("t")
    bench.settle()
    assert bench.after(1) == 2


def test_a_worker_that_cannot_be_reached_is_tried_again(bench: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed_again:
        port = closed_again.getsockname()[1]
    bench.task("t", request={"url": f"http://127.0.0.1:{port}/"}, retry_config={"max_attempts": 1})
    bench.settle()
    assert [dropped.last_status for dropped in bench.emulator.dropped()] == [503]


def test_an_attempt_that_reaches_its_deadline_has_failed_while_the_worker_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, let_go, finished = threading.Event(), threading.Event(), threading.Event()

    def answer(seen: Any) -> int:
        if seen.headers["X_CLOUDTASKS_TASKRETRYCOUNT"] == "0":
            started.set()
            let_go.wait(20)
            finished.set()
        return 204

    bench.worker.answer = answer
    later = _Monotonic()
    monkeypatch.setattr(dispatcher, "time", later)
    bench.task("t", dispatch_deadline=timedelta(seconds=30), retry_config={"min_backoff": timedelta(seconds=5)})
    assert started.wait(20)
    later.offset_s = 31
    assert bench.after(0) == 1
    task = bench.client.get_task(name=f"{QUEUE}/tasks/t")
    assert (task.dispatch_count, task.response_count) == (1, 0)
    assert task.last_attempt.response_status.message.startswith("DEADLINE_EXCEEDED")
    assert not finished.is_set()
    assert bench.after(5) == 2
    assert bench.worker.seen[1].headers["X_CLOUDTASKS_TASKPREVIOUSRESPONSE"] == "504"
    let_go.set()
    assert finished.wait(20)
    assert bench.after(3600) == 2


class _Monotonic:
    """Real time that a test can put forward, so that nobody waits for a deadline of 15 seconds."""

    offset_s = 0.0

    def monotonic(self) -> float:
        import time

        return time.monotonic() + self.offset_s
