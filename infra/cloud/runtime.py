"""A world's pipeline at work on a local cloud: whether anything is under way, what comes next, and the scheduler."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime

from infra.cloud.cloud import Cloud
from infra.local.clock import WorldClock
from infra.local.sweeps import Sweep, Sweeps

_LOOK_AGAIN_S = 1.0
"""The scheduler looks at least so often whether the next sweep is due, in real seconds."""


class CloudRuntime:
    """What infra.local.runtime.LocalRuntime is to the embedded default; whoever drives a world sees no difference.

    `pending`: whether something is still to reach the functions from outside, e.g. an event that Stripe has to send.
    """

    def __init__(
        self, cloud: Cloud, clock: WorldClock, *, next_wake: Callable[[], datetime | None], pending: Callable[[], bool]
    ) -> None:
        self._cloud = cloud
        self._clock = clock
        self._pending = pending
        self._alarm = threading.Event()
        self._running = False
        self._sweeps = Sweeps(Sweep(next_wake), clock, send=self._send, waits=lambda: False)
        self._scheduler = threading.Thread(target=self._schedule, name="scheduler", daemon=True)
        self._forget_jumps = clock.on_jump(self.wake)

    # Life

    def start(self) -> None:
        """Call the sweep whenever it is due, until stopped."""
        self._running = True
        self._cloud.traffic.tell(self._something_ended)
        self._scheduler.start()

    def stop(self) -> None:
        """Call nothing more, and wait for a sweep that is under way."""
        self._running = False
        self._forget_jumps()
        self._cloud.traffic.tell(lambda: None)
        self._alarm.set()
        self._scheduler.join()

    # Watching

    def idle(self) -> bool:
        """Whether nothing is ready or running, attempts that nobody waits for any more included."""
        sweep_at = self.next_sweep()
        if sweep_at is not None and sweep_at <= self._clock.now():
            return False
        # The queues last: what a message causes is on them before it is acknowledged.
        return not self._pending() and self._cloud.traffic.quiet() and self._cloud.tasks.wait_until_idle(0.0)

    def next_due(self) -> datetime | None:
        """The earliest instant at which a task that waits is due."""
        return self._cloud.tasks.next_dispatch()

    def next_sweep(self) -> datetime | None:
        """When the next sweep runs; None while nothing waits for one."""
        return self._sweeps.due_at()

    def moves(self) -> int:
        """A number that grows whenever something has ended."""
        return self._cloud.traffic.moves()

    def wait_for_move(self, seen: int, timeout_s: float) -> bool:
        """Return once `moves` is no longer what was seen. False: that took longer."""
        return self._cloud.traffic.wait_for_move(seen, timeout_s)

    def running(self) -> dict[str, int]:
        """What is under way, by function; messages that are not acknowledged count as `messages`."""
        return self._cloud.traffic.under_way()

    def wake(self) -> None:
        """Look again at what is due: the clock has jumped."""
        self._cloud.tasks.advance(0.0)
        self._alarm.set()

    def refresh(self) -> int:
        """Nothing to adopt: whatever others send comes by the same queues."""
        return 0

    # The scheduler

    def _something_ended(self) -> None:
        if self._cloud.traffic.quiet():
            self._alarm.set()

    def _schedule(self) -> None:
        while self._running:
            self._alarm.wait(min(_LOOK_AGAIN_S, self._clock.until(self._sweeps.look_at())))
            self._alarm.clear()
            if self._running:
                self._sweeps.send_if_due()

    def _send(self, body: dict[str, bool]) -> None:
        with self._cloud.traffic.at_work("scheduler"):
            self._cloud.sweep(body)
