"""Queues: what the service lets one do with them, and how they hold tasks back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from google.api_core import exceptions
from google.cloud import tasks_v2

from tests.unit.fakes_cloud_tasks.conftest import LOCATION, QUEUE, START, Bench
from tests.unit.runtime.house import answers

OTHER = f"{LOCATION}/queues/other"


def test_a_new_queue_has_the_defaults_of_the_service(bench: Bench) -> None:
    queue = bench.client.get_queue(name=QUEUE)
    assert queue.state == tasks_v2.Queue.State.RUNNING
    assert queue.rate_limits.max_dispatches_per_second == 500
    assert queue.rate_limits.max_concurrent_dispatches == 1000
    retry = queue.retry_config
    assert (retry.max_attempts, retry.max_doublings) == (100, 16)
    assert (retry.min_backoff, retry.max_backoff) == (timedelta(seconds=0.1), timedelta(hours=1))


def test_queues_are_listed_by_page_and_only_those_of_the_location(bench: Bench) -> None:
    for number in range(4):
        bench.queue(f"{LOCATION}/queues/q{number}")
    elsewhere = "projects/acme/locations/us-east1"
    bench.client.create_queue(parent=elsewhere, queue={"name": f"{elsewhere}/queues/far"})
    pages = list(bench.client.list_queues(request={"parent": LOCATION, "page_size": 2}).pages)
    assert [len(page.queues) for page in pages] == [2, 2, 1]
    assert [queue.name.rsplit("/", 1)[1] for page in pages for queue in page.queues] == [
        "q0",
        "q1",
        "q2",
        "q3",
        "specialists",
    ]


def test_a_queue_that_exists_cannot_be_created_again(bench: Bench) -> None:
    with pytest.raises(exceptions.AlreadyExists):
        bench.queue()


def test_an_update_changes_the_fields_of_its_mask_alone(bench: Bench) -> None:
    bench.queue(OTHER, retry_config={"max_attempts": 7}, rate_limits={"max_dispatches_per_second": 5})
    wanted = tasks_v2.Queue(name=OTHER, retry_config={"max_attempts": 3}, rate_limits={"max_concurrent_dispatches": 2})
    mask = {"paths": ["rate_limits.max_concurrent_dispatches"]}
    changed = bench.client.update_queue(queue=wanted, update_mask=mask)
    limits = changed.rate_limits
    assert (limits.max_dispatches_per_second, limits.max_concurrent_dispatches) == (5, 2)
    assert changed.retry_config.max_attempts == 7


def test_an_update_without_a_mask_replaces_everything_and_creates_what_is_not_there(bench: Bench) -> None:
    bench.client.pause_queue(name=QUEUE)
    changed = bench.client.update_queue(queue={"name": QUEUE, "retry_config": {"max_attempts": 3}})
    assert (changed.retry_config.max_attempts, changed.state) == (3, tasks_v2.Queue.State.PAUSED)
    bench.client.update_queue(queue={"name": OTHER})
    assert bench.client.get_queue(name=OTHER).state == tasks_v2.Queue.State.RUNNING


def test_an_updated_policy_holds_for_tasks_that_wait(bench: Bench) -> None:
    bench.worker.answer = lambda seen: 500
    bench.client.pause_queue(name=QUEUE)
    bench.task("t")
    bench.client.update_queue(queue={"name": QUEUE, "retry_config": {"max_attempts": 1}})
    bench.client.resume_queue(name=QUEUE)
    assert bench.settle() == 1
    assert [dropped.attempts for dropped in bench.emulator.dropped()] == [1]


@pytest.mark.parametrize(
    "fields",
    [
        {"rate_limits": {"max_dispatches_per_second": 501}},
        {"rate_limits": {"max_dispatches_per_second": -1}},
        {"rate_limits": {"max_concurrent_dispatches": 5001}},
        {"retry_config": {"max_attempts": -2}},
        {"retry_config": {"max_doublings": -1}},
        {"retry_config": {"min_backoff": timedelta(seconds=9), "max_backoff": timedelta(seconds=8)}},
        {"retry_config": {"max_retry_duration": timedelta(seconds=-1)}},
    ],
)
def test_limits_that_the_service_does_not_accept_are_refused(bench: Bench, fields: dict[str, Any]) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        bench.queue(OTHER, **fields)


@pytest.mark.parametrize("name", ["specialists", f"{LOCATION}/queues/under_score", f"{LOCATION}/queues/{'x' * 101}"])
def test_a_name_that_is_none_is_refused(bench: Bench, name: str) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        bench.queue(name)


def test_a_field_that_a_queue_does_not_have_cannot_be_updated(bench: Bench) -> None:
    with pytest.raises(exceptions.InvalidArgument):
        bench.client.update_queue(queue={"name": QUEUE}, update_mask={"paths": ["colour"]})


def test_what_the_emulator_does_not_support_is_refused_instead_of_ignored(bench: Bench) -> None:
    with pytest.raises(exceptions.MethodNotImplemented):
        bench.queue(OTHER, http_target={"uri_override": {"host": "elsewhere"}})
    with pytest.raises(exceptions.MethodNotImplemented):
        bench.client.get_iam_policy(request={"resource": QUEUE})


def test_what_is_done_with_a_queue_that_is_not_there_says_so(bench: Bench) -> None:
    for method in ("get_queue", "delete_queue", "purge_queue", "pause_queue", "resume_queue"):
        with pytest.raises(exceptions.NotFound):
            getattr(bench.client, method)(name=OTHER)
    with pytest.raises(exceptions.NotFound):
        bench.client.list_tasks(parent=OTHER)
    with pytest.raises(exceptions.FailedPrecondition):
        bench.task("t", queue=OTHER)


def test_a_paused_queue_takes_tasks_and_dispatches_them_once_resumed(bench: Bench) -> None:
    assert bench.client.pause_queue(name=QUEUE).state == tasks_v2.Queue.State.PAUSED
    bench.task("t")
    assert bench.after(3600) == 0
    assert bench.client.resume_queue(name=QUEUE).state == tasks_v2.Queue.State.RUNNING
    assert bench.settle() == 1


def test_a_purged_queue_forgets_its_tasks_and_when(bench: Bench) -> None:
    bench.task("t", schedule_time=START + timedelta(hours=1))
    assert bench.client.purge_queue(name=QUEUE).purge_time == START
    assert list(bench.client.list_tasks(parent=QUEUE)) == []
    assert bench.after(7200) == 0


def test_a_deleted_queue_is_gone_with_its_tasks(bench: Bench) -> None:
    bench.task("t", schedule_time=START + timedelta(hours=1))
    bench.client.delete_queue(name=QUEUE)
    assert bench.after(7200) == 0
    bench.queue()
    assert list(bench.client.list_tasks(parent=QUEUE)) == []


def test_a_rate_is_a_bucket_of_tokens_that_is_filled_as_time_passes(bench: Bench) -> None:
    bench.queue(OTHER, rate_limits={"max_dispatches_per_second": 2})
    for _ in range(20):
        bench.task(queue=OTHER)
    burst = bench.client.get_queue(name=OTHER).rate_limits.max_burst_size
    assert bench.settle() == burst == 10
    assert bench.calls_at(0.25, 0.25, 1.5, 100) == [burst, burst + 1, burst + 4, 20]


def test_no_more_attempts_are_under_way_than_allowed(bench: Bench) -> None:
    bench.queue(OTHER, rate_limits={"max_concurrent_dispatches": 2})
    at_once: list[int] = []

    def answer(seen: object) -> int:
        at_once.append(bench.emulator.counts()[OTHER].running)
        return 204

    bench.worker.answer = answer
    for _ in range(12):
        bench.task(queue=OTHER)
    assert bench.settle() == 12
    assert max(at_once) <= 2


def test_one_queue_does_not_hold_up_another(bench: Bench) -> None:
    bench.queue(OTHER)
    bench.client.pause_queue(name=QUEUE)
    bench.task("held")
    bench.task("free", queue=OTHER)
    assert bench.settle() == 1
    assert bench.worker.seen[0].headers["X_CLOUDTASKS_QUEUENAME"] == "other"


def test_counts_say_what_is_due_what_waits_and_what_was_dropped(bench: Bench) -> None:
    bench.worker.answer = answers(500)
    bench.task("dropped", retry_config={"max_attempts": 1})
    bench.settle()
    bench.client.pause_queue(name=QUEUE)
    bench.task("due")
    bench.task("later", schedule_time=START + timedelta(hours=1))
    counts = bench.emulator.counts()[QUEUE]
    assert (counts.ready, counts.delayed, counts.running, counts.paused) == (1, 1, 0, True)
    (dropped,) = bench.emulator.dropped()
    assert (dropped.name, dropped.at, dropped.attempts, dropped.last_status) == (
        f"{QUEUE}/tasks/dropped",
        START,
        1,
        500,
    )
