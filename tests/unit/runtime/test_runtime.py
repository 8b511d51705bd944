"""The in-process runtime: at once, side by side, and never held up by one that hangs."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from infra.local.clock import SystemClock
from infra.local.runtime import LocalRuntime
from tests.unit.runtime.house import (
    PATIENCE_S,
    RETRY,
    START,
    Function,
    House,
    Seen,
    answers,
    house,
    message,
    running,
    settled,
    task,
)


class Hanging:
    """An answer that does not come until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def __call__(self, seen: Seen) -> int:
        self.let_go.wait(PATIENCE_S)
        return 204


def time_out(home: House, runtime: LocalRuntime, seconds: float) -> None:
    """Let an attempt's deadline pass and wait until the runtime has given it up."""
    seen = runtime.moves()
    home.clock.advance(seconds)
    assert runtime.wait_for_move(seen, PATIENCE_S), "the attempt did not time out"


def test_a_message_wakes_an_idle_runtime(home: House) -> None:
    triage = Function()
    with running(home.runtime({"triage": triage})) as runtime:
        assert runtime.idle()
        home.messages.publish(message())
        triage.wait()
        settled(runtime)


def test_an_idle_runtime_has_one_thread(home: House) -> None:
    before = threading.active_count()
    with running(home.runtime({"triage": Function()})):
        assert threading.active_count() == before + 1


def test_stopping_leaves_no_thread_and_may_be_done_twice(home: House) -> None:
    before = set(threading.enumerate())
    triage = Function()
    runtime = home.runtime({"triage": triage})
    runtime.start()
    for number in range(20):
        home.messages.publish(message(number))
    triage.wait()
    assert runtime.stop() == 0
    assert set(threading.enumerate()) == before
    assert runtime.stop() == 0


def test_a_runtime_that_was_never_started_can_be_stopped(home: House) -> None:
    assert home.runtime({}).stop() == 0


def test_attempts_run_side_by_side_up_to_the_limit_of_their_queue(home: House) -> None:
    together = threading.Barrier(4)
    most, inside, lock = [0], [0], threading.Lock()

    def count(seen: Seen) -> int:
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        together.wait(PATIENCE_S)
        with lock:
            inside[0] -= 1
        return 204

    specialist = Function(answer=count)
    with running(home.runtime({"specialist": specialist}, places=4)) as runtime:
        for number in range(12):
            home.tasks.enqueue(task(f"task-{number}"))
        settled(runtime)
    assert len(specialist.seen) == 12
    assert most == [4]


def test_five_hung_tasks_hold_up_nobody_else(home: House) -> None:
    hanging = Hanging()
    specialist = Function(answer=lambda seen: hanging(seen) if seen.json["case"] == "hung" else 204)
    triage = Function()
    with running(home.runtime({"specialist": specialist, "triage": triage})):
        for number in range(5):
            home.tasks.enqueue(task(f"hung-{number}", body={"case": "hung"}))
        for _ in range(5):
            specialist.wait()
        home.tasks.enqueue(task("quick", body={"case": "quick"}))
        home.messages.publish(message())
        home.tasks.enqueue(task("watchdog", queue="watchdogs", body={"case": "quick"}))
        triage.wait()
        for _ in range(2):
            specialist.wait()
        hanging.let_go.set()


def test_an_attempt_past_its_deadline_is_retried_while_it_still_runs_and_its_late_answer_loses(home: House) -> None:
    hanging = Hanging()
    specialist = Function(answer=lambda seen: hanging(seen) if seen.retry_count == 0 else 500)
    retry = replace(RETRY, max_attempts=2)
    with running(home.runtime({"specialist": specialist})) as runtime:
        home.tasks.enqueue(task(deadline_s=30.0, retry=retry))
        specialist.wait()
        time_out(home, runtime, 30.0)
        home.clock.advance(1.0)
        again = specialist.wait()
        assert again.retry_count == 1
        assert again.headers["X_CLOUDTASKS_TASKPREVIOUSRESPONSE"] == "504"
        assert not runtime.idle()
        hanging.let_go.set()
        settled(runtime)
    assert len(specialist.seen) == 2
    assert [letter.last_status for letter in home.queue.dead_letters()] == [500]


def test_an_attempt_that_has_timed_out_gives_its_place_to_the_next(home: House) -> None:
    hanging = Hanging()
    specialist = Function(answer=lambda seen: hanging(seen) if seen.json["case"] == "hung" else 204)
    with running(home.runtime({"specialist": specialist}, places=1)) as runtime:
        home.tasks.enqueue(task("hung", body={"case": "hung"}, retry=replace(RETRY, max_attempts=1)))
        specialist.wait()
        home.tasks.enqueue(task("quick", body={"case": "quick"}))
        assert len(specialist.seen) == 1
        home.clock.advance(60.0)
        specialist.wait()
        hanging.let_go.set()
        settled(runtime)
    assert [seen.json["case"] for seen in specialist.seen] == ["hung", "quick"]


def test_threads_that_hang_for_good_are_bounded(home: House) -> None:
    hanging = Hanging()
    specialist = Function(answer=lambda seen: 204 if seen.json["case"] == "quick" else hanging(seen))
    with running(home.runtime({"specialist": specialist}, places=1)) as runtime:
        home.tasks.enqueue(task(retry=replace(RETRY, max_attempts=50)))
        for _ in range(4):
            specialist.wait()
            time_out(home, runtime, 60.0)
            home.clock.advance(30.0)
        probe = task("probe", queue="watchdogs", body={"case": "quick"})
        home.tasks.enqueue(replace(probe, schedule_at=home.clock.now() + timedelta(seconds=1)))
        home.clock.advance(1.0)  # the timekeeper looks at the specialists before it looks at the watchdogs
        assert specialist.wait().json == {"case": "quick"}
        assert len(specialist.seen) == 5
        hanging.let_go.set()
        settled(runtime)
    assert len(specialist.seen) == 6


def test_no_jump_of_the_calendar_ends_a_running_attempt(home: House) -> None:
    hanging = Hanging()
    specialist = Function(answer=hanging)
    with running(home.runtime({"specialist": specialist})) as runtime:
        home.tasks.enqueue(task())
        specialist.wait()
        home.clock.jump_to(START + timedelta(days=75))
        hanging.let_go.set()
        settled(runtime)
        home.clock.jump_to(START + timedelta(days=76))
        settled(runtime)
    assert len(specialist.seen) == 1


def test_a_function_that_raises_is_answered_for_with_500(home: House, caplog: pytest.LogCaptureFixture) -> None:
    def crash(seen: Seen) -> int:
        raise RuntimeError("a bug")

    specialist = Function(answer=crash)
    with running(home.runtime({"specialist": specialist})) as runtime:
        home.tasks.enqueue(task(retry=replace(RETRY, max_attempts=1)))
        settled(runtime)
    assert [letter.last_status for letter in home.queue.dead_letters()] == [500]
    assert "specialist failed on delivery" in caplog.text


def test_a_function_may_publish_while_it_runs(home: House) -> None:
    synthesize = Function()

    def publish(seen: Seen) -> int:
        home.messages.publish(replace(message(), topic="synthesize"))
        return 204

    functions = {"triage": Function(answer=publish), "synthesize": synthesize}
    topics = {"triage": "triage", "synthesize": "synthesize"}
    with running(home.runtime(functions, subscriptions=topics)) as runtime:
        home.messages.publish(message())
        settled(runtime)
    assert len(synthesize.seen) == 1


def test_a_paused_queue_waits_and_does_not_keep_the_runtime_busy(home: House) -> None:
    specialist = Function()
    with running(home.runtime({"specialist": specialist})) as runtime:
        home.queue.pause("specialists")
        home.tasks.enqueue(task())
        assert runtime.idle()
        assert runtime.next_due() is None
        home.queue.resume("specialists")
        specialist.wait()
        settled(runtime)


def test_the_runtime_says_when_it_will_next_have_something_to_do(home: House) -> None:
    with running(home.runtime({"specialist": Function()})) as runtime:
        assert runtime.next_due() is None
        for minutes in (30, 10, 20):
            home.tasks.enqueue(task(f"task-{minutes}", schedule_at=START + timedelta(minutes=minutes)))
        assert runtime.next_due() == START + timedelta(minutes=10)
        assert runtime.idle()


def test_delayed_tasks_come_in_the_order_of_their_times_when_the_clock_jumps_past_all(home: House) -> None:
    specialist = Function()
    with running(home.runtime({"specialist": specialist}, places=1)) as runtime:
        for minutes in (30, 10, 20):
            home.tasks.enqueue(task(f"task-{minutes}", schedule_at=START + timedelta(minutes=minutes)))
        home.clock.jump_to(START + timedelta(hours=1))
        settled(runtime)
    names = [seen.headers["X_CLOUDTASKS_TASKNAME"] for seen in specialist.seen]
    assert names == ["task-10", "task-20", "task-30"]


def test_on_the_machines_clock_a_delayed_task_and_a_retry_come_by_themselves(tmp_path: Path) -> None:
    specialist = Function(answer=answers(500))
    clock = SystemClock()
    with house(tmp_path, clock) as home:
        with running(home.runtime({"specialist": specialist})) as runtime:
            soon = clock.now() + timedelta(seconds=0.05)
            home.tasks.enqueue(task(schedule_at=soon, retry=replace(RETRY, min_backoff_s=0.05)))
            specialist.wait()
            assert clock.now() >= soon
            assert specialist.wait().retry_count == 1
            for name, queue, delay_s in (("first", "watchdogs", 0.03), ("second", "actions", 0.06)):
                due_at = clock.now() + timedelta(seconds=delay_s)
                home.tasks.enqueue(task(name, queue=queue, schedule_at=due_at))
            specialist.wait()
            specialist.wait()
            settled(runtime)


def test_a_hung_function_does_not_hold_up_the_end_and_its_work_is_left_to_the_next(home: House) -> None:
    hanging, second = Hanging(), Function()
    specialist = Function(answer=hanging)
    runtime = home.runtime({"specialist": specialist})
    runtime.start()
    home.tasks.enqueue(task())
    specialist.wait()
    assert runtime.stop(timeout_s=0.0) == 1
    with running(home.runtime({"specialist": second})):
        assert second.wait().retry_count == 1
        hanging.let_go.set()
