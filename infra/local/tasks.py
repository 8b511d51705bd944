"""Enqueuing on the embedded queue, as on Cloud Tasks and with its limits."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Final

from infra.local.queue import DurableQueue
from infra.local.queued import Kind, Queued
from shared.errors import InvalidInput
from shared.ports.queue import Task
from shared.ports.task_rules import check_task

MAX_DELAY: Final = timedelta(days=30)


class LocalTasks:
    """Tasks on the embedded queue."""

    def __init__(self, queue: DurableQueue) -> None:
        self._queue = queue

    def enqueue(self, task: Task) -> bool:
        """Hand the task to the runtime and its durable copy to the writer. False: the name waits or did within 24 h.

        Raises Retryable when the database is closed, and InvalidInput for what Cloud Tasks would refuse: a name or
        attribute with other than plain characters, a body over 100 KiB, a delay over 30 days.
        """
        now = self._queue.clock.now()
        body = json.dumps(task.body, separators=(",", ":"))
        check_task(task, body)
        if task.schedule_at is not None and task.schedule_at - now > MAX_DELAY:
            raise InvalidInput(f"task {task.name} is due in more than 30 days: such waits belong to the case's wake_at")
        return self._queue.enqueue(
            Queued(
                id=self._queue.new_id(),
                kind=Kind.TASK,
                lane=task.queue,
                name=task.name,
                function=task.function,
                body=body,
                attributes=task.attributes,
                deadline_s=task.deadline_s,
                retry=task.retry,
                enqueued_at=now,
                due_at=max(task.schedule_at or now, now),
            )
        )
