"""Readings as results: named numbers, each beside the floor's of the same run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from infra.bench.measure import Readings, percentile

BUSY_S: Final = (0.0, 0.05)
"""How long a specialist takes where one case is measured alone."""

DURABILITY: Final = (
    "Both are durable to power loss, as the embedded default is: every step of a case is flushed to the disk"
    " (synchronous=FULL) before the next one begins."
)


@dataclass(frozen=True, slots=True)
class Result:
    """One number. `reference` is the floor's; `ratio` is value / reference."""

    name: str
    value: float
    unit: str
    reference: float | None
    ratio: float | None
    meaning: str
    """One sentence for people."""

    def document(self) -> dict[str, str | float | None]:
        """The result as the JSON holds it."""
        fields: dict[str, str | float | None] = asdict(self)
        del fields["meaning"]
        return fields


@dataclass(frozen=True, slots=True)
class _Measure:
    name: str
    unit: str
    meaning: str
    read: Callable[[Readings], float]


def results(ours: Readings, floor: Readings) -> list[Result]:
    """Every number of a run."""
    return [_result(measure, measure.read(ours), measure.read(floor)) for measure in _measures()]


def _result(measure: _Measure, value: float, reference: float) -> Result:
    ratio = round(value / reference, 3) if reference else None
    return Result(measure.name, round(value, 3), measure.unit, round(reference, 3), ratio, measure.meaning)


def _measures() -> Iterator[_Measure]:
    yield _Measure(
        "cases_per_second",
        "cases/s",
        "Cases settled per second when many arrive at once; higher is better.",
        lambda readings: readings.settled / readings.elapsed_s,
    )
    yield _Measure(
        "cpu_ms_per_case",
        "ms",
        "Processor time per case, all threads.",
        lambda readings: readings.cpu_s / readings.settled * 1000,
    )
    for busy_s in BUSY_S:
        for share in (50, 95):
            yield _alone(busy_s, share)
    yield _Measure(
        "bytes_per_case",
        "bytes",
        "What a settled case leaves in the database file.",
        lambda readings: readings.bytes_each,
    )
    yield _Measure(
        "commits_per_case",
        "transactions",
        "Transactions per case when many arrive at once; waiting writers share one.",
        lambda readings: readings.traffic.transactions / readings.counted,
    )
    yield _Measure(
        "flushes_per_case",
        "transactions",
        "Of these, the ones that waited for the disk.",
        lambda readings: readings.traffic.flushed / readings.counted,
    )
    yield _Measure(
        "writes_per_case",
        "statements",
        "Statements per case that write: inserts, updates and deletes.",
        lambda readings: readings.traffic.writes / readings.counted,
    )


def _alone(busy_s: float, share: int) -> _Measure:
    busy_ms = round(busy_s * 1000)
    return _Measure(
        f"latency_p{share}_specialists_{busy_ms}ms",
        "ms",
        f"One case alone, from its event to its end: {share} % take no longer, specialists taking {busy_ms} ms.",
        lambda readings: percentile(readings.alone_s[busy_s], share) * 1000,
    )


def table(found: Sequence[Result]) -> Iterator[str]:
    """The results as lines of text, one sentence each."""
    width = max(len(result.name) for result in found)
    yield f"{'':{width}}  {'Manthan':>10} {'floor':>10} {'ratio':>7}"
    for result in found:
        reference = "-" if result.reference is None else f"{result.reference:.1f}"
        ratio = "-" if result.ratio is None else f"{result.ratio:.2f}"
        yield f"{result.name:{width}}  {result.value:>10.1f} {reference:>10} {ratio:>7}  {result.meaning}"
    yield ""
    yield "The floor: bare SQLite transactions written by hand, twelve per case, with the same events and rows."
    yield DURABILITY
