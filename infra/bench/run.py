"""One run: the pipeline and the floor by turns, so that whatever else the machine does meets both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infra.bench.contender import BenchFailed
from infra.bench.floor import Floor
from infra.bench.measure import Gauge
from infra.bench.pipeline import Pipeline
from infra.bench.results import BUSY_S, Result, results

_ROUNDS: Final = 3
_WARM_UP: Final = 10
_MOST_ALONE: Final = 40
"""Cases measured alone, at most, for each duration of a specialist."""


def bench(data: Path, cases: int, say: Callable[[str], None]) -> list[Result]:
    """Measure in a throw-away folder inside `data`, on whose disk both contenders then write.

    `cases` are submitted at once, three times; `say` is told what goes on. Raises BenchFailed when a case is not
    settled: then there are no numbers.
    """
    data.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=data) as scratch:
        with Pipeline(Path(scratch)) as pipeline, Floor(Path(scratch)) as floor:
            ours, bare = Gauge(pipeline), Gauge(floor)
            _take_turns(ours, bare, cases, say)
            if pipeline.resolved() != ours.settled or floor.resolved() != bare.settled:
                raise BenchFailed("not every case that was submitted is resolved")
            return results(ours.readings, bare.readings)


def _take_turns(ours: Gauge, floor: Gauge, cases: int, say: Callable[[str], None]) -> None:
    say(f"warming up, then {_ROUNDS} rounds of {cases} cases at once ...")
    for gauge in (ours, floor):
        gauge.warm_up(min(cases, _WARM_UP))
    for number in range(1, _ROUNDS + 1):
        for gauge in (ours, floor):
            gauge.many(cases)
        rates = [gauge.readings.settled / gauge.readings.elapsed_s for gauge in (ours, floor)]
        say(f"  after round {number}: {rates[0]:.1f} cases/s, floor {rates[1]:.1f}")
    for busy_s in BUSY_S:
        alone = min(cases, _MOST_ALONE)
        say(f"{alone} cases one after another, specialists taking {busy_s * 1000:g} ms ...")
        for _ in range(alone):
            for gauge in (ours, floor):
                gauge.alone(busy_s)
    say("counting what reaches the database ...")
    for gauge in (ours, floor):
        gauge.count(cases)
        gauge.weigh()
