"""The remedy table: what is legal in which state of the dispute, and why the rest is not."""

from __future__ import annotations

import pytest

from shared.case.actions import ActionKind, ActionState
from shared.case.brief import DecisionKind
from shared.playbooks.disputes.playbook import DisputesPlaybook
from shared.playbooks.disputes.purposes import SUBMIT_ANSWER
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
    filled = action(kind).model_copy(update={"payload": {"evidence": {"uncategorized_text": "served"}}})
    verdict = PLAYBOOK.illegal(case({"dispute.status": status}), decision(_D.FIGHT), filled)
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
        PLAYBOOK.illegal(known, decision(_D.FIGHT), action(_A.STRIPE_BALANCE_CREDIT, after="dispute.won"))
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


@pytest.mark.parametrize(
    ("kind", "legal"),
    [
        ("early_fraud_warning", {_D.REFUND}),
        ("invoice", {_D.RECOVER}),
        ("request", {_D.REFUND, _D.CREDIT, _D.DECLINE}),
        ("something_else", None),
    ],
)
def test_what_is_not_a_dispute_has_moves_of_its_own(kind: str, legal: set[DecisionKind] | None) -> None:
    allowed = {each for each in DecisionKind if PLAYBOOK.illegal(case(kind=kind), decision(each), None) is None}
    assert allowed == (legal | {_D.RECORD, _D.ESCALATE} if legal is not None else set())


@pytest.mark.parametrize(
    ("status", "left", "why"),
    [
        (None, None, None),
        ("won", None, None),
        ("warning_closed", None, None),
        ("needs_response", None, "cannot be refunded while a chargeback on it is open"),
        ("under_review", None, "under review"),
        ("lost", None, "pay twice"),
        ("prevented", None, "pay twice"),
        ("something_new", None, "not known"),
        ("warning_needs_response", 500, "partial refund does not resolve an inquiry"),
        ("warning_needs_response", None, None),
    ],
)
@pytest.mark.parametrize("kind", ["early_fraud_warning", "request"])
def test_a_refund_for_anybody_obeys_the_disputes_on_its_charge(
    kind: str, status: str | None, left: int | None, why: str | None
) -> None:
    facts: dict[str, str | int] = {} if status is None else {"charge.dispute_status": status}
    known = case({**facts, **({} if left is None else {"charge.refundable_now_minor": left})}, kind=kind)
    verdict = PLAYBOOK.illegal(known, decision(_D.REFUND), action(_A.STRIPE_REFUND))
    assert why in str(verdict) if why else verdict is None


def test_a_warning_that_is_not_actionable_pays_nothing() -> None:
    known = case({"warning.actionable": False}, kind="early_fraud_warning")
    assert "not actionable" in str(PLAYBOOK.illegal(known, decision(_D.REFUND), action(_A.STRIPE_REFUND)))


def test_nobody_is_suspended_and_no_packet_goes_out_for_an_invoice() -> None:
    for kind in (_A.STRIPE_CANCEL_SUBSCRIPTION, _A.STRIPE_REFUND, _A.STRIPE_SUBMIT_EVIDENCE):
        assert "no part of" in str(PLAYBOOK.illegal(case(kind="invoice"), decision(_D.RECOVER), action(kind)))
    for kind in (_A.CUSTOMER_EMAIL, _A.TICKET, _A.STRIPE_RETRY_INVOICE):
        assert PLAYBOOK.illegal(case(kind="invoice"), decision(_D.RECOVER), action(kind)) is None


def test_only_the_whole_of_what_is_left_resolves_an_inquiry() -> None:
    known = case({"dispute.status": "warning_needs_response", "charge.refundable_now_minor": 900})
    refund = action(_A.STRIPE_REFUND)
    whole, part = refund.model_copy(update={"amount_minor": 900}), refund.model_copy(update={"amount_minor": 100})
    assert PLAYBOOK.illegal(known, decision(_D.REFUND), whole) is None
    assert "partial refund" in str(PLAYBOOK.illegal(known, decision(_D.REFUND), part))


def test_the_answer_to_an_inquiry_does_not_make_contesting_legal_later() -> None:
    answered = action(_A.STRIPE_SUBMIT_EVIDENCE, ActionState.SUCCEEDED).model_copy(update={"purpose": SUBMIT_ANSWER})
    known = case({"dispute.status": "warning_under_review"}, actions=(answered,))
    assert PLAYBOOK.illegal(known, decision(_D.ANSWER), None) is None
    assert PLAYBOOK.illegal(known, decision(_D.FIGHT), None) is not None


@pytest.mark.parametrize(
    ("kind", "status", "size"),
    [
        ("dispute", "needs_response", 5),
        ("dispute", "warning_needs_response", 5),
        ("dispute", "under_review", 0),
        ("dispute", "lost", 0),
        ("early_fraud_warning", None, 4),
        ("invoice", None, 4),
        ("request", None, 4),
        ("refund", None, 0),
    ],
)
def test_who_is_needed_depends_on_what_the_case_is_about(kind: str, status: str | None, size: int) -> None:
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
