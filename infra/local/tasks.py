"""Enqueuing on the embedded queue, as on Cloud Tasks and with its limits."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import Final

from infra.local.queue import DurableQueue
from infra.local.queued import Kind, Queued
from shared.errors import InvalidInput
from shared.ports.queue import Task

MAX_BODY_BYTES: Final = 100 * 1024
MAX_DELAY: Final = timedelta(days=30)
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,500}")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e]*")


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
        _check(task, body, now)
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


def _check(task: Task, body: str, now: datetime) -> None:
    if not _NAME.fullmatch(task.name):
        raise InvalidInput("a task's name is 1 to 500 letters, digits, hyphens and underscores")
    if len(body) > MAX_BODY_BYTES:
        raise InvalidInput(f"the body of task {task.name} is larger than {MAX_BODY_BYTES} bytes: send identifiers")
    if task.schedule_at is not None and task.schedule_at - now > MAX_DELAY:
        raise InvalidInput(f"task {task.name} is due in more than 30 days: such waits belong to the case's wake_at")
    for name, value in task.attributes.items():
        if not _NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise InvalidInput(f"an attribute of task {task.name} cannot travel as a header: it has to be plain ASCII")
