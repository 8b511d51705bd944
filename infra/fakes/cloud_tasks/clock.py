"""The emulator's time: the machine's, shifted by tests, or standing still until a test moves it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class EmulatorClock:
    """When tasks are due and how much of a rate is used up. Deadlines of attempts are real time, whatever is said here.

    `start`: the instant it shows first (default: the present). `frozen`: it moves by `advance` alone.
    """

    def __init__(self, start: datetime | None = None, *, frozen: bool = False) -> None:
        self._base = start or datetime.now(UTC)
        self._started = time.monotonic()
        self.frozen = frozen

    def now(self) -> datetime:
        """The instant it shows, in UTC."""
        running = timedelta(0) if self.frozen else timedelta(seconds=time.monotonic() - self._started)
        return self._base + running

    def advance(self, seconds: float) -> datetime:
        """Jump forward; the instant it shows then. Raises ValueError for a jump back."""
        if seconds < 0:
            raise ValueError("time does not run backwards")
        self._base += timedelta(seconds=seconds)
        return self.now()

    def until(self, instant: datetime) -> float | None:
        """Real seconds until it shows this instant by itself; None when it never will."""
        seconds = (instant - self.now()).total_seconds()
        if seconds <= 0:
            return 0.0
        return None if self.frozen else seconds
