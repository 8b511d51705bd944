"""What a process leaves behind when it ends, and when it is killed."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from infra.local.clock import ManualClock
from infra.local.queue import DurableQueue
from infra.local.queue_rows import LaneCounts
from tests.unit.runtime.house import START, Function, House, house, message, running, settled, task

LANES = ["specialists", "triage"]

KILLED = """
import sys, threading
from datetime import timedelta
from pathlib import Path
from tests.unit.runtime.house import START, Function, house, message, task

def hang(seen):
    threading.Event().wait()

with house(Path(sys.argv[1])) as home:
    specialist = Function(answer=hang)
    runtime = home.runtime({"specialist": specialist}, subscriptions={})
    home.tasks.enqueue(task("early"))
    runtime.start()
    specialist.wait()
    home.tasks.enqueue(task("under-way"))
    specialist.wait()
    home.tasks.enqueue(task("delayed", schedule_at=START + timedelta(hours=1)))
    home.messages.publish(message(org="acme"))
    print(sorted(home.queue.counts().items()), flush=True)
    threading.Event().wait()
"""


@pytest.fixture
def killed(tmp_path: Path) -> str:
    """A process killed with two deliveries under way, one delayed and one without a subscriber: its counts."""
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout is not None
        counts = child.stdout.readline().strip()
        child.kill()
    return counts


def test_after_kill_9_everything_is_delivered_by_the_next_process(tmp_path: Path, killed: str) -> None:
    assert killed == str([("specialists", LaneCounts(delayed=1, in_flight=2)), ("triage", LaneCounts(ready=1))]), (
        "the child was to be killed with two attempts under way"
    )
    triage, specialist = Function(), Function()
    with house(tmp_path) as home:
        with running(home.runtime({"triage": triage, "specialist": specialist})) as runtime:
            settled(runtime)
            assert sorted(seen.headers["X_CLOUDTASKS_TASKNAME"] for seen in specialist.seen) == ["early", "under-way"]
            assert {seen.retry_count for seen in specialist.seen} == {1}, "the attempt that died counts"
            assert triage.seen[0].json["message"]["attributes"] == {"org": "acme"}
            assert runtime.next_due() == START + timedelta(hours=1)
        assert home.queue.counts() == {"specialists": LaneCounts(delayed=1)}
        assert home.database.read(lambda c: c.execute("PRAGMA integrity_check").fetchone()) == ("ok",)


def test_a_name_survives_the_death_of_its_process(tmp_path: Path, killed: str) -> None:
    with house(tmp_path) as home:
        assert not home.tasks.enqueue(task("delayed"))
        home.queue.serve(lambda lane, due_at: None)
        assert not home.tasks.enqueue(task("delayed"))


def test_a_process_that_ends_leaves_its_work_to_the_next(tmp_path: Path) -> None:
    with house(tmp_path) as first:
        with running(first.runtime({}, subscriptions={})):
            first.messages.publish(message())
            first.tasks.enqueue(task(schedule_at=START + timedelta(hours=1)))
    with house(tmp_path) as second:
        second.queue.serve(lambda lane, due_at: None)
        assert second.queue.take("triage") is not None
        assert second.queue.next_due(["specialists"]) == START + timedelta(hours=1)


def test_a_process_that_delivers_nothing_leaves_its_messages_to_one_that_does(home: House) -> None:
    other = DurableQueue(home.database, home.clock)
    other.serve(lambda lane, due_at: None)
    home.messages.publish(message())
    home.tasks.enqueue(task())
    assert home.queue.take("triage") is None
    home.queue.counts()
    assert other.recover() == 2
    assert other.take("triage") is not None
    assert not other.recover()


def test_nobody_adopts_what_a_living_process_delivers(home: House) -> None:
    home.queue.serve(lambda lane, due_at: None)
    home.messages.publish(message())
    home.tasks.enqueue(task())
    home.queue.take("specialists")
    home.queue.counts()
    other = DurableQueue(home.database, home.clock)
    other.serve(lambda lane, due_at: None)
    assert other.next_due(LANES) is None


def test_what_was_enqueued_before_the_runtime_started_is_delivered(home: House) -> None:
    triage = Function()
    home.messages.publish(message())
    with running(home.runtime({"triage": triage})) as runtime:
        settled(runtime)
    assert len(triage.seen) == 1


def test_the_retries_of_an_adopted_task_go_on_where_they_were(tmp_path: Path) -> None:
    with house(tmp_path) as first:
        first.queue.serve(lambda lane, due_at: None)
        first.tasks.enqueue(task())
        lease = first.queue.take("specialists")
        assert lease is not None
        first.queue.fail(lease, 409)
        first.queue.release()
    with house(tmp_path, ManualClock(START + timedelta(seconds=1))) as second:
        second.queue.serve(lambda lane, due_at: None)
        again = second.queue.take("specialists")
        assert again is not None
        assert (again.queued.attempts, again.queued.executions, again.queued.last_status) == (2, 1, 409)
        assert again.queued.first_attempt_at == START
        assert again.queued.body == lease.queued.body
