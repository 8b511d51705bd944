"""Pub/Sub, Cloud Tasks and the scheduler, on a bad day: late, twice, out of order, to a handler that still runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Final

from infra.local.delivery import Deliver, DeliveryResponse, acknowledges, request_for, retry_after_s
from infra.local.queued import DEAD_LETTER, TIMED_OUT, Kind, Queued
from infra.simulation.baton import Activity, Baton
from infra.simulation.journal import Journal
from infra.simulation.weather import Weather
from shared.ports.queue import Message, Retry, Task
from shared.ports.task_rules import check_task

_PUSH_DEADLINE_S: Final = 60.0
_PUSH_RETRY: Final = Retry(max_attempts=10, min_backoff_s=10.0, max_backoff_s=600.0, max_duration_s=0.0)
_NAME_BLOCKED: Final = timedelta(days=1)
"""How long the name of a task that is gone stays blocked."""
_TICK_DEADLINE_S: Final = 60.0


class Transport:
    """Carries what was sent to the functions, as often as it likes; implements Messages and Tasks."""

    def __init__(
        self, baton: Baton, weather: Weather, journal: Journal, deliver: Deliver, clock: Callable[[], datetime]
    ) -> None:
        self._baton, self._weather, self._journal = baton, weather, journal
        self._deliver, self._clock = deliver, clock
        self._ids = count(1)
        self._names: dict[str, datetime] = {}
        self.duplicate_everything = False
        """Deliver every message and task twice, the second time shortly after the first."""

    # What is sent

    def publish(self, message: Message) -> None:
        """Take a message over; it may be lost, and it may arrive more than once."""
        queued = self._queued(Kind.MESSAGE, message.topic, message.body, _PUSH_DEADLINE_S, _PUSH_RETRY)
        queued = replace(queued, attributes=message.attributes)
        if self._weather.strikes("message_lost"):
            self._journal.tell(self._baton.now, f"a message to {message.topic} is lost")
            return
        self._plan(queued, "message")

    def enqueue(self, task: Task) -> bool:
        """Take a task over, unless its name exists or existed within a day."""
        check_task(task, json.dumps(task.body))
        now = self._clock()
        blocked = self._names.get(task.name)
        if blocked is not None and now < blocked:
            return False
        self._names[task.name] = now + _NAME_BLOCKED
        queued = self._queued(Kind.TASK, task.queue, task.body, task.deadline_s, task.retry)
        due_at = max(now, task.schedule_at or now)
        queued = replace(queued, name=task.name, function=task.function, attributes=task.attributes, due_at=due_at)
        if self._weather.strikes("task_deleted"):
            self._journal.tell(self._baton.now, f"a task for {task.function} is deleted")
            return True
        self._plan(queued, "task")
        return True

    def tick(self) -> None:
        """One tick of the scheduler: the sweep is called once, and never again for the same tick."""
        retry = Retry(max_attempts=1, min_backoff_s=1.0, max_backoff_s=1.0, max_duration_s=0.0)
        queued = self._queued(Kind.JOB, "sweep", {}, _TICK_DEADLINE_S, retry)
        self._attempt(replace(queued, function="sweep"))

    def _queued(self, kind: Kind, lane: str, body: dict[str, str | int], deadline_s: float, retry: Retry) -> Queued:
        now = self._clock()
        return Queued(
            id=next(self._ids),
            kind=kind,
            lane=lane,
            body=json.dumps(body),
            deadline_s=deadline_s,
            retry=retry,
            enqueued_at=now,
            due_at=now,
        )

    def _plan(self, queued: Queued, what: str) -> None:
        self._after_due(queued, what)
        if self.duplicate_everything or self._weather.strikes(f"{what}_duplicated"):
            self._after_due(queued, what)

    def _after_due(self, queued: Queued, what: str) -> None:
        wait = (queued.due_at - self._clock()).total_seconds() + self._weather.seconds(0.05)
        if self._weather.strikes(f"{what}_delayed"):
            wait += self._weather.between(1.0, 900.0)
        self._baton.after(wait, lambda: self._attempt(queued))

    # What is delivered

    def _attempt(self, queued: Queued) -> None:
        """Start one attempt; it ends with an answer, with the death of the process, or at its deadline."""
        started = queued.started(self._clock())
        function = started.function or started.lane
        ended: list[bool] = []

        def end(status: int, wait_s: float = 0.0) -> None:
            if not ended:
                ended.append(True)
                self._ended(started, status, wait_s)

        def serve() -> None:
            try:
                response = self._deliver(function, request_for(started))
            except BaseException:
                self._baton.after(self._weather.seconds(2.0), lambda: end(502))
                raise
            self._answered(started, response, end)

        skew = self._weather.between(0.05, 2.0) if self._weather.strikes("clock_skewed") else 0.0
        self._journal.steps += 1
        self._baton.at(self._baton.now, Activity(function, serve, skew_s=skew))
        self._baton.after(started.deadline_s, lambda: end(TIMED_OUT))

    def _answered(self, started: Queued, response: DeliveryResponse, end: Callable[[int, float], None]) -> None:
        if self._weather.strikes("answer_lost"):
            return  # the transport waits until the deadline
        end(response.status, retry_after_s(started.kind, response, self._clock()))

    def _ended(self, started: Queued, status: int, wait_s: float) -> None:
        if acknowledges(started.kind, status) or started.kind is Kind.JOB:
            return
        if status == TIMED_OUT:
            self._weather.counts["redelivered_while_running"] += 1
        now = self._clock()
        failed = started.failed(status, now, wait_s)
        if not started.is_exhausted(now):
            self._baton.after((failed.due_at - now).total_seconds(), lambda: self._attempt(failed))
        elif started.kind is Kind.MESSAGE and started.lane != DEAD_LETTER:
            self._weather.counts["dead_lettered"] += 1
            letter = started.dead_lettered(next(self._ids), now)
            self._baton.after(1.0, lambda: self._attempt(letter))
