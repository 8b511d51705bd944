"""The emulator with its clock standing still, a worker behind a real port, and the official client in front."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from google.cloud import tasks_v2

from infra.fakes.cloud_tasks import Emulator, EmulatorClock, RunningEmulator, Signer
from infra.stage.serving import AppServer
from tests.unit.runtime.house import Function

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LOCATION = "projects/acme/locations/europe-west1"
QUEUE = f"{LOCATION}/queues/specialists"
SIGNER = Signer()
"""One key for all tests: making one takes longer than most of them."""


@dataclass
class Bench:
    """What a test works with. Time passes only when `advance` is called."""

    running: RunningEmulator
    client: tasks_v2.CloudTasksClient
    worker: Function
    url: str

    @property
    def emulator(self) -> Emulator:
        return self.running.emulator

    def queue(self, name: str = QUEUE, **fields: Any) -> tasks_v2.Queue:
        return self.client.create_queue(parent=LOCATION, queue={"name": name, **fields})

    def task(self, task_id: str = "", *, queue: str = QUEUE, request: Any = None, **fields: Any) -> tasks_v2.Task:
        named = {"name": f"{queue}/tasks/{task_id}"} if task_id else {}
        http = {"url": self.url, "body": b"{}", **(request or {})}
        return self.client.create_task(parent=queue, task={**named, "http_request": http, **fields})

    def settle(self) -> int:
        """Everything that can be attempted has been; how often the worker was called by now."""
        assert self.emulator.wait_until_idle(20)
        return len(self.worker.seen)

    def after(self, seconds: float) -> int:
        self.emulator.advance(seconds)
        return self.settle()

    def calls_at(self, *waits: float) -> list[int]:
        return [self.after(seconds) for seconds in waits]


@pytest.fixture
def bench() -> Iterator[Bench]:
    """An emulator with one queue, QUEUE, and a worker that answers 204."""
    worker = Function()
    emulator = Emulator(EmulatorClock(START, frozen=True), signer=SIGNER)
    with AppServer(worker) as app, RunningEmulator(emulator) as running:
        made = Bench(running, running.client(), worker, app.url)
        made.queue()
        yield made
