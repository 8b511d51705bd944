"""Clocks of the embedded default: a calendar that may jump, and durations of running calls, which no jump shortens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Protocol

from shared.ports.clock import Clock

Cancel = Callable[[], None]


class LocalClock(Clock, Protocol):
    """A clock that a runtime can wait on."""

    def until(self, instant: datetime) -> float:
        """Real seconds until the clock shows this instant: 0 when it has come, infinite when only a jump gets there."""
        ...

    def on_jump(self, wake: Callable[[], None]) -> Cancel:
        """Call `wake` after each jump, on the thread that jumped; the returned function ends that."""
        ...


class SystemClock:
    """The machine's clock. It never jumps."""

    def now(self) -> datetime:
        """The present instant in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some fixed point of this boot."""
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        """Wait for this many real seconds."""
        time.sleep(seconds)

    def until(self, instant: datetime) -> float:
        """Real seconds until this instant, never negative."""
        return max(0.0, (instant - self.now()).total_seconds())

    def on_jump(self, wake: Callable[[], None]) -> Cancel:
        """Nothing to do: it never jumps."""
        return lambda: None


class _Jumps:
    """Whoever wants to know of a jump."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._wakes: dict[int, Callable[[], None]] = {}
        self._next = 0

    def add(self, wake: Callable[[], None]) -> Cancel:
        with self._lock:
            key = self._next
            self._next += 1
            self._wakes[key] = wake
        return lambda: self._remove(key)

    def tell(self) -> None:
        with self._lock:
            wakes = list(self._wakes.values())
        for wake in wakes:
            wake()

    def _remove(self, key: int) -> None:
        with self._lock:
            self._wakes.pop(key, None)


class WorldClock:
    """Starts at an instant, runs with real elapsed time times `speed`, and jumps forward when told to.

    `monotonic` stays in real seconds: neither a jump nor the speed shortens the deadline of a running call.
    Thread-safe. Raises ValueError for a start without a time zone or a speed that is not positive.
    """

    def __init__(self, start: datetime, *, speed: float = 1.0) -> None:
        if start.tzinfo is None or speed <= 0:
            raise ValueError("a world starts at an aware instant and runs at a positive speed")
        self._changed = threading.Condition()
        self._speed = speed
        self._jumps = _Jumps()
        self._start_from(start.astimezone(UTC), time.monotonic())

    def now(self) -> datetime:
        """The present instant of the world, in UTC."""
        with self._changed:
            return self._now()

    def monotonic(self) -> float:
        """Real seconds since some fixed point of this boot."""
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        """Wait until this many seconds have gone by in the world; a jump counts."""
        with self._changed:
            end = self._now() + timedelta(seconds=seconds)
            self._changed.wait_for(lambda: self._now() >= end, timeout=seconds / self._speed)

    def until(self, instant: datetime) -> float:
        """Real seconds until this instant, never negative."""
        return max(0.0, (instant - self.now()).total_seconds() / self._speed)

    def jump_to(self, instant: datetime) -> None:
        """Be at this instant at once, and wake whoever waits. An instant that has passed changes nothing."""
        with self._changed:
            if instant <= self._now():
                return
            self._start_from(instant.astimezone(UTC), time.monotonic())
            self._changed.notify_all()
        self._jumps.tell()

    def on_jump(self, wake: Callable[[], None]) -> Cancel:
        """Call `wake` after each jump."""
        return self._jumps.add(wake)

    def _start_from(self, base: datetime, since: float) -> None:
        """Show this instant at this reading of the monotonic clock, and run on from there."""
        self._base, self._since = base, since

    def _now(self) -> datetime:
        return self._base + timedelta(seconds=(time.monotonic() - self._since) * self._speed)


class ManualClock:
    """A clock that stands still until it is moved: for tests and simulations. Thread-safe."""

    def __init__(self, start: datetime) -> None:
        self._lock = threading.Lock()
        self._now = start.astimezone(UTC)
        self._monotonic = 0.0
        self._jumps = _Jumps()

    def now(self) -> datetime:
        """The instant it was last moved to."""
        with self._lock:
            return self._now

    def monotonic(self) -> float:
        """Seconds that `advance` has let pass; a jump adds none."""
        with self._lock:
            return self._monotonic

    def pause(self, seconds: float) -> None:
        """Return at once: nobody else would move the clock meanwhile."""

    def until(self, instant: datetime) -> float:
        """0 when the instant has come, else infinite."""
        return 0.0 if instant <= self.now() else inf

    def advance(self, seconds: float) -> None:
        """Let time pass: the calendar and the durations of running calls."""
        with self._lock:
            self._now += timedelta(seconds=seconds)
            self._monotonic += seconds
        self._jumps.tell()

    def jump_to(self, instant: datetime) -> None:
        """Move the calendar only, forward only."""
        with self._lock:
            self._now = max(self._now, instant.astimezone(UTC))
        self._jumps.tell()

    def on_jump(self, wake: Callable[[], None]) -> Cancel:
        """Call `wake` after each move."""
        return self._jumps.add(wake)
