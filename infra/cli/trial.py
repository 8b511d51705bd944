"""One world of an evaluation: run unwatched in a folder of its own, then compared."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from infra.cli.approving import Approvers, Turn
from infra.cli.expected import Check, Judged, judge
from infra.cli.performance import audited, on_stage, perform, with_their_texts
from infra.local.driver import WorldStuck
from infra.stage import Stage
from infra.worlds import load_expectations
from shared.case.case import Case
from shared.case.evidence import Evidence
from shared.steps.reports import EvidenceDamaged, read_evidence


def tried(root: Path) -> tuple[str, list[Judged]]:
    """The name of the world in `root`, and every case of it compared with what is expected.

    Raises InvalidInput for a broken world; one that does not come to its end fails.
    """
    expected = load_expectations(root)
    with (
        tempfile.TemporaryDirectory(prefix="manthan-eval-") as data,
        on_stage(str(root), Path(data), fresh=True) as stage,
    ):
        ended: tuple[Judged, ...] = ()
        try:
            stage.deliver_events()
            perform(stage, Approvers(), _Nobody())
        except WorldStuck as error:
            ended = (Judged(stage.world.name, (Check("comes to its end", False, "an end", str(error)),)),)
        found = [(case, _evidence(stage, case), audited(stage, case).ok) for case in with_their_texts(stage)]
        return stage.world.name, [*judge(expected, found), *ended]


def _evidence(stage: Stage, case: Case) -> Sequence[Evidence]:
    try:
        return read_evidence(stage.ports.store, case)
    except EvidenceDamaged:
        return ()  # the check of the log says so


class _Nobody:
    """Nobody watches."""

    def look(self) -> None:
        """Nothing to say."""

    def asked(self, case: Case) -> None:
        """Nobody to show it to."""

    def refused(self, turn: Turn, reason: str) -> None:
        """What was refused shows in the state of the case."""
