"""Publishing to the embedded queue, as to Pub/Sub."""

from __future__ import annotations

import json

from infra.local.queue import DurableQueue
from infra.local.queued import Kind, Queued
from shared.ports.queue import Message, Retry
from shared.steps.budgets import PUSH_ACK_S, PUSH_RETRY


class LocalMessages:
    """Messages on the embedded queue. They are delivered at least once, in no promised order."""

    def __init__(self, queue: DurableQueue, *, retry: Retry = PUSH_RETRY, deadline_s: float = PUSH_ACK_S) -> None:
        self._queue = queue
        self._retry = retry
        self._deadline_s = deadline_s

    def publish(self, message: Message) -> None:
        """Hand the message to the runtime and its durable copy to the writer. Raises Retryable when that is closed.

        The copy is committed within moments and without a flush of its own: what the death of the process may lose is
        a hint, and the sweep at start sends it again.
        """
        now = self._queue.clock.now()
        self._queue.enqueue(
            Queued(
                id=self._queue.new_id(),
                kind=Kind.MESSAGE,
                lane=message.topic,
                body=json.dumps(message.body, separators=(",", ":")),
                attributes=message.attributes,
                deadline_s=self._deadline_s,
                retry=self._retry,
                enqueued_at=now,
                due_at=now,
            )
        )
