"""One queue: its tasks, the names that are still taken, and what it may dispatch at this moment."""

from __future__ import annotations

import heapq
import itertools
from datetime import datetime, timedelta
from typing import Final

from google.cloud import tasks_v2

from .refusals import already_exists, not_found
from .settings import Limits, RetryPolicy
from .tasks import StoredTask

_Due = tuple[datetime, int, int, StoredTask]
"""Due, a number that keeps the order of creation, the schedule it stands for, and the task."""

_ONE_TOKEN: Final = 1 - 1e-4
"""A bucket is filled in microseconds: what is missing to a token by rounding does not count."""


class Queue:
    """A queue. Guarded by the emulator's lock."""

    def __init__(self, message: tasks_v2.Queue, now: datetime, *, tombstone: timedelta) -> None:
        self.message = message
        self.tasks: dict[str, StoredTask] = {}
        self.running = 0
        self._tombstone = tombstone
        self._gone: dict[str, datetime] = {}
        self._due: list[_Due] = []
        self._numbers = itertools.count()
        self._limits = Limits.of(message.rate_limits)
        self._tokens = float(self._limits.burst)
        self._filled_at = now

    # Configuration

    @property
    def is_paused(self) -> bool:
        """Whether nothing is dispatched until it is resumed."""
        return bool(self.message.state == tasks_v2.Queue.State.PAUSED)

    @property
    def retry(self) -> RetryPolicy:
        """The policy of tasks that have none of their own."""
        return RetryPolicy.of(self.message.retry_config)

    def configure(self, message: tasks_v2.Queue, now: datetime) -> None:
        """Replace its configuration; what waits is dispatched by the new limits, and retried by the new policy."""
        self._refill(now)
        self.message = message
        self._limits = Limits.of(message.rate_limits)
        self._tokens = min(self._tokens, float(self._limits.burst))
        for task in self.tasks.values():
            if "retry_config" not in task.message:
                task.retry = self.retry

    # Tasks

    def add(self, task: StoredTask, now: datetime) -> None:
        """Take a task up. Raises Refusal when its name is taken, or was within the tombstone's time."""
        gone_at = self._gone.get(task.id)
        if task.id in self.tasks or (gone_at is not None and now - gone_at < self._tombstone):
            raise already_exists()
        self._gone.pop(task.id, None)
        self.tasks[task.id] = task
        self.schedule(task)

    def task(self, task_id: str) -> StoredTask:
        """A task by its id. Raises Refusal when there is none."""
        found = self.tasks.get(task_id)
        if found is not None:
            return found
        if task_id in self._gone:
            raise not_found("The task no longer exists, though a task with this name existed recently.")
        raise not_found()

    def holds(self, task: StoredTask) -> bool:
        """Whether this very task is still here: it may have been deleted while it was attempted."""
        return self.tasks.get(task.id) is task

    def remove(self, task: StoredTask, now: datetime) -> None:
        """Delete a task; its name stays taken for a while."""
        del self.tasks[task.id]
        self._gone[task.id] = now

    def purge(self, now: datetime) -> None:
        """Delete every task."""
        for task in list(self.tasks.values()):
            self.remove(task, now)
        self._due.clear()

    def schedule(self, task: StoredTask) -> None:
        """Put the task where it is found when it is due."""
        heapq.heappush(self._due, (task.due_at, next(self._numbers), task.schedule, task))

    # Dispatching

    def take(self, now: datetime) -> StoredTask | None:
        """The task that has been due longest, if the queue may dispatch it now: it costs a token and a place."""
        if self._next_due() is None or self._due[0][0] > now or not self._may_dispatch(now):
            return None
        self._tokens -= 1
        return heapq.heappop(self._due)[3]

    def next_dispatch(self, now: datetime) -> datetime | None:
        """When `take` can give something, as far as time decides; None when something else has to happen first."""
        due_at = self._next_due()
        if due_at is None or self.is_paused or self.running >= self._limits.concurrent:
            return None
        self._refill(now)
        missing = max(0.0, _ONE_TOKEN - self._tokens) / self._limits.per_second
        return max(due_at, now + timedelta(seconds=missing))

    def ready(self, now: datetime) -> int:
        """How many tasks are due by now."""
        return sum(entry[0] <= now and self._is_current(entry) for entry in self._due)

    def _next_due(self) -> datetime | None:
        while self._due and not self._is_current(self._due[0]):
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else None

    def _is_current(self, entry: _Due) -> bool:
        _, _, schedule, task = entry
        return schedule == task.schedule and self.holds(task)

    def _may_dispatch(self, now: datetime) -> bool:
        self._refill(now)
        return not self.is_paused and self.running < self._limits.concurrent and self._tokens >= _ONE_TOKEN

    def _refill(self, now: datetime) -> None:
        gained = (now - self._filled_at).total_seconds() * self._limits.per_second
        self._tokens = min(float(self._limits.burst), self._tokens + gained)
        self._filled_at = now
