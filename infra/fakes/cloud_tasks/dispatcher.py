"""The thread that has due tasks attempted, and what follows from how their attempts end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from infra.local.workers import Workers

from .attempts import Attempt, WorkerRequest
from .clock import EmulatorClock
from .identity import Signer
from .queues import Queue
from .tasks import TIMED_OUT, Outcome, StoredTask


@dataclass(frozen=True, slots=True)
class Dropped:
    """A task that was given up: the service deletes it without a word."""

    name: str
    at: datetime
    attempts: int
    last_status: int
    """What the last attempt was answered with; 503 and 504 also stand for no answer at all."""


class Dispatcher:
    """Holds the one lock over queues and tasks. Methods with a leading underscore are called with the lock held."""

    def __init__(
        self, queues: Mapping[str, Queue], clock: EmulatorClock, signer: Signer, on_settled: Callable[[], None]
    ) -> None:
        self.dropped: list[Dropped] = []
        self._on_settled = on_settled
        self._queues = queues
        self._clock = clock
        self._signer = signer
        self._lock = threading.Lock()
        self._moved = threading.Condition(self._lock)
        self._quiet = threading.Condition(self._lock)
        self._attempts: set[Attempt] = set()
        self._workers = Workers("attempt")
        self._running = True
        self._thread = threading.Thread(target=self._run, name="dispatcher", daemon=True)

    def start(self) -> None:
        """Dispatch from now on; once."""
        self._thread.start()

    def stop(self) -> None:
        """Dispatch nothing more, and wait for no answer that has not come."""
        with self.changing():
            self._running = False
            cancelled = list(self._attempts)
            self._attempts.clear()
        for attempt in cancelled:
            attempt.cancel()
        self._thread.join()
        self._workers.end(timeout_s=5.0)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Have queues, tasks and time to oneself; afterwards it is looked at what is due."""
        with self._lock:
            yield
            self._moved.notify_all()

    def begin(self, queue: Queue, task: StoredTask) -> None:
        """Have a task attempted now. Only inside `changing`."""
        task.started(self._clock.now())
        queue.running += 1
        attempt = Attempt(queue, task, WorkerRequest.of(task), ends=time.monotonic() + task.deadline_s)
        self._attempts.add(attempt)
        self._workers.run(partial(self.work, attempt))

    def work(self, attempt: Attempt) -> None:
        """Make one attempt, on a thread of its own."""
        outcome = attempt.make(self._signer)
        with self.changing():
            self._settle(attempt, outcome)
        self._on_settled()

    def next_dispatch(self) -> datetime | None:
        """The earliest instant at which a task can be attempted; None when none waits for time to pass."""
        with self._lock:
            return min(self._next_dispatches(self._clock.now()), default=None)

    def wait_until_idle(self, timeout_s: float) -> bool:
        """Return once nothing is being attempted and nothing can be before time passes. False: that took longer."""
        with self._lock:
            return self._quiet.wait_for(self._is_idle, timeout_s)

    def _run(self) -> None:
        with self._lock:
            while self._running:
                self._time_out()
                for queue in self._queues.values():
                    while (task := queue.take(self._clock.now())) is not None:
                        self.begin(queue, task)
                if self._is_idle():
                    self._quiet.notify_all()
                self._moved.wait(self._seconds_to_next())

    def _is_idle(self) -> bool:
        now = self._clock.now()
        return not self._attempts and all(instant > now for instant in self._next_dispatches(now))

    def _next_dispatches(self, now: datetime) -> list[datetime]:
        instants = (queue.next_dispatch(now) for queue in self._queues.values())
        return [instant for instant in instants if instant is not None]

    def _seconds_to_next(self) -> float | None:
        waits = [self._clock.until(instant) for instant in self._next_dispatches(self._clock.now())]
        waits += [max(0.0, attempt.ends - time.monotonic()) for attempt in self._attempts]
        return min((wait for wait in waits if wait is not None), default=None)

    def _time_out(self) -> None:
        monotonic = time.monotonic()
        for attempt in [attempt for attempt in self._attempts if attempt.ends <= monotonic]:
            self._settle(attempt, Outcome(TIMED_OUT, responded=False))
            attempt.cancel()

    def _settle(self, attempt: Attempt, outcome: Outcome) -> None:
        if attempt not in self._attempts:
            return  # its deadline has passed: an answer that comes now is ignored
        self._attempts.remove(attempt)
        queue, task, now = attempt.queue, attempt.task, self._clock.now()
        queue.running -= 1
        task.ended(outcome, now)
        if not queue.holds(task):
            return
        if outcome.succeeded:
            queue.remove(task, now)
        elif task.is_exhausted(now):
            queue.remove(task, now)
            self.dropped.append(Dropped(task.message.name, now, task.attempts, outcome.status))
        else:
            wait_s = max(task.retry.wait_s(task.attempts), outcome.retry_after_s)
            task.reschedule(now + timedelta(seconds=wait_s))
            queue.schedule(task)
