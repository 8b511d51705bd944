"""The embedded queue without a runtime: leases, back-off, dead letters, names, pauses, and what the file says."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from infra.local.queue import DurableQueue, Lease
from infra.local.queue_rows import LaneCounts
from infra.local.queued import Kind
from shared.errors import Retryable
from shared.ports.queue import Retry
from tests.unit.runtime.house import RETRY, START, House, house, message, task


@pytest.fixture
def serving(home: House) -> House:
    """A queue that delivers, to a listener that leaves all to the test."""
    home.queue.serve(lambda lane, due_at: None)
    return home


def _take(home: House, lane: str = "specialists") -> Lease:
    lease = home.queue.take(lane)
    assert lease is not None, f"nothing is due on {lane}"
    return lease


def _wait_s(home: House, lane: str = "specialists") -> float:
    due_at = home.queue.next_due([lane])
    assert due_at is not None
    wait: timedelta = due_at - home.clock.now()
    return wait.total_seconds()


def test_what_is_due_longest_comes_first(serving: House) -> None:
    for name, delay in (("c", 3), ("a", 1), ("b", 2)):
        serving.tasks.enqueue(task(name, schedule_at=START + timedelta(seconds=delay)))
    serving.clock.advance(10)
    assert [_take(serving).queued.name for _ in range(3)] == ["a", "b", "c"]
    assert serving.queue.take("specialists") is None


def test_a_delivery_under_way_is_nobody_elses(serving: House) -> None:
    serving.messages.publish(message())
    assert serving.queue.take("triage") is not None
    assert serving.queue.take("triage") is None


def test_the_wait_after_each_failure_is_the_back_off_to_the_second(serving: House) -> None:
    retry = Retry(max_attempts=8, min_backoff_s=1.5, max_backoff_s=20.0, max_duration_s=0.0)
    serving.tasks.enqueue(task(retry=retry))
    waits = []
    for _ in range(7):
        serving.queue.fail(_take(serving), 500)
        waits.append(_wait_s(serving))
        assert serving.queue.take("specialists") is None
        serving.clock.advance(waits[-1])
    assert waits == [1.5, 3.0, 6.0, 12.0, 20.0, 20.0, 20.0]


def test_the_longer_of_back_off_and_request_counts(serving: House) -> None:
    serving.tasks.enqueue(task())
    serving.queue.fail(_take(serving), 503, 0.5)
    assert _wait_s(serving) == 1.0
    serving.clock.advance(1.0)
    serving.queue.fail(_take(serving), 503, 40.0)
    assert _wait_s(serving) == 40.0


def test_a_lease_ends_at_its_deadline_and_the_late_answer_loses(serving: House) -> None:
    serving.tasks.enqueue(task(deadline_s=30.0))
    late = _take(serving)
    serving.clock.advance(29.9)
    assert serving.queue.time_out() == []
    serving.clock.advance(0.1)
    assert serving.queue.time_out() == [late]
    assert not serving.queue.acknowledge(late)
    assert not serving.queue.fail(late, 500)
    serving.clock.advance(_wait_s(serving))
    second = _take(serving)
    assert (second.queued.attempts, second.queued.executions, second.queued.last_status) == (2, 0, 504)
    assert not serving.queue.acknowledge(late), "the first attempt speaks for itself only"
    assert serving.queue.acknowledge(second)


def test_no_jump_of_the_calendar_ends_a_lease(serving: House) -> None:
    serving.tasks.enqueue(task(deadline_s=30.0))
    lease = _take(serving)
    serving.clock.jump_to(START + timedelta(days=75))
    assert serving.queue.time_out() == []
    assert serving.queue.acknowledge(lease)


def test_a_message_goes_to_the_dead_letters_after_its_last_attempt(tmp_path: Path) -> None:
    with house(tmp_path, retry=replace(RETRY, max_attempts=20)) as home:
        home.queue.serve(lambda lane, due_at: None)
        home.messages.publish(message(org="acme"))
        for _ in range(20):
            home.queue.fail(_take(home, "triage"), 500)
            home.clock.advance(60)
        assert home.queue.take("triage") is None
        (letter,) = home.queue.dead_letters()
        assert (letter.kind, letter.lane, letter.attempts, letter.last_status) == (Kind.MESSAGE, "triage", 20, 500)
        assert letter.body == '{"event":"evt_1"}'
        assert letter.attributes == {"org": "acme"}
        assert letter.reason == "20 attempts, the last one answered with 500"
        assert (letter.enqueued_at, letter.died_at) == (START, START + timedelta(seconds=19 * 60))
        assert home.queue.counts() == {"dead_letter": LaneCounts(ready=1), "triage": LaneCounts(dead=1)}


def test_a_message_that_is_given_up_goes_to_the_dead_letter_topic_as_pub_sub_forwards_it(tmp_path: Path) -> None:
    with house(tmp_path, retry=replace(RETRY, max_attempts=1)) as home:
        home.queue.serve(lambda lane, due_at: None)
        home.messages.publish(message(org="acme"))
        home.clock.advance(60)
        home.queue.fail(_take(home, "triage"), 500)
        lease = _take(home, "dead_letter")
        assert lease.queued.body == '{"event":"evt_1"}'
        assert dict(lease.queued.attributes) == {
            "org": "acme",
            "CloudPubSubDeadLetterSourceSubscription": "triage",
            "CloudPubSubDeadLetterSourceDeliveryCount": "1",
            "CloudPubSubDeadLetterSourceTopicPublishTime": START.isoformat(),
        }
        home.queue.fail(lease, 500)
        assert home.queue.counts()["dead_letter"] == LaneCounts(dead=1)  # and not round in circles


def test_a_task_that_is_given_up_is_listed_for_operators(serving: House) -> None:
    serving.tasks.enqueue(task(retry=replace(RETRY, max_attempts=1)))
    serving.queue.fail(_take(serving), 404)
    (letter,) = serving.queue.dead_letters()
    assert (letter.kind, letter.name, letter.function) == (Kind.TASK, "task-1", "specialist")
    assert serving.queue.counts() == {"specialists": LaneCounts(dead=1)}


def test_the_latest_dead_letter_comes_first(serving: House) -> None:
    for name in ("a", "b", "c"):
        serving.tasks.enqueue(task(name, retry=replace(RETRY, max_attempts=1)))
        serving.queue.fail(_take(serving), 500)
        serving.clock.advance(1)
    assert [letter.name for letter in serving.queue.dead_letters(limit=2)] == ["c", "b"]


def test_counts_tell_ready_delayed_and_under_way_apart(serving: House) -> None:
    for name, delay in (("a", 0), ("b", 0), ("c", 60)):
        serving.tasks.enqueue(task(name, schedule_at=START + timedelta(seconds=delay)))
    _take(serving)
    serving.messages.publish(message())
    assert serving.queue.counts() == {
        "specialists": LaneCounts(ready=1, delayed=1, in_flight=1),
        "triage": LaneCounts(ready=1),
    }


def test_a_paused_lane_delivers_nothing_and_is_due_never_until_it_is_resumed(serving: House) -> None:
    serving.tasks.enqueue(task())
    serving.queue.pause("specialists")
    serving.queue.pause("specialists")
    assert serving.queue.paused() == {"specialists"}
    assert serving.queue.take("specialists") is None
    assert serving.queue.next_due(["specialists"]) is None
    assert serving.queue.counts()["specialists"].paused
    serving.queue.resume("specialists")
    assert serving.queue.take("specialists") is not None


def test_a_pause_survives_a_restart_and_is_seen_by_other_processes(home: House) -> None:
    other = DurableQueue(home.database, home.clock)
    other.serve(lambda lane, due_at: None)
    home.queue.pause("actions")
    other.recover()
    assert other.paused() == DurableQueue(home.database, home.clock).paused() == {"actions"}


def test_of_many_threads_with_one_name_one_enqueues(serving: House) -> None:
    together = threading.Barrier(16)
    results: list[bool] = []

    def enqueue() -> None:
        together.wait()
        results.append(serving.tasks.enqueue(task("same")))

    threads = [threading.Thread(target=enqueue) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False] * 15 + [True]


def test_names_that_are_gone_are_forgotten_after_a_day_in_memory_and_in_the_file(serving: House) -> None:
    for name in ("a", "b"):
        serving.tasks.enqueue(task(name))
        serving.queue.acknowledge(_take(serving))
    rows = "SELECT count(*) FROM queue_deliveries"
    serving.queue.counts()
    assert serving.database.read(lambda connection: connection.execute(rows).fetchone()) == (2,)
    serving.clock.advance(24 * 3600)
    serving.queue.recover()
    serving.database.write(lambda connection: None)
    assert serving.database.read(lambda connection: connection.execute(rows).fetchone()) == (0,)
    assert serving.tasks.enqueue(task("a"))


def test_the_tombstone_of_a_task_holds_no_content(serving: House) -> None:
    serving.tasks.enqueue(task(attributes={"org": "acme"}))
    serving.queue.acknowledge(_take(serving))
    serving.queue.counts()
    content = "SELECT body, attributes FROM queue_deliveries"
    assert serving.database.read(lambda connection: connection.execute(content).fetchall()) == [("", "{}")]


def test_a_message_that_is_acknowledged_at_once_leaves_nothing_behind(serving: House) -> None:
    for number in range(50):
        serving.messages.publish(message(number))
        serving.queue.acknowledge(_take(serving, "triage"))
    assert serving.queue.counts() == {}


def test_the_listener_hears_of_everything_with_the_instant_it_is_due(home: House) -> None:
    heard: list[tuple[str, datetime]] = []
    home.queue.serve(lambda lane, due_at: heard.append((lane, due_at)))
    home.messages.publish(message())
    later = START + timedelta(seconds=30)
    home.tasks.enqueue(task(schedule_at=later))
    home.queue.fail(_take(home, "triage"), 500)
    assert heard == [("triage", START), ("specialists", later), ("triage", START + timedelta(seconds=1))]


def test_enqueuing_on_a_closed_database_is_retryable_and_leaves_the_name_free(home: House) -> None:
    home.queue.serve(lambda lane, due_at: None)
    home.database.close()
    for _ in range(2):
        with pytest.raises(Retryable):
            home.tasks.enqueue(task())
    with pytest.raises(Retryable):
        home.messages.publish(message())
    assert home.queue.next_due(["specialists", "triage"]) is None
