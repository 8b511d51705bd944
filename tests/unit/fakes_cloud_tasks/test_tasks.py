"""Tasks: creating, looking at, deleting and running them; what is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import tasks_v2

from tests.unit.fakes_cloud_tasks.conftest import LOCATION, QUEUE, START, Bench
from tests.unit.runtime.house import answers

TASK = f"{QUEUE}/tasks/t"


def test_a_new_task_has_the_defaults_of_the_service(bench: Bench) -> None:
    bench.client.pause_queue(name=QUEUE)
    task = bench.task()
    assert task.name.startswith(f"{QUEUE}/tasks/")
    assert (task.create_time, task.schedule_time) == (START, START)
    assert task.dispatch_deadline == timedelta(minutes=10)
    assert task.http_request.http_method == tasks_v2.HttpMethod.POST
    assert (task.dispatch_count, task.response_count) == (0, 0)


def test_the_basic_view_leaves_the_body_out_and_the_full_one_shows_it(bench: Bench) -> None:
    bench.client.pause_queue(name=QUEUE)
    bench.task("t")
    basic = bench.client.get_task(name=TASK)
    full = bench.client.get_task(request={"name": TASK, "response_view": tasks_v2.Task.View.FULL})
    assert (basic.http_request.body, basic.view) == (b"", tasks_v2.Task.View.BASIC)
    assert (full.http_request.body, full.view) == (b"{}", tasks_v2.Task.View.FULL)


def test_a_task_says_how_its_attempts_went(bench: Bench) -> None:
    bench.worker.answer = answers(503, 400)
    bench.task("t", retry_config={"min_backoff": timedelta(seconds=2)})
    bench.settle()
    bench.after(2)
    task = bench.client.get_task(name=TASK)
    assert (task.dispatch_count, task.response_count) == (2, 2)
    assert task.first_attempt.dispatch_time == START
    last = task.last_attempt
    assert (last.dispatch_time, last.response_time) == (START + timedelta(seconds=2),) * 2
    assert last.response_status.message == "INVALID_ARGUMENT(3): HTTP status code 400"
    assert task.schedule_time == START + timedelta(seconds=6)


def test_tasks_are_listed_by_page(bench: Bench) -> None:
    bench.client.pause_queue(name=QUEUE)
    for number in range(5):
        bench.task(f"t{number}")
    pages = list(bench.client.list_tasks(request={"parent": QUEUE, "page_size": 2}).pages)
    assert [len(page.tasks) for page in pages] == [2, 2, 1]
    with pytest.raises(exceptions.InvalidArgument):
        bench.client.list_tasks(request={"parent": QUEUE, "page_token": "what?"})


def test_a_deleted_task_is_not_attempted_and_its_name_stays_taken_for_a_day(bench: Bench) -> None:
    later = {"schedule_time": START + timedelta(hours=1)}
    bench.task("t", **later)
    bench.client.delete_task(name=TASK)
    with pytest.raises(exceptions.NotFound, match="existed recently"):
        bench.client.get_task(name=TASK)
    with pytest.raises(exceptions.AlreadyExists):
        bench.task("t", **later)
    assert bench.after(24 * 3600) == 0
    bench.task("t")
    assert bench.settle() == 1


def test_a_name_is_taken_while_its_task_waits_and_after_it_is_done(bench: Bench) -> None:
    bench.task("t")
    bench.settle()
    with pytest.raises(exceptions.AlreadyExists):
        bench.task("t")
    with pytest.raises(exceptions.NotFound):
        bench.client.delete_task(name=TASK)


def test_a_task_can_be_run_before_its_time_and_while_its_queue_is_paused(bench: Bench) -> None:
    bench.client.pause_queue(name=QUEUE)
    bench.task("t", schedule_time=START + timedelta(hours=1))
    assert bench.client.run_task(name=TASK).schedule_time == START
    assert bench.settle() == 1
    bench.client.resume_queue(name=QUEUE)
    assert bench.after(7200) == 1


def test_a_run_that_fails_is_retried_by_the_policy_from_then_on(bench: Bench) -> None:
    bench.worker.answer = answers(500)
    backoff = {"min_backoff": timedelta(seconds=10)}
    bench.task("t", schedule_time=START + timedelta(hours=1), retry_config=backoff)
    bench.client.run_task(name=TASK)
    bench.settle()
    assert bench.calls_at(9, 1, 7200) == [1, 2, 2]


def test_a_task_that_is_running_can_be_run_again_beside_it(bench: Bench) -> None:
    names: list[str] = []

    def answer(seen: Any) -> int:
        names.append(seen.headers["X_CLOUDTASKS_TASKNAME"])
        if len(names) == 1:
            bench.client.run_task(name=TASK)
        return 204

    bench.worker.answer = answer
    bench.task("t")
    assert bench.settle() == 2
    assert bench.after(3600) == 2


def test_a_task_that_is_deleted_while_it_is_attempted_is_not_retried(bench: Bench) -> None:
    def answer(seen: object) -> int:
        bench.client.delete_task(name=TASK)
        return 500

    bench.worker.answer = answer
    bench.task("t")
    bench.settle()
    assert bench.after(7200) == 1
    assert bench.emulator.dropped() == []


@pytest.mark.parametrize(
    "fields",
    [
        {"schedule_time": START + timedelta(days=30, seconds=1)},
        {"dispatch_deadline": timedelta(seconds=14)},
        {"dispatch_deadline": timedelta(minutes=31)},
        {"retry_config": {"max_attempts": -2}},
        {"request": {"body": b"x" * 102_401}},
        {"request": {"url": "ftp://somewhere/"}},
        {"request": {"url": "http:///path"}},
        {"request": {"url": "http://host:x/"}},
        {"request": {"url": "http://host/a b"}},
        {"request": {"url": "http://host/" + "x" * 2083}},
        {"request": {"http_method": tasks_v2.HttpMethod.GET}},
        {"request": {"headers": {"X-A": "1\r\nX-B: 2"}}},
        {"request": {"headers": {"bad name": "1"}}},
        {"request": {"headers": {"X-Large": "x" * 81_920}, "body": b""}},
        {"request": {"oidc_token": {"audience": "nobody"}}},
    ],
)
def test_what_the_service_does_not_accept_is_refused(bench: Bench, fields: dict[str, Any]) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        bench.task("t", **fields)


@pytest.mark.parametrize("name", ["t", f"{QUEUE}/tasks/has space", f"{QUEUE}/tasks/{'x' * 501}", f"{QUEUE}/tasks/"])
def test_a_name_that_is_none_is_refused(bench: Bench, name: str) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        bench.client.create_task(parent=QUEUE, task={"name": name, "http_request": {"url": bench.url}})


def test_a_task_of_another_queue_cannot_be_created_in_this_one(bench: Bench) -> None:
    with pytest.raises(exceptions.FailedPrecondition):
        bench.client.create_task(
            parent=QUEUE, task={"name": f"{LOCATION}/queues/other/tasks/t", "http_request": {"url": bench.url}}
        )


def test_a_task_without_a_request_is_refused_and_an_app_engine_task_is_not_supported(bench: Bench) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        bench.client.create_task(parent=QUEUE, task={})
    with pytest.raises(exceptions.MethodNotImplemented):
        bench.client.create_task(parent=QUEUE, task={"app_engine_http_request": {"relative_uri": "/"}})
