"""A world's time for several processes: a file says which instant it was at which reading of the monotonic clock.

That clock is the machine's: every process reads the same, so that the world's time runs everywhere without anybody
writing. Only a jump writes the file. For worlds beside emulators alone; `Settings.check` refuses it anywhere else.
"""

from __future__ import annotations

import json
import time
from datetime import datetime, timedelta
from pathlib import Path

from infra.fakes.cloud_tasks import EmulatorClock
from infra.local.clock import WorldClock


class PostedClock(WorldClock):
    """The clock of whoever runs the world: a jump is posted before anybody is woken by it."""

    def __init__(self, start: datetime, path: Path) -> None:
        self._path = path
        super().__init__(start)

    def _start_from(self, base: datetime, since: float) -> None:
        super()._start_from(base, since)
        unfinished = self._path.with_suffix(".tmp")
        unfinished.write_text(json.dumps({"world": base.isoformat(), "monotonic": since}), encoding="utf-8")
        unfinished.replace(self._path)


class SharedClock:
    """The clock of a function in such a world; implements shared.ports.Clock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def now(self) -> datetime:
        """The present instant of the world, in UTC."""
        posted = json.loads(self._path.read_bytes())
        elapsed = timedelta(seconds=time.monotonic() - posted["monotonic"])
        return datetime.fromisoformat(posted["world"]) + elapsed

    def monotonic(self) -> float:
        """Real seconds since some fixed point of this boot."""
        return time.monotonic()

    def pause(self, seconds: float) -> None:
        """Wait for this many real seconds."""
        time.sleep(seconds)


class QueueTime(EmulatorClock):
    """The time of the task queues: that of the world which is followed, one after another."""

    def __init__(self, world: WorldClock) -> None:
        super().__init__()
        self._world = world

    def follow(self, world: WorldClock) -> None:
        """Show the time of this world from now on. The queues must be empty."""
        self._world = world

    def now(self) -> datetime:
        """The present instant of the world, in UTC."""
        return self._world.now()

    def advance(self, seconds: float) -> datetime:
        """Have the world jump. Raises ValueError for a jump back."""
        if seconds < 0:
            raise ValueError("time does not run backwards")
        self._world.jump_to(self._world.now() + timedelta(seconds=seconds))
        return self.now()

    def until(self, instant: datetime) -> float | None:
        """Real seconds until this instant comes by itself."""
        return self._world.until(instant)
