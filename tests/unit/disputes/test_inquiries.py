"""Inquiries: answered or refunded in full, never in part; and what becomes of them when they escalate."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import Action, ActionKind, ActionState, Json
from shared.case.brief import DecisionKind
from shared.case.case import Case
from shared.case.evidence import Cell
from tests.unit.disputes.cases import action, case
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_outage import incident
from tests.unit.disputes.test_state import disputed, take
from tests.unit.disputes.test_variants import escalates

ASKED: dict[str, Json] = {"dispute.status": "warning_needs_response", "dispute.case_type": "inquiry"}


@pytest.fixture
def inquiry(investigated: Callable[..., Dossier]) -> Dossier:
    """An inquiry about a month that was delivered."""
    return investigated("meridian")


def as_inquiry(dossier: Dossier) -> Dossier:
    """The shipped chargeback as an inquiry."""
    return dossier.with_facts(ASKED).changed("stripe.disputes", status="warning_needs_response")


def all_owed(dossier: Dossier) -> Dossier:
    """An inquiry about a cycle in which the feature never worked."""
    whole = as_inquiry(dossier).without("hubspot.notes")
    alert: dict[str, Cell] = {"started_at": "2026-04-12T09:00:00+00:00", "ended_at": "2026-05-12T09:00:00+00:00"}
    return whole.changed("datadog.monitor_events", **alert)


def escalated(inquiry: Dossier) -> Dossier:
    """After an event told that it became a chargeback, while the row at Stripe is still the old one."""
    told: dict[str, Json] = {
        "dispute.status": "needs_response",
        "dispute.case_type": "chargeback",
        "dispute.network_reason_code": "C08",
        "dispute.due_by": 1784937599,
        "dispute.escalated": True,
    }
    answered = action(ActionKind.STRIPE_SUBMIT_EVIDENCE, ActionState.SUCCEEDED)
    answered = answered.model_copy(update={"purpose": "submit_inquiry_answer"})
    return inquiry.with_facts(told, actions=(answered,))


def test_facts_answer_it_without_money(inquiry: Dossier) -> None:
    draft = inquiry.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.ANSWER, None)
    submit = next(each for each in draft.actions if each.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE)
    assert (submit.at_risk_minor, submit.snapshot["dispute.status"]) == (64_000, "warning_needs_response")
    assert "We ask that the inquiry be closed" in json.dumps(submit.payload)
    assert "asks their bank about 640.00 USD" in draft.brief.tldr
    assert "a chargeback needs an answer of its own" in draft.brief.approver_question


def test_a_part_that_is_owed_goes_to_a_person_since_it_resolves_nothing(dossier: Dossier) -> None:
    escalates(as_inquiry(dossier), "a partial refund does not resolve an inquiry", "2 of 30 days of 8,400.00")


def test_what_is_owed_in_full_is_refunded_in_full(dossier: Dossier) -> None:
    whole = all_owed(dossier)
    draft = whole.draft()
    assert draft.brief is not None
    decision = draft.brief.decision
    assert (decision.kind, decision.amount_minor, decision.currency) == (DecisionKind.REFUND, 840_000, "usd")
    kinds = [each.kind for each in draft.actions]
    assert kinds[:2] == [ActionKind.STRIPE_REFUND, ActionKind.CUSTOMER_EMAIL]
    refund, email = draft.actions[:2]
    assert refund.snapshot["dispute.status"] == "warning_needs_response"
    assert refund.depends_on == ()
    assert "8,400.00 USD" in str(email.payload["body_text"])
    assert "ends the inquiry without a fee" in draft.brief.approver_question
    known = whole.with_facts(draft.facts).case
    assert PLAYBOOK.illegal(known, decision, Action(**refund.model_dump(), id="a", hash="h")) is None


def test_a_full_refund_without_an_address_is_a_gap(dossier: Dossier) -> None:
    whole = all_owed(dossier)
    draft = whole.changed("stripe.customers", email=None).without("hubspot.contacts").draft()
    assert draft.brief is not None
    assert next(each.kind for each in draft.actions) is ActionKind.STRIPE_REFUND
    assert any(gap.what == "a message to the customer" for gap in draft.brief.gaps)


def test_an_outage_that_the_merchant_confirms_is_refunded_in_full(inquiry: Dossier) -> None:
    hit = incident(
        inquiry,
        "2026-06-22T10:00:00+00:00",
        severity="SEV-1",
        service="plans-api",
        resolved_at="2026-06-22T18:00:00+00:00",
    )
    assert hit.brief().decision.kind is DecisionKind.REFUND
    dearer = hit.changed("stripe.disputes", amount=90_000)
    escalates(dearer, "only a full refund counts")


def test_an_inquiry_without_a_claim_in_its_code_is_weighed_all_the_same(dossier: Dossier) -> None:
    silent = as_inquiry(dossier).changed("stripe.disputes", payment_method_details__card__network_reason_code="30")
    assert "partial refund" in silent.brief().decision.rationale


def test_an_inquiry_that_was_filed_waits_for_the_bank(dossier: Dossier) -> None:
    filed = dossier.with_facts({"dispute.status": "warning_under_review"})
    escalates(filed.changed("stripe.disputes", status="warning_under_review"), "an inquiry under review")


def test_after_an_escalation_the_word_of_the_event_counts_and_a_second_answer_is_due(inquiry: Dossier) -> None:
    draft = escalated(inquiry).draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.FIGHT
    stage, submit = draft.actions[:2]
    assert (stage.purpose, submit.purpose) == ("stage_evidence", "submit_evidence")
    assert (submit.snapshot["dispute.status"], submit.snapshot["dispute.submission_count"]) == ("needs_response", 1)
    told = "\n".join(finding.text for finding in draft.brief.findings)
    assert "the claim is amex C08" in told
    assert "2026-07-24 23:59 UTC" in told


def test_a_second_round_tells_the_team_again(inquiry: Dossier) -> None:
    later = inquiry.draft_in_round(2)
    assert {each.purpose for each in later.actions} >= {"brief_team_2", "note_decision_2"}


def test_the_escalation_is_remembered_and_opens_a_new_round() -> None:
    known = take(case(), "charge.dispute.created", disputed("warning_needs_response"), 100)
    later = take(known, "charge.dispute.updated", disputed("needs_response"), 200)
    assert later.facts["dispute.escalated"] is True
    assert "dispute.escalated" not in known.facts


def answered(purpose: str, status: str, **facts: Json) -> Case:
    submitted = action(ActionKind.STRIPE_SUBMIT_EVIDENCE, ActionState.SUCCEEDED).model_copy(update={"purpose": purpose})
    return case({"dispute.status": status, **facts}, actions=(submitted,))


def test_an_filedinquiry_is_awaited_longer_and_is_no_answer_to_a_chargeback() -> None:
    waiting = PLAYBOOK.awaits(answered("submit_inquiry_answer", "warning_needs_response"))
    assert waiting is not None
    assert waiting[1] is not None
    assert (waiting[1] - case().updated_at).days == 120
    assert PLAYBOOK.awaits(answered("submit_inquiry_answer", "needs_response")) is None
    assert PLAYBOOK.awaits(answered("submit_evidence", "needs_response")) is not None


@pytest.mark.parametrize(
    ("read", "told", "stands"),
    [
        ("warning_needs_response", "needs_response", "needs_response"),
        ("warning_needs_response", "lost", "lost"),
        ("needs_response", "warning_needs_response", "needs_response"),
        ("lost", "needs_response", "lost"),
        (None, "needs_response", "needs_response"),
        ("needs_response", None, "needs_response"),
        ("needs_response", "something_new", "needs_response"),
        ("something_new", "needs_response", "something_new"),
    ],
)
def test_of_a_row_and_an_event_the_one_that_is_further_stands(read: Cell, told: Cell, stands: str) -> None:
    from shared.playbooks.disputes.current import current

    found = current(case({"dispute.status": told, "dispute.reason": "general"}), {"status": read, "reason": None})
    assert (found["status"], found["reason"]) == (stands, "general")
