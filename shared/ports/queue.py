"""Messages and tasks: hints that a case should be looked at. Losing one, or getting it twice, changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """A message on a step's topic. `body` holds identifiers only; `attributes` carry org, ordering key and trace."""

    topic: str
    body: dict[str, str | int]
    attributes: dict[str, str] = field(default_factory=dict)


class Messages(Protocol):
    """Publishing to the topics that start triage, synthesize and policy check."""

    def publish(self, message: Message) -> None:
        """Hand the message over before returning. Raises Retryable when that was not possible.

        An adapter may make it durable moments later: a hint that a crash eats costs time, never work.
        """
        ...


@dataclass(frozen=True, slots=True)
class Retry:
    """A per-task retry policy, in attempts and seconds; retries stop when both limits are reached."""

    max_attempts: int
    min_backoff_s: float
    max_backoff_s: float
    max_duration_s: float


@dataclass(frozen=True, slots=True)
class Task:
    """One HTTP task. `name` de-duplicates cheaply; nothing relies on it. `deadline_s` bounds one attempt."""

    queue: str
    name: str
    function: str
    """The function that handles it: specialist, act."""
    body: dict[str, str | int]
    deadline_s: float
    retry: Retry
    schedule_at: datetime | None = None
    attributes: dict[str, str] = field(default_factory=dict)


class Tasks(Protocol):
    """Enqueuing specialists, watchdogs and actions."""

    def enqueue(self, task: Task) -> bool:
        """Hand the task over before returning. False: the name exists or existed, which proves nothing."""
        ...
