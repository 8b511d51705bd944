"""The live picture: every running case with a lane per specialist, redrawn in place below the lines of the story."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from infra.cli.text import count, inline, moment, words
from shared.case.case import Case, Round
from shared.case.evidence import Ended
from shared.errors import ManthanError

if TYPE_CHECKING:
    from infra.stage import Stage

_PER_SECOND: Final = 8
_MARKS: Final = {Ended.REPORTED: ("✓", "green"), Ended.DEGRADED: ("!", "yellow"), Ended.TIMED_OUT: ("✗", "red")}


@contextmanager
def live_picture(stage: Stage) -> Iterator[None]:
    """Show the picture until the block ends; what is printed meanwhile appears above it."""
    picture = _Picture(stage)
    live = Live(
        get_renderable=picture.draw,
        console=Console(highlight=False),
        refresh_per_second=_PER_SECOND,
        transient=True,
    )
    with live:
        yield


class _Picture:
    """Reads the store whenever it is drawn; keeps the last picture when that is not possible."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._spinner = Spinner("dots")
        self._last = Table.grid()
        self._drawing = threading.Lock()

    def draw(self) -> Table:
        """The picture of this moment."""
        with self._drawing:
            try:
                self._last = self._now()
            except ManthanError:
                return self._last  # the stage is being taken down
            return self._last

    def _now(self) -> Table:
        table = Table.grid(padding=(0, 2))
        clock = self._stage.clock.now()
        for case in self._stage.cases():
            if case.terminal:
                continue
            table.add_row(
                self._spinner, Text(inline(case.id), "bold"), Text(f"{words(case.state.value)}, {moment(clock)}")
            )
            if case.round is not None and not case.round.joined:
                self._add_lanes(table, case, case.round)
        return table

    def _add_lanes(self, table: Table, case: Case, current: Round) -> None:
        reports = {
            report.specialist: report for report in self._stage.ports.store.reports(case.org, case.id, current.number)
        }
        doing = {line.lane: line.what for line in self._stage.trace.list(case.org, case.id)}
        for assignment in current.assignments:
            name = Text(words(assignment.specialist))
            report = reports.get(assignment.specialist)
            if report is None:
                table.add_row(self._spinner, name, Text(inline(doing.get(assignment.specialist, "waits")), "dim"))
            else:
                mark, colour = _MARKS[report.ended]
                told = f"{words(report.ended.value)}, {count(report.count, 'row')}"
                table.add_row(Text(mark, colour), name, Text(told))
