"""Whose turn it is to approve in a run that nobody watches."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.cli.approving import Approvers, Turn
from shared.case.case import Case
from shared.errors import Refused
from shared.steps import people
from tests.support.rig import ALICE, BOB, ORG, VERA, Rig


def rig_awaiting(path: Path) -> tuple[Rig, Case]:
    rig = Rig(path)
    return rig, rig.to_approval()


def take_turns(rig: Rig, case: Case, approvers: Approvers) -> list[str]:
    taken = []
    org = rig.directory.org(ORG)
    while (turn := approvers.next_turn(rig.case(), org)) is not None:
        approvers.had(turn, rig.case())
        taken.append(turn.email)
        try:
            people.approve(rig.all_ports(), rig.context(turn.email), case.id, turn.actions)
        except Refused:
            taken[-1] += " refused"
    return taken


def test_without_names_as_many_members_as_are_missing_approve_in_order(tmp_path: Path) -> None:
    rig, case = rig_awaiting(tmp_path)
    with rig:
        assert take_turns(rig, case, Approvers()) == [ALICE, BOB]
        assert rig.case().state == "acting"


def test_named_people_approve_in_their_order(tmp_path: Path) -> None:
    rig, case = rig_awaiting(tmp_path)
    with rig:
        assert take_turns(rig, case, Approvers([BOB, ALICE])) == [BOB, ALICE]


def test_one_person_named_twice_has_one_turn_and_the_case_waits_on(tmp_path: Path) -> None:
    rig, case = rig_awaiting(tmp_path)
    with rig:
        assert take_turns(rig, case, Approvers([ALICE, ALICE])) == [ALICE]
        assert rig.case().state == "awaiting_approval"


def test_who_may_not_approve_is_tried_once_so_that_the_refusal_says_why(tmp_path: Path) -> None:
    rig, case = rig_awaiting(tmp_path)
    with rig:
        assert take_turns(rig, case, Approvers([VERA])) == [f"{VERA} refused"]


def test_who_may_approve_some_actions_is_asked_for_those_alone(tmp_path: Path) -> None:
    rig, case = rig_awaiting(tmp_path)
    with rig:
        org = rig.directory.org(ORG)
        turn = Approvers(["carol@acme.test"]).next_turn(case, org)
        at_risk = {action.id: action.verdict.at_risk_minor for action in case.actions if action.verdict is not None}
        assert turn is not None
        assert turn.actions
        assert all((at_risk[action] or 0) <= 10000 for action in turn.actions)


@pytest.mark.parametrize("named", [(), (ALICE,)])
def test_nobody_has_a_turn_in_a_case_that_asks_nobody(tmp_path: Path, named: tuple[str, ...]) -> None:
    rig, case = rig_awaiting(tmp_path)
    with rig:
        people.reject(rig.all_ports(), rig.context(BOB), case.id, "no")
        turn: Turn | None = Approvers(named).next_turn(rig.case(), rig.directory.org(ORG))
        assert turn is None
