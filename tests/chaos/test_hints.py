"""A message is only a hint: losing it, getting it twice or late changes nothing about how a case ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.worlds import find_world, load_world
from shared.case.due import wake_at
from shared.ports import Message
from tests.chaos.facts import facts_of, problems
from tests.chaos.life import live
from tests.chaos.lossy import Lose, Lossy
from tests.chaos.staging import stage_with
from tests.chaos.tape import Tape
from tests.chaos.undisturbed import WORLD, record_undisturbed_run
from tests.support.playbook import NAMES
from tests.support.rig import ORG, Rig


@pytest.fixture(scope="module")
def tape(tmp_path_factory: pytest.TempPathFactory) -> Tape:
    """What the connected systems answer."""
    data = tmp_path_factory.mktemp("undisturbed")
    assert problems(record_undisturbed_run(data)) == []
    return Tape.load(data / "tape")


@pytest.mark.parametrize("copies", [1, 2])
@pytest.mark.parametrize("every", [2, 3])
def test_a_case_ends_as_ever_when_every_nth_hint_is_lost(tmp_path: Path, tape: Tape, every: int, copies: int) -> None:
    way = play(tmp_path, tape, lambda number, function: number % every == 0, copies)
    assert way.lost > 0


def test_a_case_ends_as_ever_when_every_hint_comes_three_times(tmp_path: Path, tape: Tape) -> None:
    way = play(tmp_path, tape, lambda number, function: False, 3)
    assert way.extra > 0


def test_the_sweeper_alone_brings_a_case_to_its_end(tmp_path: Path, tape: Tape) -> None:
    way = play(tmp_path, tape, lambda number, function: function != "sweep", 1)
    assert way.lost > 0


def play(data: Path, tape: Tape, lose: Lose, copies: int) -> Lossy:
    way = Lossy(lose, copies)
    with stage_with(way, load_world(find_world(WORLD)), data, sources=lambda org: tape) as stage:
        live(stage)
        facts, ended = facts_of(stage), stage.clock.now()
    print(f"{way.lost} hints lost, {way.extra} delivered again; it is {ended.isoformat()} in the world")
    wrong = problems(facts)
    assert wrong == [], "; ".join(wrong)
    return way


def test_the_sweeper_leaves_a_case_that_only_waits_alone_until_its_next_instant(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        case = rig.to_approval()
        for _ in range(3):
            rig.apps["sweep"].test_client().post("/", json={"at_start": True})
        record = rig.store.read(ORG, case.id)
        assert record is not None
        assert record.bookkeeping.wake_at == wake_at(case, rig.clock.now())


def test_at_start_every_event_that_nobody_took_up_is_sent_again(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        waiting = {f"du_{number}" for number in range(300)}
        for subject in waiting:
            assert rig.post(rig.event("test.boring", subject)).status_code == 200
        rig.out.messages.clear()
        assert rig.apps["sweep"].test_client().post("/", json={"at_start": True}).status_code == 200
        assert len({message.body["event_id"] for message in rig.out.messages}) == len(waiting)


def test_an_outside_event_does_not_hide_lost_specialists_from_the_sweeper(tmp_path: Path) -> None:
    with Rig(tmp_path) as rig:
        assert rig.post(rig.event("test.created")).status_code == 200
        rig.pump(only=lambda sent: isinstance(sent, Message))
        rig.out.tasks.clear()
        rig.advance(seconds=61)
        assert rig.post(rig.event("test.updated")).status_code == 200
        rig.pump(only=lambda sent: isinstance(sent, Message))
        rig.sweep()
        assert {task.body["specialist"] for task in rig.out.tasks if task.queue == "specialists"} == set(NAMES)
