"""The remedy table: what is legal in which state of the dispute, and why the rest is not."""

from __future__ import annotations

import pytest

from shared.case.actions import ActionKind, ActionState
from shared.case.brief import DecisionKind
from shared.playbooks.disputes.playbook import DisputesPlaybook
from shared.playbooks.disputes.remedies import REMEDIES, laws, why_not
from shared.playbooks.disputes.stages import OF_STATUS, Stage
from tests.unit.disputes.cases import action, case, decision
from tests.unit.disputes.run import PLAYBOOK

_A, _D = ActionKind, DecisionKind
STATUSES = [*OF_STATUS, "something_new", None]


@pytest.mark.parametrize(
    ("status", "legal"),
    [
        ("needs_response", {_D.FIGHT, _D.CREDIT, _D.ACCEPT}),
        ("warning_needs_response", {_D.ANSWER, _D.REFUND}),
        ("under_review", set()),
        ("warning_under_review", set()),
        ("won", set()),
        ("lost", set()),
        ("prevented", set()),
        ("warning_closed", set()),
        ("something_new", set()),
        (None, set()),
    ],
)
def test_which_decisions_each_state_allows(status: str | None, legal: set[DecisionKind]) -> None:
    known = case({"dispute.status": status})
    allowed = {kind for kind in DecisionKind if PLAYBOOK.illegal(known, decision(kind), None) is None}
    assert allowed == legal | {_D.RECORD, _D.ESCALATE}


@pytest.mark.parametrize(
    ("status", "kind", "why"),
    [
        ("needs_response", _D.REFUND, "cannot be refunded while a chargeback on it is open"),
        ("needs_response", _D.DECLINE, "cannot be declined"),
        ("warning_needs_response", _D.CREDIT, "partial refund does not resolve an inquiry"),
        ("warning_needs_response", _D.ACCEPT, "accepting does not resolve an inquiry"),
        ("lost", _D.FIGHT, "cannot be contested"),
        ("under_review", _D.FIGHT, "takes it once"),
    ],
)
def test_illegal_decisions_say_why(status: str, kind: DecisionKind, why: str) -> None:
    assert why in str(PLAYBOOK.illegal(case({"dispute.status": status}), decision(kind), None))


def test_every_state_explains_every_decision_it_does_not_allow() -> None:
    for stage in Stage:
        told = {decision_ for _, decision_, why in laws(stage) if why}
        assert told == {kind.value for kind in DecisionKind if stage not in REMEDIES.get(kind, {})}
        assert all((why_not(stage, kind) is None) == (kind.value not in told) for kind in DecisionKind)


@pytest.mark.parametrize(
    ("status", "after", "legal"),
    [
        ("needs_response", None, False),
        ("needs_response", "dispute.won", True),
        ("under_review", "dispute.won", True),
        ("won", "dispute.won", True),
        ("won", None, True),
        ("lost", "dispute.won", False),
        ("prevented", "dispute.won", False),
        ("needs_response", "dispute.lost", False),
        (None, None, False),
    ],
)
def test_a_refund_is_legal_once_the_money_is_ours_again(status: str | None, after: str | None, legal: bool) -> None:
    verdict = PLAYBOOK.illegal(
        case({"dispute.status": status}), decision(_D.CREDIT), action(_A.STRIPE_REFUND, after=after)
    )
    assert (verdict is None) is legal


@pytest.mark.parametrize("kind", [_A.STRIPE_STAGE_EVIDENCE, _A.STRIPE_SUBMIT_EVIDENCE])
@pytest.mark.parametrize("status", STATUSES)
def test_evidence_goes_only_into_disputes_that_wait_for_it(kind: ActionKind, status: str | None) -> None:
    verdict = PLAYBOOK.illegal(case({"dispute.status": status}), decision(_D.FIGHT), action(kind))
    assert (verdict is None) is (status in ("needs_response", "warning_needs_response"))


@pytest.mark.parametrize("status", STATUSES)
def test_telling_the_team_is_always_legal(status: str | None) -> None:
    known = case({"dispute.status": status})
    for kind in (_A.CRM_NOTE, _A.SLACK_BRIEF, _A.TICKET, _A.DECISION_LOG):
        assert PLAYBOOK.illegal(known, decision(_D.ESCALATE), action(kind)) is None


@pytest.mark.parametrize("status", STATUSES)
def test_only_a_chargeback_is_closed(status: str | None) -> None:
    verdict = PLAYBOOK.illegal(case({"dispute.status": status}), decision(_D.ACCEPT), action(_A.STRIPE_CLOSE_DISPUTE))
    assert (verdict is None) is (status in ("needs_response", "under_review"))


def test_an_action_must_belong_to_the_decision() -> None:
    known = case({"dispute.status": "needs_response"})
    assert "no part of the decision to fight" in str(
        PLAYBOOK.illegal(known, decision(_D.FIGHT), action(_A.STRIPE_REFUND, after="dispute.won"))
    )
    assert PLAYBOOK.illegal(known, decision(_D.DECLINE), action(_A.SLACK_BRIEF)) is not None


def test_a_dispute_without_a_date_for_the_answer_cannot_be_answered() -> None:
    known = case({"dispute.status": "needs_response", "dispute.due_by": 0})
    for kind in (_D.FIGHT, _D.CREDIT, _D.ACCEPT):
        assert "cannot be answered" in str(PLAYBOOK.illegal(known, decision(kind), None))
    assert "cannot be answered" in str(PLAYBOOK.illegal(known, decision(_D.FIGHT), action(_A.STRIPE_SUBMIT_EVIDENCE)))


@pytest.mark.parametrize("facts", [{"dispute.case_type": "compliance"}, {"dispute.reason": "noncompliant"}])
def test_the_fee_of_a_compliance_case_is_never_accepted_for_a_person(facts: dict[str, str]) -> None:
    known = case({"dispute.status": "needs_response", **facts})
    assert "500 USD" in str(PLAYBOOK.illegal(known, decision(_D.FIGHT), None))
    assert "500 USD" in str(PLAYBOOK.illegal(known, decision(_D.FIGHT), action(_A.STRIPE_SUBMIT_EVIDENCE)))
    assert PLAYBOOK.illegal(known, decision(_D.ACCEPT), None) is None


def test_what_we_have_begun_stays_legal_while_it_changes_the_state() -> None:
    submitted = action(_A.STRIPE_SUBMIT_EVIDENCE, ActionState.SUCCEEDED)
    known = case({"dispute.status": "under_review"}, actions=(submitted,))
    assert PLAYBOOK.illegal(known, decision(_D.CREDIT), None) is None
    assert PLAYBOOK.illegal(known, decision(_D.ACCEPT), None) is not None


@pytest.mark.parametrize("kind", ["early_fraud_warning", "invoice", "request"])
def test_other_subjects_are_decided_by_people(kind: str) -> None:
    known = case(kind=kind)
    assert PLAYBOOK.illegal(known, decision(_D.REFUND), None) is not None
    assert PLAYBOOK.illegal(known, decision(_D.ESCALATE), None) is None


@pytest.mark.parametrize(
    ("kind", "status", "size"),
    [
        ("dispute", "needs_response", 5),
        ("dispute", "warning_needs_response", 0),
        ("dispute", "under_review", 0),
        ("dispute", "lost", 0),
        ("early_fraud_warning", None, 0),
        ("invoice", None, 0),
    ],
)
def test_a_chargeback_that_can_be_answered_gets_five_specialists_and_everything_else_a_person(
    kind: str, status: str | None, size: int
) -> None:
    team = PLAYBOOK.team(case({"dispute.status": status}, kind=kind))
    assert len(team) == size
    assert all(specialist.deadline_s == 180 for specialist in team)


def test_the_specialists_have_stable_names_and_can_be_replaced() -> None:
    known = case({"dispute.status": "needs_response"})
    assert [specialist.name for specialist in PLAYBOOK.team(known)] == [
        "payments_analyst",
        "customer_context",
        "reliability_analyst",
        "policy_analyst",
        "network_rules_analyst",
    ]
    assert DisputesPlaybook(specialists=()).team(known) == ()
    assert PLAYBOOK.name == "disputes"
