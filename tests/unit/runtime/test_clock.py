"""Clocks that jump, and durations that do not."""

from __future__ import annotations

import math
import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest

from infra.local.clock import LocalClock, ManualClock, SystemClock, WorldClock
from tests.unit.runtime.house import PATIENCE_S, START


def test_a_world_starts_at_its_instant_and_runs_with_real_time() -> None:
    clock = WorldClock(START, speed=1000.0)
    first = clock.now()
    assert START <= first < START + timedelta(hours=1)
    clock.pause(0.5)
    assert clock.now() >= first + timedelta(seconds=0.5)


def test_a_jump_is_exact_and_only_forward() -> None:
    clock = WorldClock(START)
    later = START + timedelta(days=75)
    clock.jump_to(later)
    assert later <= clock.now() < later + timedelta(minutes=1)
    clock.jump_to(START)
    assert clock.now() >= later


def test_a_jump_adds_nothing_to_the_duration_of_a_running_call() -> None:
    clock = WorldClock(START, speed=50.0)
    before = clock.monotonic()
    clock.jump_to(START + timedelta(days=1))
    assert clock.monotonic() - before < PATIENCE_S


def test_whoever_pauses_is_woken_by_a_jump_over_the_end_of_the_pause() -> None:
    clock = WorldClock(START)
    done = threading.Event()

    def sleeper() -> None:
        clock.pause(3600.0)
        done.set()

    thread = threading.Thread(target=sleeper)
    thread.start()
    while not done.is_set():
        clock.jump_to(clock.now() + timedelta(seconds=7200))
        done.wait(0.01)
    thread.join()


def test_listeners_hear_of_every_jump_until_they_cancel() -> None:
    clock = WorldClock(START)
    heard: list[datetime] = []
    cancel = clock.on_jump(lambda: heard.append(clock.now()))
    clock.jump_to(START + timedelta(hours=1))
    clock.jump_to(START + timedelta(hours=2))
    cancel()
    clock.jump_to(START + timedelta(hours=3))
    assert [instant.hour for instant in heard] == [START.hour + 1, START.hour + 2]


def test_a_jump_that_is_none_disturbs_nobody() -> None:
    clock = WorldClock(START)
    heard: list[int] = []
    clock.on_jump(lambda: heard.append(1))
    clock.jump_to(START - timedelta(hours=1))
    assert heard == []


def test_the_way_to_an_instant_is_in_real_seconds() -> None:
    clock = WorldClock(START, speed=60.0)
    assert 59.0 < clock.until(START + timedelta(hours=1)) <= 60.0
    assert clock.until(START - timedelta(hours=1)) == 0.0


@pytest.mark.parametrize(("start", "speed"), [(datetime(2026, 1, 1), 1.0), (START, 0.0), (START, -1.0)])
def test_a_world_without_a_zone_or_a_speed_is_refused(start: datetime, speed: float) -> None:
    with pytest.raises(ValueError, match="a world starts"):
        WorldClock(start, speed=speed)


@pytest.mark.parametrize("clock", [SystemClock(), WorldClock(START), ManualClock(START)])
def test_every_clock_shows_utc(clock: LocalClock) -> None:
    assert clock.now().tzinfo is UTC
    before = clock.monotonic()
    clock.pause(0.0)
    assert clock.monotonic() >= before


def test_a_start_in_another_zone_is_the_same_instant() -> None:
    start = START.astimezone(timezone(timedelta(hours=9)))
    assert ManualClock(start).now() == START


def test_the_system_clock_never_jumps() -> None:
    clock = SystemClock()
    cancel = clock.on_jump(lambda: pytest.fail("it jumped"))
    cancel()
    assert clock.until(clock.now() - timedelta(seconds=1)) == 0.0
    assert clock.until(clock.now() + timedelta(seconds=10)) > 5.0


def test_a_manual_clock_moves_only_when_told_to() -> None:
    clock = ManualClock(START)
    moves: list[int] = []
    clock.on_jump(lambda: moves.append(1))
    assert clock.until(START + timedelta(seconds=1)) == math.inf
    clock.advance(1.0)
    assert (clock.now(), clock.monotonic()) == (START + timedelta(seconds=1), 1.0)
    clock.jump_to(START + timedelta(days=1))
    assert (clock.now(), clock.monotonic()) == (START + timedelta(days=1), 1.0)
    assert len(moves) == 2
