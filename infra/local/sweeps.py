"""When the sweeper is due: on its interval, as Cloud Scheduler would, but only when something could be due for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from infra.local.queue import DurableQueue
from infra.local.queued import Kind, Queued
from shared.ports.clock import Clock
from shared.ports.queue import Retry
from shared.steps.budgets import SWEEP_DISPATCH_S, SWEEP_EVERY_S

LANE: Final = "scheduler"
_ONCE: Final = Retry(max_attempts=1, min_backoff_s=0.0, max_backoff_s=0.0, max_duration_s=0.0)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The scheduled job. `next_wake`: the earliest instant at which the sweeper has something to do, None for never."""

    next_wake: Callable[[], datetime | None]
    function: str = "sweep"
    interval_s: float = SWEEP_EVERY_S
    deadline_s: float = SWEEP_DISPATCH_S


class Sweeps:
    """Says when the scheduler ticks, never while an earlier tick still waits. Used by one thread at a time.

    `send` has the sweep function called, with a body; `waits` says whether an earlier call has not begun yet.
    """

    def __init__(
        self, sweep: Sweep, clock: Clock, *, send: Callable[[dict[str, bool]], None], waits: Callable[[], bool]
    ) -> None:
        self._sweep = sweep
        self._clock = clock
        self._send = send
        self._waits = waits
        self._interval = timedelta(seconds=sweep.interval_s)
        self._last = self._look_at = clock.now()

    def at_start(self) -> None:
        """Sweep at once. The body says `at_start`: what a dead process left undone is due without any budget."""
        self._tick({"at_start": True})

    def due_at(self) -> datetime | None:
        """When the next sweep runs; None while nothing waits for one."""
        wake_at = self._sweep.next_wake()
        return None if wake_at is None else max(wake_at, self._last + self._interval)

    def interval_is_over(self) -> bool:
        """Whether a sweep would run at once if something were due."""
        return self._clock.now() >= self._last + self._interval

    def look_at(self) -> datetime:
        """When to call `send_if_due` again at the latest."""
        return self._look_at

    def send_if_due(self) -> bool:
        """Have the sweep called if it is time and something is due; True if so."""
        now = self._clock.now()
        if now < self._last + self._interval:
            self._look_at = self._last + self._interval
            return False
        due_at = self.due_at()
        self._look_at = now + self._interval
        if due_at is not None and due_at > now:
            self._look_at = min(self._look_at, due_at)
        if due_at is None or due_at > now or self._waits():
            return False
        self._tick({})
        return True

    def _tick(self, body: dict[str, bool]) -> None:
        now = self._clock.now()
        self._send(body)  # first: as long as it has not been sent, it is due
        self._last, self._look_at = now, now + self._interval


def on_queue(sweep: Sweep, queue: DurableQueue) -> Sweeps:
    """Ticks that are put on the embedded queue."""

    def send(body: dict[str, bool]) -> None:
        now = queue.clock.now()
        queue.enqueue(
            Queued(
                id=queue.new_id(),
                kind=Kind.JOB,
                lane=LANE,
                function=sweep.function,
                body=json.dumps(body),
                deadline_s=sweep.deadline_s,
                retry=_ONCE,
                enqueued_at=now,
                due_at=now,
            )
        )

    return Sweeps(sweep, queue.clock, send=send, waits=lambda: queue.next_due((LANE,)) is not None)
