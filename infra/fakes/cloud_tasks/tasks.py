"""A task from its creation to its end: what it asks for, and what became of its attempts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from google.cloud import tasks_v2
from google.rpc import code_pb2, status_pb2

from .names import short
from .settings import RetryPolicy

RETENTION: Final = timedelta(days=31)
"""No task lives longer, whatever its retry policy says."""
TIMED_OUT: Final = 504
"""Stands for an attempt without an answer by its deadline."""
UNREACHABLE: Final = 503
"""Stands for an attempt that could not be made, or whose connection broke."""

_CODES: Final = {
    400: code_pb2.INVALID_ARGUMENT,
    401: code_pb2.UNAUTHENTICATED,
    403: code_pb2.PERMISSION_DENIED,
    404: code_pb2.NOT_FOUND,
    409: code_pb2.ABORTED,
    429: code_pb2.RESOURCE_EXHAUSTED,
    500: code_pb2.INTERNAL,
    501: code_pb2.UNIMPLEMENTED,
    503: code_pb2.UNAVAILABLE,
    504: code_pb2.DEADLINE_EXCEEDED,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended. `responded`: the worker itself gave the status; else it stands for having no answer."""

    status: int
    responded: bool = True
    retry_after_s: float = 0.0

    @property
    def succeeded(self) -> bool:
        """Whether the task is done: any 2xx."""
        return self.responded and 200 <= self.status <= 299

    def as_status(self) -> status_pb2.Status:
        """As `Attempt.response_status` shows it."""
        code = code_pb2.OK if self.succeeded else _CODES.get(self.status, code_pb2.UNKNOWN)
        words = f"HTTP status code {self.status}" if self.responded else "no response from the worker"
        return status_pb2.Status(code=code, message=f"{code_pb2.Code.Name(code)}({code}): {words}")


@dataclass(slots=True, eq=False)
class StoredTask:
    """A task that waits or is being attempted. Guarded by the emulator's lock."""

    message: tasks_v2.Task
    """As created, complete with defaults."""
    retry: RetryPolicy
    created_at: datetime
    due_at: datetime
    schedule: int = 0
    """Grows with every new due time, so that an older one is recognised as void."""
    attempts: int = 0
    """Attempts started so far."""
    running: int = 0
    responses: int = 0
    executions: int = 0
    """Attempts answered with something else than 5xx."""
    last_outcome: Outcome | None = None
    first_attempt_at: datetime | None = None
    last_dispatched_at: datetime | None = None
    last_responded_at: datetime | None = None
    last_due_at: datetime | None = None

    @property
    def id(self) -> str:
        """The last part of its name."""
        return short(self.message.name)

    @property
    def deadline_s(self) -> float:
        """How long one attempt may take."""
        return float(self.message.dispatch_deadline.total_seconds())

    def reschedule(self, due_at: datetime) -> None:
        """Have the next attempt at this instant, and not at the one that was planned."""
        self.due_at = due_at
        self.schedule += 1

    def started(self, now: datetime) -> None:
        """One attempt more is under way."""
        self.attempts += 1
        self.running += 1
        self.first_attempt_at = self.first_attempt_at or now
        self.last_dispatched_at, self.last_due_at = now, self.due_at

    def ended(self, outcome: Outcome, now: datetime) -> None:
        """An attempt has ended like this."""
        self.running -= 1
        self.last_outcome = outcome
        self.last_responded_at = now if outcome.responded else None
        self.responses += outcome.responded
        self.executions += outcome.status < 500

    def is_exhausted(self, now: datetime) -> bool:
        """Whether it is not attempted again, now that an attempt has failed."""
        return self.retry.is_exhausted(self.attempts, self.first_attempt_at or now, now) or self.is_too_old(now)

    def is_too_old(self, now: datetime) -> bool:
        """Whether it has been kept for as long as any task is."""
        return now - self.created_at >= RETENTION

    def as_message(self, view: int) -> tasks_v2.Task:
        """As the service shows it; the basic view leaves the body out."""
        shown = tasks_v2.Task(self.message)
        shown.view = tasks_v2.Task.View(view or tasks_v2.Task.View.BASIC)
        shown.schedule_time = self.due_at
        shown.dispatch_count, shown.response_count = self.attempts, self.responses
        if self.first_attempt_at is not None:
            shown.first_attempt = tasks_v2.Attempt(dispatch_time=self.first_attempt_at)
            shown.last_attempt = self._last_attempt()
        if shown.view == tasks_v2.Task.View.BASIC:
            shown.http_request.body = b""
        return shown

    def _last_attempt(self) -> tasks_v2.Attempt:
        last = tasks_v2.Attempt(schedule_time=self.last_due_at, dispatch_time=self.last_dispatched_at)
        if self.running == 0 and self.last_outcome is not None:
            last.response_status = self.last_outcome.as_status()
            if self.last_responded_at is not None:
                last.response_time = self.last_responded_at
        return last
