"""A few children, shared by many threads; a child that failed is replaced."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infra.sources.worker_process import WorkerProcess
from shared.ports.sources import QueryFailed


class WorkerPool:
    """At most `size` children, started when first needed. Each serves one caller at a time."""

    def __init__(self, start: Callable[[], WorkerProcess], size: int) -> None:
        self._start = start
        self._idle: list[WorkerProcess | None] = [None] * size  # None: a place whose child is not started
        self._busy: set[WorkerProcess] = set()
        self._closed = False
        self._changed = threading.Condition()

    def warm(self) -> None:
        """Start every child that is not started, without waiting for any."""
        with self._changed:
            if not self._closed:
                self._idle = [self._replaced(worker) for worker in self._idle]

    @contextmanager
    def borrow(self, wait_s: float) -> Iterator[WorkerProcess]:
        """A child for one question. Raises QueryFailed if none becomes free within `wait_s` seconds."""
        worker = self._take(wait_s)
        try:
            yield worker
        finally:
            self._give_back(worker)

    def close(self) -> None:
        """End every child; callers that wait for an answer get QueryFailed."""
        with self._changed:
            self._closed = True
            for worker in self._busy:
                worker.kill()
            for idle in filter(None, self._idle):
                idle.close()
            self._idle.clear()
            self._changed.notify_all()

    def _take(self, wait_s: float) -> WorkerProcess:
        deadline = time.monotonic() + wait_s
        with self._changed:
            while not self._idle:
                if self._closed:
                    raise QueryFailed("the sources are closed")
                if not self._changed.wait(deadline - time.monotonic()):
                    raise QueryFailed(f"every query process was busy for {wait_s:g} s", after=1.0)
            worker = self._replaced(self._idle.pop())
            if worker is None:
                self._idle.append(None)
                raise QueryFailed("no query process can be started on this machine", after=1.0)
            self._busy.add(worker)
            return worker

    def _give_back(self, worker: WorkerProcess) -> None:
        with self._changed:
            self._busy.discard(worker)
            if self._closed:
                worker.close()
                return
            self._idle.append(self._replaced(worker))
            self._changed.notify()

    def _replaced(self, worker: WorkerProcess | None) -> WorkerProcess | None:
        """The child itself, or a fresh one if it is of no use; None if the machine has no room for one.

        Starting returns at once, so this is done under the lock.
        """
        if worker is not None and worker.usable:
            return worker
        if worker is not None:
            worker.close()
        try:
            return self._start()
        except OSError:
            return None
