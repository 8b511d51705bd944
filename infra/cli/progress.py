"""Watching a run: one line per event of every case, and on a terminal a live picture of who works on what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from infra.cli.approving import Turn
from infra.cli.output import Screen
from infra.cli.render import show_case, timeline_line
from infra.cli.story import entries
from shared.case.case import Case
from shared.ports.store import CaseStore
from shared.steps.reports import EvidenceDamaged, read_evidence
from shared.steps.texts import with_texts

if TYPE_CHECKING:
    from infra.stage import Stage


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the story, with when it happened."""

    at: datetime
    text: str


class Follower:
    """What has happened to some cases since one last asked."""

    def __init__(self, store: CaseStore) -> None:
        self._store = store
        self._next_seq: dict[str, int] = {}

    def catch_up(self, cases: list[Case]) -> None:
        """Whatever has happened up to now is no news."""
        self._next_seq.update({case.id: case.events for case in cases})

    def news(self, cases: list[Case]) -> list[Line]:
        """One line for each new event; it names its case when there are several."""
        several = len(self._next_seq | {case.id: 0 for case in cases}) > 1
        lines: list[Line] = []
        for case in cases:
            first = self._next_seq.get(case.id, 0)
            if case.events == first:
                continue
            fresh = list(entries(self._store, case.org, case.id, first))
            self._next_seq[case.id] = first + len(fresh)
            prefix = f"{case.id}  " if several else ""
            lines += [Line(entry.at, prefix + timeline_line(entry)) for entry in fresh]
        return lines


class Narrator:
    """Tells what happens, line by line; the Onlooker of a run."""

    def __init__(self, stage: Stage, screen: Screen, *, from_now: bool = False) -> None:
        self._stage = stage
        self._screen = screen
        self._follower = Follower(stage.ports.store)
        if from_now:
            self._follower.catch_up(list(stage.cases()))

    def look(self) -> None:
        """Say what is new."""
        for line in self._follower.news(list(self._stage.cases())):
            self._screen.say(line.text)

    def asked(self, case: Case) -> None:
        """Show the brief that people are asked about."""
        try:
            evidence = read_evidence(self._stage.ports.store, case)
        except EvidenceDamaged:
            evidence = ()
        show_case(self._screen, with_texts(self._stage.ports.store, case), evidence)
        self._screen.show()

    def stands_still(self, waiting: Sequence[Case]) -> None:
        """Say whose decision the world's time waits for."""
        if self._stage.ports.switch.effects_stopped(self._stage.world.org.id):
            self._screen.say("effects are stopped: what is approved is carried out after `manthan effects start`")
        if waiting:
            names = ", ".join(case.id for case in waiting)
            self._screen.say(f"the world's time stands still while people are asked about {names}")

    def refused(self, turn: Turn, reason: str) -> None:
        """Say who was refused, and why."""
        self._screen.say(f"{turn.email} was refused: {reason}")


@contextmanager
def narrating(stage: Stage, screen: Screen, *, from_now: bool = False) -> Iterator[Narrator]:
    """A narrator, with a live picture below its lines when stdout is a terminal."""
    if not screen.is_live:
        yield Narrator(stage, screen, from_now=from_now)
        return
    from infra.cli.live import live_picture  # only a terminal needs its library

    with live_picture(stage):
        yield Narrator(stage, screen, from_now=from_now)
