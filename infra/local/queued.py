"""A message or task as it waits: an immutable record, and the pure steps from one attempt to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum

from infra.local.backoff import backoff, exhausted
from shared.ports.queue import Retry

TIMED_OUT = 504
"""The status that stands for an attempt that did not answer before its deadline."""


DEAD_LETTER = "dead_letter"
"""The topic, and its function, that gets the messages that were given up."""


class Kind(StrEnum):
    """Which transport a delivery imitates: Pub/Sub, Cloud Tasks or Cloud Scheduler."""

    MESSAGE = "message"
    TASK = "task"
    JOB = "job"
    """A tick of the scheduler: lives in memory only, never retried."""


@dataclass(frozen=True, slots=True)
class Queued:
    """One message or task. `lane` is its topic or queue; `deadline_s` bounds one attempt."""

    id: int
    kind: Kind
    lane: str
    body: str
    """JSON text, the same on every attempt."""
    deadline_s: float
    retry: Retry
    enqueued_at: datetime
    due_at: datetime
    name: str = ""
    """Of a task; a message has none."""
    function: str = ""
    """Who handles it; empty for a message: its topic's subscription says."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    attempts: int = 0
    """Attempts started so far."""
    executions: int = 0
    """Attempts answered with something else than 5xx."""
    last_status: int | None = None
    """What the last attempt that ended was answered with."""
    first_attempt_at: datetime | None = None
    in_flight: bool = False
    gone_at: datetime | None = None
    """When it was acknowledged or given up: what remains is the tombstone of its name."""

    def is_exhausted(self, now: datetime) -> bool:
        """Whether retries have stopped, once an attempt has failed at this instant."""
        first = self.first_attempt_at or now
        return exhausted(self.attempts, first, now, self.retry)

    def started(self, now: datetime) -> Queued:
        """One attempt more, under way."""
        first = self.first_attempt_at or now
        return replace(self, attempts=self.attempts + 1, first_attempt_at=first, in_flight=True)

    def failed(self, status: int, now: datetime, retry_after_s: float = 0.0) -> Queued:
        """The attempt ended with this status; wait for the back-off, or longer if the handler asked for that."""
        wait_s = max(backoff(self.attempts, self.retry), retry_after_s)
        executions = self.executions if status >= 500 else self.executions + 1
        due_at = now + timedelta(seconds=wait_s)
        return replace(self, executions=executions, last_status=status, due_at=due_at, in_flight=False)

    def dead_lettered(self, new_id: int, now: datetime) -> Queued:
        """The message that goes to the dead-letter topic in its place, as Pub/Sub forwards it."""
        told = {
            "CloudPubSubDeadLetterSourceSubscription": self.lane,
            "CloudPubSubDeadLetterSourceDeliveryCount": str(self.attempts),
            "CloudPubSubDeadLetterSourceTopicPublishTime": self.enqueued_at.isoformat(),
        }
        return Queued(
            id=new_id,
            kind=Kind.MESSAGE,
            lane=DEAD_LETTER,
            body=self.body,
            deadline_s=self.deadline_s,
            retry=self.retry,
            enqueued_at=now,
            due_at=now,
            attributes={**self.attributes, **told},
        )

    def gone(self, now: datetime) -> Queued:
        """Its tombstone: the name without the content."""
        return replace(self, body="", attributes={}, in_flight=False, gone_at=now)
