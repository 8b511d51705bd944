"""The clock of a dispute: only due_by counts, the plan is two days earlier, and past it nothing is answered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.playbooks.disputes.deadlines import Deadline, Urgency, deadline_of
from shared.playbooks.disputes.remedies import NOT_ANSWERABLE, TOO_LATE
from tests.unit.disputes.cases import DISPUTE, NOW, action, case, decision, event
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK

_D = DecisionKind
DUE = Deadline(NOW + timedelta(days=10))


@pytest.mark.parametrize("due_by", [0, None, -5, True, "1779494399"])
def test_without_a_date_there_is_nothing_to_answer(due_by: object) -> None:
    assert deadline_of(due_by) is None


@pytest.mark.parametrize(
    ("left", "urgency"),
    [
        (timedelta(days=10), Urgency.CALM),
        (timedelta(days=7), Urgency.CALM),
        (timedelta(days=7, seconds=-1), Urgency.SOON),
        (timedelta(hours=48, seconds=1), Urgency.SOON),
        (timedelta(hours=48), Urgency.LATE),
        (timedelta(hours=24), Urgency.LATE),
        (timedelta(hours=24, seconds=-1), Urgency.CRITICAL),
        (timedelta(minutes=20), Urgency.CRITICAL),
        (timedelta(0), Urgency.PASSED),
        (-timedelta(seconds=1), Urgency.PASSED),
    ],
)
def test_how_near_the_date_is(left: timedelta, urgency: Urgency) -> None:
    assert DUE.urgency(DUE.due_by - left) is urgency


def test_evidence_is_planned_two_days_before_it_is_due_while_that_lies_ahead() -> None:
    assert DUE.submit_by == DUE.due_by - timedelta(hours=48)
    assert "planned by 2026-05-16 12:00" in DUE.in_words(NOW)
    assert "planned" not in DUE.in_words(DUE.due_by - timedelta(hours=1))


def _due(at: datetime) -> dict[str, str | int]:
    return {"dispute.status": "needs_response", "dispute.due_by": int(at.timestamp())}


@pytest.mark.parametrize("kind", [_D.FIGHT, _D.CREDIT, _D.ACCEPT])
def test_after_the_date_nothing_that_answers_the_bank_is_legal(kind: _D) -> None:
    late = case(_due(NOW))
    assert PLAYBOOK.illegal(late, decision(kind), None) == TOO_LATE
    in_time = case(_due(NOW + timedelta(minutes=20)))
    assert PLAYBOOK.illegal(in_time, decision(kind), None) is None
    assert PLAYBOOK.illegal(late, decision(_D.FIGHT), action(ActionKind.STRIPE_SUBMIT_EVIDENCE)) == TOO_LATE
    assert PLAYBOOK.illegal(late, decision(_D.ACCEPT), action(ActionKind.STRIPE_CLOSE_DISPUTE)) == TOO_LATE
    assert PLAYBOOK.illegal(late, decision(_D.ESCALATE), action(ActionKind.SLACK_BRIEF)) is None


@pytest.mark.parametrize("due_by", [0, None])
def test_a_due_by_of_nothing_is_known_to_be_none(due_by: int | None) -> None:
    found = {**DISPUTE, "evidence_details": {"due_by": due_by}}
    routed = PLAYBOOK.route("acme", event("charge.dispute.created", found))
    known = case(routed.observation.facts)  # type: ignore[union-attr]
    assert known.facts["dispute.due_by"] == 0
    assert "due_by" not in known.facts
    assert PLAYBOOK.illegal(known, decision(_D.FIGHT), None) == NOT_ANSWERABLE


def test_the_brief_names_the_date_the_plan_and_how_near_it_is(dossier: Dossier) -> None:
    claims = [finding.text for finding in dossier.brief().findings]
    due = deadline_of(dossier.only("stripe.disputes").fields["evidence_details__due_by"])
    assert due is not None
    assert any(due.in_words(dossier.now) in claim for claim in claims)


@pytest.mark.parametrize(
    ("due_in", "decided", "why"),
    [
        (timedelta(minutes=20), _D.CREDIT, ""),
        (timedelta(0), _D.ESCALATE, TOO_LATE),
        (-timedelta(hours=1), _D.ESCALATE, TOO_LATE),
        (None, _D.ESCALATE, NOT_ANSWERABLE),
    ],
)
def test_a_draft_is_made_until_the_last_minute_and_not_after_it(
    dossier: Dossier, due_in: timedelta | None, decided: _D, why: str
) -> None:
    due_by = 0 if due_in is None else int((dossier.now + due_in).astimezone(UTC).timestamp())
    brief = dossier.changed("stripe.disputes", evidence_details__due_by=due_by).brief()
    assert brief.decision.kind is decided
    assert why.lower() in brief.decision.rationale.lower()
