"""The in-process runtime: what Pub/Sub, Cloud Tasks and Cloud Scheduler do between a message and a function.

Each topic and queue has its own limit of attempts under way, so a hung function holds up only its own lane, and there
only until its deadline: then the attempt's place is free again and it is retried while the old thread still runs. Its
late answer is ignored. Nothing polls: an enqueue hands the delivery to a thread at once, and one thread keeps the time
of whatever is delayed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from math import inf
from typing import Final

from infra.local.clock import Cancel, LocalClock
from infra.local.delivery import Deliver, DeliveryResponse, acknowledges, request_for, retry_after_s
from infra.local.queue import DurableQueue, Lease
from infra.local.sweeps import LANE, Sweep, on_queue
from infra.local.workers import Workers

THREADS_PER_PLACE: Final = 4
"""How many threads a lane may hold per place, counting those whose attempt has timed out: hung ones are not free."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """A task queue: how many attempts may be under way at once."""

    max_concurrent: int


@dataclass(slots=True, eq=False)
class _Lane:
    """A topic or queue at work. `function` None: each task names its own."""

    name: str
    function: str | None
    places: int
    busy: int = 0
    """Attempts under way that still count."""
    abandoned: int = 0
    """Threads that run on after their attempt has timed out."""


class LocalRuntime:
    """Delivers what is on the queue. `subscriptions` maps a topic to the function it starts.

    Threads are started when there is work for them; without any, only the one that keeps the time exists.
    """

    def __init__(
        self,
        queue: DurableQueue,
        deliver: Deliver,
        clock: LocalClock,
        *,
        subscriptions: Mapping[str, str],
        queues: Mapping[str, QueueSettings],
        sweep: Sweep | None = None,
        topic_concurrency: int = 4,
    ) -> None:
        self._queue = queue
        self._deliver = deliver
        self._clock = clock
        lanes = [_Lane(topic, function, topic_concurrency) for topic, function in subscriptions.items()]
        lanes += [_Lane(name, None, settings.max_concurrent) for name, settings in queues.items()]
        self._sweeps = None if sweep is None else on_queue(sweep, queue)
        if sweep is not None:
            lanes.append(_Lane(LANE, None, 1))
        self._lanes = {lane.name: lane for lane in lanes}
        self._workers = Workers("delivery")
        self._lock = threading.Lock()
        self._alarm = threading.Condition(self._lock)
        self._moved = threading.Condition(self._lock)
        self._rings_at = inf
        self._moves = 0
        self._running = False
        self._timekeeper = threading.Thread(target=self._keep_time, name="timekeeper", daemon=True)
        self._forget_jumps: Cancel | None = None

    # Life

    def start(self) -> None:
        """Take over what dead processes left, sweep once, and deliver until stopped. A runtime starts once."""
        self._running = True
        self._forget_jumps = self._clock.on_jump(self.wake)
        self._queue.serve(self._on_due)
        if self._sweeps is not None:
            self._sweeps.at_start()
        self._timekeeper.start()

    def stop(self, timeout_s: float = 5.0) -> int:
        """Start nothing more, wait for what is under way, and leave the rest to the next process that serves this file.

        Returns how many threads hung beyond the timeout and were abandoned; their answers are ignored, and what they
        were given is delivered again by the next process. Stopping twice is fine.
        """
        with self._lock:
            if not self._running:
                return 0
            self._running = False
            self._alarm.notify()
        if self._forget_jumps is not None:
            self._forget_jumps()
        self._timekeeper.join()
        abandoned = self._workers.end(timeout_s)
        self._queue.release()
        return abandoned

    # Watching

    def idle(self) -> bool:
        """Whether nothing is ready, leased or running, timed-out attempts that run on included."""
        instants = (self.next_due(), self.next_sweep())
        now = self._clock.now()
        if any(instant is not None and instant <= now for instant in instants):
            return False
        with self._lock:  # last: what was put on the queue meanwhile is at work by now
            return not any(lane.busy or lane.abandoned for lane in self._lanes.values())

    def next_due(self) -> datetime | None:
        """The earliest instant at which a delivery that waits is due."""
        return self._queue.next_due(self._lanes)

    def next_sweep(self) -> datetime | None:
        """When the next sweep runs; None while nothing waits for one."""
        return None if self._sweeps is None else self._sweeps.due_at()

    def moves(self) -> int:
        """A number that grows whenever an attempt ends or times out."""
        with self._lock:
            return self._moves

    def wait_for_move(self, seen: int, timeout_s: float) -> bool:
        """Return once `moves` is no longer what was seen. False: that took longer."""
        with self._lock:
            return self._moved.wait_for(lambda: self._moves != seen, timeout_s)

    def running(self) -> dict[str, int]:
        """Threads at work by topic or queue, without those that have none."""
        with self._lock:
            at_work = {lane.name: lane.busy + lane.abandoned for lane in self._lanes.values()}
        return {name: count for name, count in at_work.items() if count}

    def wake(self) -> None:
        """Look again at what is due: the clock has jumped, or something happened that the runtime was not told of."""
        with self._lock:
            self._ring_within(0.0)

    def refresh(self) -> int:
        """Adopt what other processes have enqueued meanwhile. Returns how much that was. Done with every sweep, too."""
        return self._queue.recover()

    # Delivering

    def _on_due(self, lane_name: str, due_at: datetime) -> None:
        lane = self._lanes.get(lane_name)
        if lane is None:
            return
        seconds = self._clock.until(due_at)
        with self._lock:
            if seconds > 0:
                self._ring_within(seconds)
            else:
                self._fill(lane)

    def _fill(self, lane: _Lane) -> None:
        """Start as much of the lane as has a place. Holds the lock."""
        while (lease := self._next(lane)) is not None:
            self._workers.run(partial(self._work, lane, lease))

    def _next(self, lane: _Lane) -> Lease | None:
        """Lease the lane's next delivery if there is a place for it, else have its time kept. Holds the lock."""
        crowded = lane.busy + lane.abandoned >= lane.places * THREADS_PER_PLACE
        if not self._running or lane.busy >= lane.places or crowded:
            return None  # whoever makes a place looks again
        lease = self._queue.take(lane.name)
        if lease is not None:
            lane.busy += 1
            self._ring_within(lease.ends - self._clock.monotonic())
        elif (due_at := self._queue.next_due((lane.name,))) is not None:
            self._ring_within(self._clock.until(due_at))
        return lease

    def _work(self, lane: _Lane, first: Lease) -> None:
        lease: Lease | None = first
        while lease is not None:
            response = self._send(lane, lease)
            lease = self._settle(lane, lease, response)

    def _send(self, lane: _Lane, lease: Lease) -> DeliveryResponse:
        function = lane.function or lease.queued.function
        try:
            return self._deliver(function, request_for(lease.queued))
        except Exception:  # noqa: BLE001  a function that raises is answered for by its server: 500
            _log.exception("%s failed on delivery %s", function, lease.queued.id)
            return DeliveryResponse(500)

    def _settle(self, lane: _Lane, lease: Lease, response: DeliveryResponse) -> Lease | None:
        kind, status = lease.queued.kind, response.status
        if acknowledges(kind, status):
            in_time = self._queue.acknowledge(lease)
        else:
            in_time = self._queue.fail(lease, status, retry_after_s(kind, response, self._clock.now()))
        with self._lock:
            if in_time:
                lane.busy -= 1
            else:
                lane.abandoned -= 1
            following = self._next(lane)
            self._moves += 1
            self._moved.notify_all()
            if not any(each.busy for each in self._lanes.values()) and self._may_sweep():
                self._ring_within(0.0)
            return following

    def _may_sweep(self) -> bool:
        return self._sweeps is not None and self._sweeps.interval_is_over()

    # Keeping time

    def _keep_time(self) -> None:
        while True:
            with self._lock:
                if not self._running:
                    return
                self._rings_at = inf
            self._time_out()
            with self._lock:
                for lane in self._lanes.values():
                    self._fill(lane)
            if self._sweeps is not None and self._sweeps.send_if_due():
                self._queue.recover()
            self._wait_for_alarm()

    def _time_out(self) -> None:
        timed_out = self._queue.time_out()
        with self._lock:
            for lease in timed_out:
                lane = self._lanes[lease.queued.lane]
                lane.busy -= 1
                lane.abandoned += 1
                self._moves += 1
                self._fill(lane)
            self._moved.notify_all()
        for lease in timed_out:
            lane_name, deadline_s = lease.queued.lane, lease.queued.deadline_s
            _log.warning("an attempt on %s has run for more than %s s: it counts as failed", lane_name, deadline_s)

    def _wait_for_alarm(self) -> None:
        deadline = self._queue.next_deadline()
        with self._lock:
            if deadline is not None:
                self._ring_within(deadline - self._clock.monotonic())
            if self._sweeps is not None:
                self._ring_within(self._clock.until(self._sweeps.look_at()))
            while self._running and (seconds := self._rings_at - time.monotonic()) > 0:
                self._alarm.wait(None if seconds == inf else seconds)

    def _ring_within(self, seconds: float) -> None:
        """Have the timekeeper look again in so many real seconds, or earlier. Holds the lock."""
        rings_at = time.monotonic() + seconds
        if rings_at < self._rings_at:
            self._rings_at = rings_at
            self._alarm.notify()
