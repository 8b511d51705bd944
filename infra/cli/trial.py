"""One world of an evaluation: run unwatched in a folder of its own, then compared."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from infra.cli.approving import Approvers, Turn
from infra.cli.expected import Check, Found, Judged, PacketFound, judge
from infra.cli.legality import illegal_drafts
from infra.cli.performance import audited, on_stage, perform, with_their_texts
from infra.cli.staging import Place
from infra.local.driver import WorldStuck
from infra.stage import Stage
from infra.worlds import load_expectations
from shared.case.actions import ActionKind
from shared.case.case import Case
from shared.case.evidence import Evidence
from shared.playbooks.disputes.codes import lookup
from shared.playbooks.disputes.completeness import completeness
from shared.ports.directory import Org
from shared.steps.reports import EvidenceDamaged, read_evidence


@dataclass(frozen=True, slots=True)
class Trial:
    """A world that was run: whose it is, and every case of it compared with what is expected."""

    name: str
    org: Org
    judged: tuple[Judged, ...]

    @property
    def passed(self) -> bool:
        """Whether every case passed."""
        return all(case.passed for case in self.judged)


def tried(root: Path, place: Place | None = None) -> Trial:
    """Run the world in `root` and compare; `place` says where, if not on this process's own threads.

    Raises InvalidInput for a broken world; one that does not come to its end fails.
    """
    expected = load_expectations(root)
    with (
        tempfile.TemporaryDirectory(prefix="manthan-eval-") as data,
        on_stage(str(root), Path(data), fresh=True, **(place or {})) as stage,
    ):
        ended: tuple[Judged, ...] = ()
        try:
            stage.deliver_events()
            perform(stage, Approvers(), _Nobody())
        except WorldStuck as error:
            ended = (Judged(stage.world.name, (Check("comes to its end", False, "an end", str(error)),)),)
        judged = judge(expected, [_found(stage, case) for case in with_their_texts(stage)])
        return Trial(stage.world.name, stage.world.org, (*judged, *ended))


def _found(stage: Stage, case: Case) -> Found:
    intact = audited(stage, case).ok
    playbook = stage.ports.playbooks[case.playbook]
    illegal = illegal_drafts(stage.ports.store.log(case.org, case.id), playbook) if intact else ()
    return Found(case, _evidence(stage, case), intact, illegal, _packet(case))


def _packet(case: Case) -> PacketFound | None:
    """The evidence drafted for the bank, by the fields that decide claims of the dispute's code."""
    staged = next((item for item in case.actions if item.kind is ActionKind.STRIPE_STAGE_EVIDENCE), None)
    if staged is None or not isinstance(staged.payload.get("evidence"), dict):
        return None
    names = ("dispute.brand", "dispute.network_reason_code", "dispute.reason")
    found = completeness(lookup(*(case.text_fact(name) for name in names)), staged.payload)
    return PacketFound(found.filled, tuple(found.missing))


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
