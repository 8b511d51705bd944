"""Many seeds, one after another, each judged by the auditor; and what all of them together have shown."""

from __future__ import annotations

import gc
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from infra.simulation.audit import Violation, audit
from infra.simulation.journal import Played
from infra.simulation.run import play
from infra.simulation.scenario import Scenario, of_seed

_DAY_S: Final = 86_400.0
_COLLECT_EVERY: Final = 50


@dataclass(frozen=True, slots=True)
class Judged:
    """One seed's run, and what was wrong with it."""

    seed: int
    scenario: Scenario
    played: Played
    violations: list[Violation]

    @property
    def replay(self) -> str:
        """The command that runs it again, and tells its story."""
        return f"manthan simulate --seed {self.seed} --seeds 1 --story"


@dataclass(slots=True)
class Campaign:
    """The sum of its runs."""

    first_seed: int
    seeds: int = 0
    cases: int = 0
    steps: int = 0
    port_calls: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    violations: list[tuple[Judged, Violation]] = field(default_factory=list)
    simulated_s: float = 0.0
    elapsed_s: float = 0.0
    states: Counter[str] = field(default_factory=Counter)
    calls_per_case: list[float] = field(default_factory=list)

    def add(self, judged: Judged) -> None:
        """One more run."""
        journal, cases = judged.played.journal, judged.played.state.cases
        self.seeds += 1
        self.cases += len(cases)
        self.steps += journal.steps
        self.port_calls += journal.port_calls
        self.faults += judged.scenario.weather.counts
        self.violations += [(judged, violation) for violation in judged.violations]
        self.simulated_s += judged.played.seconds
        self.states.update(record.case.state.value for record in cases.values())
        self.calls_per_case += [journal.port_calls / len(cases)] * len(cases)

    @property
    def median_calls(self) -> float:
        """Port calls per case, as the median over the cases."""
        return statistics.median(self.calls_per_case) if self.calls_per_case else 0.0

    @property
    def cases_per_s(self) -> float:
        """By the clock on the wall."""
        return self.cases / self.elapsed_s if self.elapsed_s else 0.0

    def document(self) -> dict[str, Any]:
        """As `manthan simulate --json` prints it."""
        return {
            "seed": self.first_seed,
            "seeds": self.seeds,
            "cases": self.cases,
            "steps": self.steps,
            "port_calls": self.port_calls,
            "median_port_calls_per_case": round(self.median_calls, 1),
            "faults": dict(sorted(self.faults.items())),
            "states": dict(sorted(self.states.items())),
            "violations": len(self.violations),
            "violation_details": [
                {"seed": judged.seed, "rule": violation.rule, "replay": judged.replay, "detail": violation.detail}
                for judged, violation in self.violations
            ],
            "simulated_days": round(self.simulated_s / _DAY_S, 1),
            "cases_per_s": round(self.cases_per_s, 1),
        }


def judge(seed: int) -> Judged:
    """Run one seed and audit it."""
    scenario = of_seed(seed)
    played = play(scenario)
    return Judged(seed, scenario, played, audit(played))


def campaign(
    first_seed: int, seeds: int, on_failure: Callable[[Judged], None], on_progress: Callable[[Campaign], None]
) -> Campaign:
    """Run so many seeds in order. `on_failure` is told of every run with a violation, `on_progress` of every run."""
    total, started = Campaign(first_seed), time.perf_counter()
    with _rarely_collecting():
        for seed in range(first_seed, first_seed + seeds):
            judged = judge(seed)
            total.add(judged)
            total.elapsed_s = time.perf_counter() - started
            if judged.violations:
                on_failure(judged)
            on_progress(total)
            if total.seeds % _COLLECT_EVERY == 0:
                gc.collect()
    return total


@contextmanager
def _rarely_collecting() -> Iterator[None]:
    """Runs make little garbage that is circular: looking for it all the time would take a third of their time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)
