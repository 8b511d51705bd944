"""What cases use at Google: one of the bench's workload, and a world's from its first event to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from infra.bench.contender import BenchFailed
from infra.bench.google import Bill, CountedComposition, Services, services
from infra.bench.pipeline import ORG, Pipeline
from infra.bench.workload import NAMES, ROWS_EACH, dispute_id
from infra.local.clock import WorldClock
from infra.local.driver import drive_until
from infra.stage import Stage
from infra.worlds.model import World
from shared.case.case import Subject, case_id
from shared.case.lifecycle import State

Perform = Callable[[Stage], None]
"""Runs a world until nothing is left to happen, people approving."""

ByCollection = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Account:
    """What was used for one case; Firestore's operations by collection, too."""

    name: str
    bill: Bill
    by_collection: ByCollection

    def document(self) -> dict[str, Any]:
        """The account as the JSON holds it."""
        return {"name": self.name, **self.bill.numbers(), "by_collection": self.by_collection}


def accounts(data: Path, world: World, perform: Perform, say: Callable[[str], None]) -> Iterator[Account]:
    """The bench's case and then the world's, on emulators that run for as long as that takes.

    Raises EmulatorMissing, and BenchFailed when a case is not settled: then there are no numbers.
    """
    data.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=data) as scratch:
        folder = Path(scratch)
        say("starting the emulators ...")
        with services(folder) as running:
            say("a case of the bench's workload ...")
            yield bench_case(folder / "workload", running)
            say(f"{world.name}, from its first event to its end ...")
            yield world_case(folder / "world", running, world, perform)


def bench_case(folder: Path, running: Services) -> Account:
    """One case alone, its watchdog included, after another one has warmed up what processes remember."""
    folder.mkdir()
    clock = WorldClock(datetime.now(UTC))
    with Pipeline(folder, compose=partial(CountedComposition, services=running, clock=clock)) as pipeline:
        _settle(pipeline, clock, 1)
        with _counted(pipeline.composition) as used:
            _settle(pipeline, clock, 2)
        record = pipeline.composition.store.read(ORG, case_id(ORG, Subject(kind="dispute", id=dispute_id(2))))
    rows = len(NAMES) * ROWS_EACH
    if record is None or (record.case.state, record.case.evidence_count) != (State.RESOLVED, rows):
        raise BenchFailed(f"the case was not resolved with all of its {rows} rows")
    return used.account(f"{len(NAMES)} specialists, {rows} rows, one automatic action")


def world_case(folder: Path, running: Services, world: World, perform: Perform) -> Account:
    """The whole life of a world's cases, people's approvals, outcomes and every wait included."""
    with Stage(world, folder, compose=partial(CountedComposition, services=running)) as stage:
        with _counted(stage.composition) as used:
            stage.deliver_events()
            perform(stage)
        unsettled = [case.id for case in stage.cases() if not case.terminal]
    if unsettled:
        raise BenchFailed(f"{world.name} has not come to its end: {', '.join(unsettled)}")
    return used.account(world.name)


def _settle(pipeline: Pipeline, clock: WorldClock, number: int) -> None:
    """One case until nothing is left: its watchdog comes when its round has long ended."""
    pipeline.prepare([number])()
    drive_until(pipeline.runtime, clock, next_instants=(), done=lambda: False, on_jump=lambda now: None)


class _Used:
    """What a composition has counted since."""

    def __init__(self, counters: Any) -> None:
        self._counters = counters
        self._before, self._known = counters.bill(), counters.by_collection()
        self._bill, self._total = self._before, self._known

    def close(self) -> None:
        """Count no more."""
        self._bill, self._total = self._counters.bill(), self._counters.by_collection()

    def account(self, name: str) -> Account:
        """What it comes to."""
        by_collection = {
            collection: {
                operation: number - self._known.get(collection, {}).get(operation, 0)
                for operation, number in found.items()
            }
            for collection, found in self._total.items()
        }
        return Account(name, self._bill - self._before, by_collection)


@contextmanager
def _counted(composition: Any) -> Iterator[_Used]:
    used = _Used(composition.counters)
    yield used
    used.close()
