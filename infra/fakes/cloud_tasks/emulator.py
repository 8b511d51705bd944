"""The emulator itself: what the service's methods do with queues and tasks, and what only an emulator offers."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from google.cloud import tasks_v2

from . import names
from .clock import EmulatorClock
from .dispatcher import Dispatcher, Dropped
from .identity import Signer
from .queues import Queue
from .refusals import already_exists, failed_precondition, not_found
from .requests import completed
from .settings import RetryPolicy, completed_queue, merged
from .tasks import StoredTask

TOMBSTONE: Final = timedelta(hours=24)
"""How long the name of a task that is gone stays taken: the service says up to 24 hours."""


@dataclass(frozen=True, slots=True)
class QueueCounts:
    """What a queue holds: due, not yet due, being attempted."""

    ready: int
    delayed: int
    running: int
    paused: bool


class Emulator:
    """Queues, tasks and their attempts, in memory. Thread-safe. Begins with `start` and ends with `stop`.

    `on_settled` is called whenever an attempt has ended, one that nobody waited for any more included.
    """

    def __init__(
        self,
        clock: EmulatorClock | None = None,
        *,
        tombstone: timedelta = TOMBSTONE,
        signer: Signer | None = None,
        on_settled: Callable[[], None] = lambda: None,
    ) -> None:
        self.clock = clock or EmulatorClock()
        self.signer = signer or Signer()
        self._tombstone = tombstone
        self._queues: dict[str, Queue] = {}
        self._dispatcher = Dispatcher(self._queues, self.clock, self.signer, on_settled)
        self.start = self._dispatcher.start
        self.stop = self._dispatcher.stop
        self._changing = self._dispatcher.changing

    # Queues

    def create_queue(self, parent: str, queue: tasks_v2.Queue) -> tasks_v2.Queue:
        """Create a queue. Raises Refusal."""
        names.check_location(parent)
        if not names.check_queue(queue.name).startswith(f"{parent}/"):
            raise failed_precondition("Queue.name must lie in the request's parent.")
        with self._changing():
            if queue.name in self._queues:
                raise already_exists("Queue already exists")
            return self._put_queue(queue)

    def queue(self, name: str) -> tasks_v2.Queue:
        """A queue as it is. Raises Refusal."""
        with self._changing():
            return tasks_v2.Queue(self._queue(name).message)

    def queues(self, parent: str) -> list[tasks_v2.Queue]:
        """The queues of a location, by name. Raises Refusal."""
        names.check_location(parent)
        with self._changing():
            inside = sorted(name for name in self._queues if name.startswith(f"{parent}/"))
            return [tasks_v2.Queue(self._queues[name].message) for name in inside]

    def update_queue(self, queue: tasks_v2.Queue, paths: list[str]) -> tasks_v2.Queue:
        """Change these fields of a queue, or all of them; a queue that is not there is created. Raises Refusal."""
        names.check_queue(queue.name)
        with self._changing():
            existing = self._queues.get(queue.name)
            if existing is None:
                return self._put_queue(queue)
            changed = completed_queue(merged(existing.message, queue, paths))
            changed.state = tasks_v2.Queue.State(existing.message.state)
            existing.configure(changed, self.clock.now())
            return tasks_v2.Queue(changed)

    def delete_queue(self, name: str) -> None:
        """Delete a queue with its tasks. Raises Refusal."""
        with self._changing():
            self._queue(name).purge(self.clock.now())
            del self._queues[name]

    def purge_queue(self, name: str) -> tasks_v2.Queue:
        """Delete all tasks of a queue. Raises Refusal."""
        with self._changing():
            queue, now = self._queue(name), self.clock.now()
            queue.purge(now)
            queue.message.purge_time = now
            return tasks_v2.Queue(queue.message)

    def set_paused(self, name: str, paused: bool) -> tasks_v2.Queue:
        """Pause or resume a queue; attempts under way go on. Raises Refusal."""
        states = tasks_v2.Queue.State
        with self._changing():
            queue = self._queue(name)
            queue.message.state = states(states.PAUSED if paused else states.RUNNING)
            return tasks_v2.Queue(queue.message)

    # Tasks

    def create_task(self, parent: str, task: tasks_v2.Task, view: int) -> tasks_v2.Task:
        """Take a task up. Raises Refusal."""
        names.check_queue(parent)
        if task.name and names.queue_of_task(task.name) != parent:
            raise failed_precondition("Task.name must lie in the request's parent.")
        now = self.clock.now()
        message = completed(task, now)
        message.name = message.name or f"{parent}/tasks/{uuid.uuid4().int >> 64}"
        with self._changing():
            queue = self._queues.get(parent)
            if queue is None:
                raise failed_precondition("Queue does not exist.")
            retry = RetryPolicy.of(message.retry_config) if "retry_config" in message else queue.retry
            stored = StoredTask(message, retry, created_at=now, due_at=message.schedule_time)
            queue.add(stored, now)
            return stored.as_message(view)

    def task(self, name: str, view: int) -> tasks_v2.Task:
        """A task as it is. Raises Refusal."""
        with self._changing():
            return self._task(name)[1].as_message(view)

    def tasks(self, parent: str, view: int) -> list[tasks_v2.Task]:
        """A queue's tasks, by name. Raises Refusal."""
        with self._changing():
            stored = self._queue(parent).tasks
            return [stored[task_id].as_message(view) for task_id in sorted(stored)]

    def delete_task(self, name: str) -> None:
        """Delete a task; an attempt under way is not told. Raises Refusal."""
        with self._changing():
            queue, task = self._task(name)
            queue.remove(task, self.clock.now())

    def run_task(self, name: str, view: int) -> tasks_v2.Task:
        """Attempt a task now, whatever its schedule, its queue and other attempts of it say. Raises Refusal."""
        with self._changing():
            queue, task = self._task(name)
            task.reschedule(self.clock.now())
            shown = task.as_message(view)
            self._dispatcher.begin(queue, task)
            return shown

    # What only an emulator offers

    def advance(self, seconds: float) -> datetime:
        """Let so much time pass at once; the instant it is then."""
        with self._changing():
            return self.clock.advance(seconds)

    def counts(self) -> dict[str, QueueCounts]:
        """What every queue holds, by name."""
        with self._changing():
            now = self.clock.now()
            return {name: _count(queue, now) for name, queue in sorted(self._queues.items())}

    def dropped(self) -> list[Dropped]:
        """Tasks that were given up, in the order it happened."""
        with self._changing():
            return list(self._dispatcher.dropped)

    def next_dispatch(self) -> datetime | None:
        """The earliest instant at which a task can be attempted; None when none waits for time to pass."""
        return self._dispatcher.next_dispatch()

    def wait_until_idle(self, timeout_s: float = 10.0) -> bool:
        """Return once nothing is being attempted and nothing can be before time passes. False: that took longer.

        What waits for a later instant, for a paused queue or for a token of its rate does not count.
        """
        return self._dispatcher.wait_until_idle(timeout_s)

    # Inside `changing`

    def _put_queue(self, queue: tasks_v2.Queue) -> tasks_v2.Queue:
        message = completed_queue(queue)
        message.state = tasks_v2.Queue.State(tasks_v2.Queue.State.RUNNING)
        self._queues[message.name] = Queue(message, self.clock.now(), tombstone=self._tombstone)
        return tasks_v2.Queue(message)

    def _queue(self, name: str) -> Queue:
        found = self._queues.get(names.check_queue(name))
        if found is None:
            raise not_found("Queue does not exist.")
        return found

    def _task(self, name: str) -> tuple[Queue, StoredTask]:
        queue = self._queue(names.queue_of_task(name))
        return queue, queue.task(names.short(name))


def _count(queue: Queue, now: datetime) -> QueueCounts:
    ready = queue.ready(now)
    waiting = sum(task.running == 0 for task in queue.tasks.values())
    return QueueCounts(ready, waiting - ready, queue.running, queue.is_paused)
