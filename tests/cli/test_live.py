"""The live picture on a terminal."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from infra.cli.live import _Picture
from infra.cli.output import Screen
from infra.local.faults import StoreUnavailable
from shared.case.case import Case
from shared.case.evidence import Gap
from shared.case.lifecycle import State
from shared.team.contract import Findings, Job
from tests.support.playbook import ScriptedPlaybook, ScriptedSpecialist, finds_charge
from tests.support.rig import ORG, Rig


def staged(rig: Rig) -> Any:
    """What the picture needs of a stage."""
    return SimpleNamespace(
        clock=rig.clock,
        cases=lambda: [record.case for record in [rig.store.read(ORG, rig.case().id)] if record is not None],
        ports=SimpleNamespace(store=rig.store),
        trace=rig.trace,
    )


def drawn(picture: _Picture) -> str:
    console = Console(file=io.StringIO(), width=100, force_terminal=False)
    console.print(picture.draw())
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture
def running(tmp_path: Any) -> Any:
    """A case of which one specialist has reported, and the others have not started."""

    def degraded(job: Job, findings: Findings) -> None:
        finds_charge(job, findings)
        findings.gaps.append(Gap(specialist=job.specialist, what="x", why="y"))

    playbook = ScriptedPlaybook(specialists=[ScriptedSpecialist(name, degraded) for name in ("first", "second")])
    with Rig(tmp_path, playbook) as rig:
        rig.post(rig.event("test.created"))
        rig.pump(only=lambda sent: getattr(sent, "topic", "") == "triage")
        rig.deliver_task(next(task for task in rig.out.tasks if "first" in str(task.body)))
        yield rig


def test_every_specialist_has_a_lane_that_says_where_it_stands(running: Rig) -> None:
    shown = drawn(_Picture(staged(running)))
    assert running.case().id in shown
    lanes = {line.split()[1]: line for line in shown.splitlines()[1:]}
    assert "reported, 1 row" in lanes["first"]
    assert "waits" in lanes["second"]


def test_a_case_that_has_ended_is_not_in_the_picture(running: Rig) -> None:
    stage = staged(running)
    ended = running.case().model_copy(update={"state": State.RESOLVED})
    stage.cases = lambda: [ended]
    assert running.case().id not in drawn(_Picture(stage))


def test_the_last_picture_stays_when_the_store_is_gone(running: Rig) -> None:
    stage = staged(running)
    picture = _Picture(stage)
    before = drawn(picture)

    def gone() -> list[Case]:
        raise StoreUnavailable("closed")

    stage.cases = gone
    assert [line.split()[1:] for line in drawn(picture).splitlines()] == [
        line.split()[1:] for line in before.splitlines()
    ]


def test_without_a_terminal_nothing_is_redrawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert not Screen(as_json=False).is_live
    Screen(as_json=False).say("x", bold=True)
    assert capsys.readouterr().out == "x\n"
