"""The story of cases while it is written: their logs and what their specialists do, as far as nobody has seen it."""

from __future__ import annotations

from collections.abc import Sequence

from infra.cli.progress import Follower, Line
from infra.cli.text import inline, moment, words
from shared.case.case import Case
from shared.ports.store import CaseStore
from shared.ports.trace import TraceLine, TraceReader


class Reel:
    """Log and trace of some cases, each line shown once."""

    def __init__(self, store: CaseStore, trace: TraceReader) -> None:
        self._follower = Follower(store)
        self._trace = trace
        self._traced: dict[str, int] = {}

    def news(self, cases: Sequence[Case]) -> list[str]:
        """What is new of these cases, in the order of its instants; a line names its case when there are several."""
        lines = self._follower.news(list(cases))
        for case in cases:
            seen = self._trace.list(case.org, case.id, self._traced.setdefault(case.id, 0))
            if seen:
                self._traced[case.id] = seen[-1].seq
            prefix = f"{case.id}  " if len(self._traced) > 1 else ""
            lines += [Line(line.at, prefix + _text(line)) for line in seen]
        return [line.text for line in sorted(lines, key=lambda line: line.at)]


def _text(line: TraceLine) -> str:
    details = " ".join(f"{name}={value}" for name, value in line.details.items())
    told = inline(f"{words(line.lane)} {line.what} {details}")
    return f"{moment(line.at)}  {told}"
