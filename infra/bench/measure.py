"""Taking the numbers of one contender: how fast many cases are settled, and how long one takes alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import ceil

from infra.bench.contender import Contender, Traffic


@dataclass(slots=True)
class Readings:
    """What was measured of one contender so far."""

    settled: int = 0
    """Cases settled in `elapsed_s`, many at once."""
    elapsed_s: float = 0.0
    cpu_s: float = 0.0
    """Processor time of the process in `elapsed_s`, all threads."""
    alone_s: dict[float, list[float]] = field(default_factory=dict)
    """Seconds from arrival to end of cases settled one after another, by how long a specialist takes."""
    counted: int = 0
    traffic: Traffic = field(default_factory=Traffic)
    """What `counted` cases sent to the database, many at once."""
    bytes_each: float = 0.0


class Gauge:
    """Measures one contender; every case it asks for is a new one."""

    def __init__(self, contender: Contender) -> None:
        self.readings = Readings()
        self._contender = contender
        self._numbers = count(1)
        self.settled = 0
        """Cases asked for so far, measured or not."""
        self._empty = contender.size()

    def warm_up(self, cases: int) -> None:
        """Let threads start and caches fill; nothing is measured."""
        self._work(cases)()

    def many(self, cases: int) -> None:
        """Settle so many at once."""
        work = self._work(cases)
        cpu, start = time.process_time(), time.perf_counter()
        work()
        self.readings.elapsed_s += time.perf_counter() - start
        self.readings.cpu_s += time.process_time() - cpu
        self.readings.settled += cases

    def alone(self, busy_s: float) -> None:
        """Settle one case while nothing else happens, its specialists taking so many seconds each."""
        self._contender.be_busy(busy_s)
        work = self._work(1)
        start = time.perf_counter()
        work()
        self.readings.alone_s.setdefault(busy_s, []).append(time.perf_counter() - start)
        self._contender.be_busy(0.0)

    def count(self, cases: int) -> None:
        """Settle so many at once and count what reaches the database."""
        self.readings.traffic = self._contender.count_traffic(self._work(cases))
        self.readings.counted = cases

    def weigh(self) -> None:
        """Bytes by which the database file has grown per case settled so far."""
        self.readings.bytes_each = (self._contender.size() - self._empty) / self.settled

    def _work(self, cases: int) -> Callable[[], None]:
        self.settled += cases
        return self._contender.prepare([next(self._numbers) for _ in range(cases)])


def percentile(values: Sequence[float], share: int) -> float:
    """The smallest of the values that at least `share` per cent of them do not exceed."""
    return sorted(values)[max(0, ceil(len(values) * share / 100) - 1)]
