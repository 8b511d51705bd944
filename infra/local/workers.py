"""A pool of threads that grows when nobody is free: one that hangs holds up nothing but itself."""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable

Job = Callable[[], None]


class Workers:
    """Runs jobs at once, each on a thread of its own; free threads are used again. The caller bounds how many."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._numbers = itertools.count(1)
        self._work = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._free = 0
        self._ending = False
        self._threads: set[threading.Thread] = set()

    @property
    def size(self) -> int:
        """How many threads there are."""
        with self._work:
            return len(self._threads)

    def run(self, job: Job) -> None:
        """Have a free thread, or a new one, run the job now."""
        with self._work:
            if self._free > len(self._waiting):
                self._waiting.append(job)
                self._work.notify()
                return
            name = f"{self._name} {next(self._numbers)}"
            thread = threading.Thread(target=self._serve, args=(job,), name=name, daemon=True)
            self._threads.add(thread)
        thread.start()

    def end(self, timeout_s: float) -> int:
        """Let every thread finish what it runs, for at most so long. Returns how many still run and were abandoned."""
        deadline = time.monotonic() + timeout_s
        with self._work:
            self._ending = True
            self._work.notify_all()
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return sum(thread.is_alive() for thread in threads)

    def _serve(self, first: Job) -> None:
        try:
            job: Job | None = first
            while job is not None:
                job()
                job = self._next()
        finally:
            with self._work:
                self._threads.discard(threading.current_thread())

    def _next(self) -> Job | None:
        with self._work:
            self._free += 1
            self._work.wait_for(lambda: self._waiting or self._ending)
            self._free -= 1
            return self._waiting.popleft() if self._waiting else None
