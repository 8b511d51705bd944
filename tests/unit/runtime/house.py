"""A whole embedded queue in a temporary folder, and functions to put behind it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from infra.local.carriers import WsgiApp, in_process
from infra.local.clock import LocalClock, ManualClock
from infra.local.database import Database
from infra.local.messages import LocalMessages
from infra.local.queue import DurableQueue
from infra.local.runtime import LocalRuntime, QueueSettings
from infra.local.sweeps import Sweep
from infra.local.tasks import LocalTasks
from shared.ports.queue import Message, Retry, Task

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PATIENCE_S = 20.0
"""How long a test waits for what has to happen at once; reached only when it fails."""
RETRY = Retry(max_attempts=5, min_backoff_s=1.0, max_backoff_s=30.0, max_duration_s=0.0)


@dataclass(frozen=True)
class Seen:
    """A request as a function saw it."""

    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def retry_count(self) -> int:
        return int(self.headers["X_CLOUDTASKS_TASKRETRYCOUNT"])


Answer = Callable[[Seen], int | tuple[int, dict[str, str]]]


@dataclass
class Function:
    """A WSGI function that remembers its requests and answers what it is told to."""

    answer: Answer = lambda seen: 204
    seen: list[Seen] = field(default_factory=list)
    arrived: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        headers = {key.removeprefix("HTTP_"): value for key, value in environ.items() if key.startswith("HTTP_")}
        seen = Seen({**headers, "CONTENT_TYPE": environ["CONTENT_TYPE"]}, body)
        self.seen.append(seen)
        self.arrived.release()
        answer = self.answer(seen)
        status, extra = answer if isinstance(answer, tuple) else (answer, {})
        start_response(f"{status} Whatever", list(extra.items()))
        return [b"{}"]

    def wait(self) -> Seen:
        """The next request, once it has arrived."""
        assert self.arrived.acquire(timeout=PATIENCE_S), "the function was not called"
        return self.seen[-1]


def answers(*statuses: int | tuple[int, dict[str, str]]) -> Answer:
    """Answer with these in turn, then 204."""
    left = list(statuses)
    return lambda seen: left.pop(0) if left else 204


@dataclass
class House:
    """One process's queue."""

    database: Database
    clock: Any
    queue: DurableQueue
    messages: LocalMessages
    tasks: LocalTasks

    def runtime(
        self,
        functions: Mapping[str, WsgiApp],
        *,
        clock: LocalClock | None = None,
        subscriptions: dict[str, str] | None = None,
        places: int = 16,
        sweep: Sweep | None = None,
    ) -> LocalRuntime:
        queues = {name: QueueSettings(places) for name in ("specialists", "watchdogs", "actions")}
        topics = {"triage": "triage"} if subscriptions is None else subscriptions
        deliver = in_process(functions)
        return LocalRuntime(self.queue, deliver, clock or self.clock, subscriptions=topics, queues=queues, sweep=sweep)


@contextmanager
def house(folder: Path, clock: LocalClock | None = None, retry: Retry = RETRY) -> Iterator[House]:
    """A queue over a file in the folder; by default its clock stands still."""
    moving = clock or ManualClock(START)
    with Database(folder / "manthan.db") as database:
        queue = DurableQueue(database, moving)
        yield House(database, moving, queue, LocalMessages(queue, retry=retry), LocalTasks(queue))


@contextmanager
def running(runtime: LocalRuntime) -> Iterator[LocalRuntime]:
    """The runtime from start to stop; it must not leave a thread behind."""
    runtime.start()
    try:
        yield runtime
    finally:
        assert runtime.stop() == 0, "a function still ran when the test was over"


def settled(runtime: LocalRuntime) -> None:
    """Return when nothing is ready or running."""
    while True:
        seen = runtime.moves()
        if runtime.idle():
            return
        assert runtime.wait_for_move(seen, PATIENCE_S), f"still running: {runtime.running()}"


def message(number: int = 1, **attributes: str) -> Message:
    return Message("triage", {"event": f"evt_{number}"}, attributes)


def task(name: str = "task-1", **changes: Any) -> Task:
    fields: dict[str, Any] = {
        "queue": "specialists",
        "name": name,
        "function": "specialist",
        "body": {"case": "case_1", "round": 1},
        "deadline_s": 60.0,
        "retry": RETRY,
    }
    return Task(**{**fields, **changes})
