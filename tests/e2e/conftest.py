from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.stage import Stage
from infra.worlds import find_world, load_world
from shared.case.actions import ActionState
from shared.case.case import Case
from shared.case.lifecycle import State
from shared.policy.approvals import eligible, missing
from shared.steps.people import approve

WAITING = (State.AWAITING_APPROVAL, State.AWAITING_ANSWER, State.MANUAL_REVIEW)


def play(stage: Stage) -> None:
    """From the events to the end, people approving in order as long as the case asks them to."""
    stage.deliver_events()
    stage.run(lambda: any(case.state in WAITING for case in stage.cases()))
    approve_all(stage)
    stage.run()


def approve_all(stage: Stage) -> None:
    for case in stage.cases():
        while (email := next_approver(stage, case)) is not None:
            approve(stage.ports, stage.as_person(email), case.id)
            case = next(other for other in stage.cases() if other.id == case.id)


def next_approver(stage: Stage, case: Case) -> str | None:
    for action in case.actions:
        if action.state is ActionState.AWAITING_APPROVAL and missing(action, stage.world.org) > 0:
            given = {approval.email for approval in action.approvals}
            return next(m.email for m in eligible(stage.world.org, action) if m.email not in given)
    return None


@pytest.fixture
def world_copy(tmp_path: Path) -> Callable[[str], Path]:
    """A shipped world in a folder of its own, to be changed."""

    def copy(name: str) -> Path:
        target = tmp_path / "worlds" / name
        shutil.copytree(find_world(name), target)
        return target

    return copy


@pytest.fixture
def stage_on(tmp_path: Path) -> Callable[[Path], Stage]:
    """A stage on a world's folder; use it as a context manager."""
    return lambda folder: Stage(load_world(folder), tmp_path / "data")
