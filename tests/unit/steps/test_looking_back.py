"""Deadlines that move while people are asked, and the post-mortem once the outside world has settled a case."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.case.brief import DecisionKind
from shared.case.case import Case, PostMortem
from shared.case.lifecycle import State
from shared.errors import Refused
from shared.steps.audit import audit
from shared.steps.people import answer, approve
from tests.support.rig import ALICE, BOB, ORG, START, Rig
from tests.unit.steps.test_outside import approved, close

DUE = START + timedelta(days=5)


def told(rig: Rig, at: timedelta) -> None:
    rig.post(rig.event("test.updated", due_by=(START + at).isoformat()))
    rig.pump()


def opened(rig: Rig) -> Case:
    rig.post(rig.event("test.created", due_by=DUE.isoformat()))
    rig.pump()
    return rig.case()


def test_people_have_until_the_deadline_also_when_it_moves(rig: Rig) -> None:
    assert opened(rig).decide_by == DUE
    told(rig, timedelta(days=9))
    assert rig.case().decide_by == START + timedelta(days=9)
    rig.advance(days=6)
    rig.sweep()
    assert rig.case().state is State.AWAITING_APPROVAL
    approve(rig.all_ports(), rig.context(ALICE), rig.case().id)
    assert audit(rig.store, ORG, rig.case().id).ok


def test_a_deadline_that_moves_forward_ends_the_time_to_decide_earlier(rig: Rig) -> None:
    opened(rig)
    told(rig, timedelta(days=1))
    rig.advance(days=2)
    with pytest.raises(Refused, match="the time to decide ended"):
        approve(rig.all_ports(), rig.context(ALICE), rig.case().id)
    rig.sweep()
    assert rig.case().state is State.EXPIRED


def test_reminders_follow_a_deadline_that_moves(rig: Rig) -> None:
    opened(rig)
    rig.advance(days=3, hours=1)
    rig.sweep()
    assert len(rig.case().reminded) == 1
    told(rig, timedelta(days=30))
    rig.advance(days=1)
    rig.sweep()
    assert len(rig.case().reminded) == 1, "the new date is far away"
    rig.advance(days=24)
    rig.sweep()
    assert len(rig.case().reminded) == 2


def test_the_question_of_a_manual_review_has_the_same_deadline(rig: Rig) -> None:
    rig.playbook.refusal = lambda case, decision, action: "not legal"
    opened(rig)
    told(rig, timedelta(days=9))
    question = rig.case().open_question
    assert question is not None
    assert question.due_by == START + timedelta(days=9)


def test_a_deadline_that_does_not_change_is_no_news(rig: Rig) -> None:
    before = opened(rig)
    told(rig, timedelta(days=5))
    assert rig.case().decide_by == before.decide_by
    assert rig.case().events == before.events + 1


def lesson(case: Case) -> PostMortem | None:
    ended = [name.partition(".")[2] for name in ("dispute.lost", "dispute.won") if name in case.outcomes]
    if not ended:
        return None
    return PostMortem(
        advice=DecisionKind.CREDIT,
        advised_minor=8400,
        advised_currency="usd",
        carried_out=True,
        outcome=ended[-1],
        in_words=f"it was {ended[-1]}",
        fees_minor=1500,
        net_minor=-1500,
        currency="usd",
        paid_minor=None,
        paid_currency=None,
        lesson=f"Being {ended[-1]} teaches.",
    )


def test_a_case_that_ends_is_looked_back_on_and_the_lesson_is_remembered(rig: Rig) -> None:
    rig.playbook.written = lesson
    approved(rig)
    rig.pump()
    close(rig, "won")
    case = rig.case()
    assert (case.state, case.state_reason) == (State.RESOLVED, "it was won")
    assert case.post_mortem == lesson(case)
    (episode,) = rig.store.episodes(ORG, "cus_1")
    assert episode.rationale == "a tenth is owed Being won teaches."
    assert audit(rig.store, ORG, case.id).ok


def test_a_case_that_was_settled_before_we_acted_is_looked_back_on_too(rig: Rig) -> None:
    rig.playbook.written = lesson
    rig.to_approval()
    close(rig, "lost")
    case = rig.case()
    assert case.state is State.WITHDRAWN
    assert case.post_mortem is not None
    assert not rig.store.episodes(ORG, "cus_1")


def test_a_case_that_people_have_left_is_looked_back_on_when_its_dispute_closes(rig: Rig) -> None:
    rig.playbook.written = lesson
    rig.playbook.refusal = lambda case, decision, action: "not legal"
    rig.post(rig.event("test.created"))
    rig.pump()
    answer(rig.all_ports(), rig.context(ALICE), rig.case().id, "handled_outside")
    assert rig.case().post_mortem is None
    close(rig, "lost")
    assert rig.case().post_mortem is not None
    assert rig.case().state is State.RESOLVED


def test_an_end_that_is_overturned_is_looked_back_on_again_and_remembered_as_it_is(rig: Rig) -> None:
    rig.playbook.written = lesson
    case = rig.to_approval()
    for email in (ALICE, BOB):
        approve(rig.all_ports(), rig.context(email), case.id)
    rig.pump()
    close(rig, "lost")
    rig.advance(days=20)
    close(rig, "won")
    written = rig.case().post_mortem
    assert written is not None
    assert written.outcome == "won"
    assert rig.case().state is State.MANUAL_REVIEW
    (episode,) = rig.store.episodes(ORG, "cus_1")
    assert "Being won teaches." in episode.rationale


def test_what_act_reads_before_the_call_can_send_the_case_back_to_the_team(rig: Rig) -> None:
    approved(rig)
    rig.playbook.again = lambda case, world: "the world has moved on" if world["dispute.status"] == "lost" else None
    rig.effects.world["dispute.status"] = "lost"
    rig.pump()
    case = rig.case()
    assert len(case.rounds) == 2
    assert case.state is State.AWAITING_APPROVAL
    log = "".join(text for commit in rig.store.log(ORG, case.id) for text in commit.entries)
    assert '"reason":"the world has moved on"' in log


def test_drift_that_no_rule_understands_is_for_a_person(rig: Rig) -> None:
    approved(rig)
    rig.effects.world["dispute.status"] = "lost"
    rig.pump()
    assert len(rig.case().rounds) == 1
    assert rig.case().state is State.MANUAL_REVIEW
