"""A world that runs as fast as it can."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from infra.local.clock import WorldClock
from infra.local.driver import WorldStuck, drive_until
from infra.local.sweeps import Sweep
from tests.unit.runtime.house import PATIENCE_S, START, Function, House, Seen, answers, house, message, running, task


@pytest.fixture
def clock() -> WorldClock:
    return WorldClock(START)


@pytest.fixture
def world(tmp_path: Path, clock: WorldClock) -> Iterator[House]:
    with house(tmp_path, clock) as home:
        yield home


class Script:
    """Events at their instants; each publishes a message."""

    def __init__(self, world: House, *instants: datetime) -> None:
        self._world = world
        self._left = sorted(instants)
        self.delivered_at: list[datetime] = []

    def next_instant(self) -> datetime | None:
        return self._left[0] if self._left else None

    def bring_about(self, now: datetime) -> None:
        while self._left and self._left[0] <= now:
            self._left.pop(0)
            self.delivered_at.append(self._world.clock.now())
            self._world.messages.publish(message())


def never() -> bool:
    return False


def nothing(now: datetime) -> None:
    """No script."""


def test_75_days_of_waiting_take_no_time(world: House, clock: WorldClock) -> None:
    triage = Function()
    script = Script(world, START, START + timedelta(days=30), START + timedelta(days=75))
    started = time.monotonic()
    with running(world.runtime({"triage": triage})) as runtime:
        ended = drive_until(runtime, clock, next_instants=[script.next_instant], done=never, on_jump=script.bring_about)
    assert ended is False
    assert len(triage.seen) == 3
    days = [(instant - START).total_seconds() / 86400 for instant in script.delivered_at]
    assert days == pytest.approx([0, 30, 75], abs=0.001)
    assert time.monotonic() - started < PATIENCE_S


def test_it_returns_as_soon_as_it_is_done(world: House, clock: WorldClock) -> None:
    triage = Function()
    script = Script(world, *(START + timedelta(days=day) for day in range(1, 100)))
    with running(world.runtime({"triage": triage})) as runtime:
        assert drive_until(
            runtime,
            clock,
            next_instants=[script.next_instant],
            done=lambda: len(triage.seen) >= 3,
            on_jump=script.bring_about,
        )
    assert len(triage.seen) == 3


def test_it_jumps_to_delayed_deliveries_and_retries(world: House, clock: WorldClock) -> None:
    instants: list[datetime] = []
    failing_twice = answers(500, 500)

    def note(seen: Seen) -> int | tuple[int, dict[str, str]]:
        instants.append(clock.now())
        return failing_twice(seen)

    specialist = Function(answer=note)
    with running(world.runtime({"specialist": specialist})) as runtime:
        world.tasks.enqueue(task(schedule_at=START + timedelta(hours=5)))
        assert not drive_until(runtime, clock, next_instants=[], done=never, on_jump=nothing)
    seconds = [(instant - START).total_seconds() - 5 * 3600 for instant in instants]
    assert seconds == pytest.approx([0, 1, 3], abs=0.9)


def test_it_never_jumps_while_something_runs(world: House, clock: WorldClock) -> None:
    entered, go = threading.Event(), threading.Event()
    seen_at: list[datetime] = []

    def slow(seen: Seen) -> int:
        entered.set()
        go.wait(PATIENCE_S)
        seen_at.append(clock.now())
        return 204

    functions = {"triage": Function(answer=slow), "specialist": Function()}
    with running(world.runtime(functions)) as runtime:
        world.tasks.enqueue(task(schedule_at=START + timedelta(days=1)))
        world.messages.publish(message())
        assert entered.wait(PATIENCE_S)
        driver = threading.Thread(
            target=drive_until,
            args=(runtime, clock),
            kwargs={"next_instants": [], "done": never, "on_jump": nothing},
        )
        driver.start()
        go.set()
        driver.join()
    assert seen_at[0] < START + timedelta(hours=1)
    assert clock.now() >= START + timedelta(days=1)


def test_it_jumps_to_the_sweep_that_wakes_a_quiet_case(world: House, clock: WorldClock) -> None:
    wake_at: list[datetime] = [START + timedelta(days=3)]

    def wake(seen: Seen) -> int:
        if wake_at and wake_at[0] <= clock.now():
            wake_at.clear()
            world.messages.publish(message())
        return 200

    triage = Function()
    sweep = Sweep(lambda: wake_at[0] if wake_at else None)
    runtime = world.runtime({"sweep": Function(answer=wake), "triage": triage}, sweep=sweep)
    with running(runtime):
        assert drive_until(runtime, clock, next_instants=[], done=lambda: bool(triage.seen), on_jump=nothing)
    assert clock.now() >= START + timedelta(days=3)


def test_an_instant_that_stays_in_the_past_does_not_keep_it_running(world: House, clock: WorldClock) -> None:
    with running(world.runtime({})) as runtime:
        assert not drive_until(runtime, clock, next_instants=[lambda: START], done=never, on_jump=nothing)


def test_a_scripted_event_that_comes_due_while_something_runs_is_not_missed(world: House, clock: WorldClock) -> None:
    ended_at: list[datetime] = []

    def slow(seen: Seen) -> int:
        clock.pause(0.1)
        ended_at.append(clock.now())
        return 204

    triage = Function(answer=slow)
    with running(world.runtime({"triage": triage, "specialist": Function()})) as runtime:
        world.tasks.enqueue(task(schedule_at=START + timedelta(days=1)))
        world.messages.publish(message())
        script = Script(world, clock.now() + timedelta(seconds=0.05))
        drive_until(runtime, clock, next_instants=[script.next_instant], done=never, on_jump=script.bring_about)
    assert len(triage.seen) == 2
    assert max(ended_at) < START + timedelta(hours=1), "it jumped while the scripted event was at work"


def test_a_world_that_does_not_end_is_an_error_that_says_what_still_runs(world: House, clock: WorldClock) -> None:
    go = threading.Event()
    triage = Function(answer=lambda seen: 204 if go.wait(PATIENCE_S) else 500)
    with running(world.runtime({"triage": triage})) as runtime:
        world.messages.publish(message())
        with pytest.raises(WorldStuck, match=r"\{'triage': 1\}"):
            drive_until(runtime, clock, next_instants=[], done=never, on_jump=nothing, guard_s=0.05)
        go.set()
