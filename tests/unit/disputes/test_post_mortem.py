"""How a dispute ended, who ended it, what it cost, and what is to be learned from it."""

from __future__ import annotations

import pytest

from shared.case.actions import ActionKind, ActionState, Json
from shared.case.brief import Brief, Decision, DecisionKind
from shared.case.case import Case, PostMortem
from tests.unit.disputes.cases import DISPUTE, action, case, event
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_state import disputed, take

_A, _D, _S = ActionKind, DecisionKind, ActionState


def withdrawal(fee: int = 1500, amount: int = 840000) -> dict[str, Json]:
    return {"id": "txn_1", "amount": -amount, "fee": fee, "net": -amount - fee, "currency": "usd"}


REINSTATEMENT: dict[str, Json] = {"id": "txn_2", "amount": 840000, "fee": 0, "net": 840000, "currency": "usd"}


def advised(kind: DecisionKind, facts: dict[str, Json], *did: tuple[ActionKind, ActionState]) -> Case:
    brief = Brief(
        round=1,
        tldr="",
        findings=(),
        decision=Decision(kind=kind, amount_minor=840000, currency="usd", rationale="", confidence_pct=80),
        approver_question="",
    )
    return case(facts, brief=brief, actions=tuple(action(*done) for done in did))


def written(known: Case) -> PostMortem:
    found = PLAYBOOK.post_mortem(known)
    assert found is not None
    return found


def test_while_a_dispute_is_open_there_is_nothing_to_look_back_on() -> None:
    for status in ("needs_response", "under_review", "warning_needs_response", "something_new"):
        assert PLAYBOOK.post_mortem(case({"dispute.status": status})) is None
    assert PLAYBOOK.post_mortem(case({"invoice.status": "paid"}, kind="invoice")) is None


@pytest.mark.parametrize(
    ("advice", "status", "did", "outcome", "lesson"),
    [
        (_D.FIGHT, "won", (_A.STRIPE_SUBMIT_EVIDENCE, _S.SUCCEEDED), "won", "advised to contest, and won"),
        (_D.CREDIT, "lost", (_A.STRIPE_SUBMIT_EVIDENCE, _S.SUCCEEDED), "lost", "advised to contest, and lost"),
        (_D.FIGHT, "lost", (_A.STRIPE_SUBMIT_EVIDENCE, _S.VOIDED), "lost", "which was not carried out"),
        (_D.ACCEPT, "lost", (_A.STRIPE_CLOSE_DISPUTE, _S.SUCCEEDED), "accepted", "given up by closing it"),
        (_D.ACCEPT, "won", (_A.STRIPE_CLOSE_DISPUTE, _S.VOIDED), "won", "advised to accept, which was not carried out"),
        (_D.ANSWER, "warning_closed", (_A.STRIPE_SUBMIT_EVIDENCE, _S.SUCCEEDED), "inquiry_closed", "answer was enough"),
        (_D.REFUND, "warning_closed", (_A.STRIPE_REFUND, _S.SUCCEEDED), "inquiry_closed", "refund was enough"),
        (_D.ESCALATE, "lost", (_A.SLACK_BRIEF, _S.SUCCEEDED), "lost", "what the rules lack"),
        (_D.FIGHT, "prevented", (_A.STRIPE_SUBMIT_EVIDENCE, _S.VOIDED), "prevented", "nothing to refund"),
    ],
)
def test_the_advice_is_held_against_the_outcome(
    advice: DecisionKind, status: str, did: tuple[ActionKind, ActionState], outcome: str, lesson: str
) -> None:
    known = advised(advice, {"dispute.status": status}, did)
    found = written(known)
    assert (found.advice, found.outcome) == (advice, outcome)
    assert PLAYBOOK.outcome_of(known) == outcome
    assert lesson in found.lesson
    assert found.carried_out is (did[1] is _S.SUCCEEDED)


def test_a_refund_that_waits_for_a_win_does_not_carry_out_a_refund_of_an_inquiry() -> None:
    known = advised(_D.REFUND, {"dispute.status": "warning_closed"})
    later = action(_A.STRIPE_REFUND, _S.SUCCEEDED, after="dispute.won")
    assert not written(known.model_copy(update={"actions": (later,)})).carried_out


def test_what_ended_before_there_was_advice_says_so() -> None:
    assert "before there was advice" in written(case({"dispute.status": "won"})).lesson
    assert written(case({"dispute.status": "won"})).advice is None


def test_after_a_win_the_amount_is_back_and_the_fee_stays_a_cost() -> None:
    won = {**disputed("won"), "balance_transactions": [withdrawal(), REINSTATEMENT]}
    facts = take(case(), "charge.dispute.closed", won, 300).facts
    found = written(advised(_D.FIGHT, facts, (_A.STRIPE_SUBMIT_EVIDENCE, _S.SUCCEEDED)))
    assert (found.fees_minor, found.net_minor, found.currency) == (1500, -1500, "usd")
    assert "15.00 USD stays a cost" in found.lesson


def test_what_was_owed_and_paid_after_the_win_is_part_of_the_account() -> None:
    known = advised(_D.CREDIT, {"dispute.status": "won"}, (_A.STRIPE_SUBMIT_EVIDENCE, _S.SUCCEEDED))
    refund = action(_A.STRIPE_REFUND, _S.SUCCEEDED, after="dispute.won")
    paid = refund.model_copy(update={"amount_minor": 56000, "currency": "usd"})
    found = written(known.model_copy(update={"actions": (*known.actions, paid)}))
    assert (found.paid_minor, found.paid_currency) == (56000, "usd")
    assert "560.00 USD, is paid" in found.lesson
    assert written(known).paid_minor is None


def test_the_fee_of_a_lost_dispute_is_lost_as_well() -> None:
    lost = {**disputed("lost"), "balance_transactions": [withdrawal()]}
    facts = take(case(), "charge.dispute.closed", lost, 300).facts
    found = written(advised(_D.FIGHT, facts, (_A.STRIPE_SUBMIT_EVIDENCE, _S.SUCCEEDED)))
    assert (found.fees_minor, found.net_minor) == (1500, -841500)
    assert "15.00 USD is lost as well" in found.lesson


def test_what_moved_is_told_by_the_funds_events_too_and_older_ones_change_nothing() -> None:
    later = {**disputed("won"), "balance_transactions": [withdrawal(), REINSTATEMENT]}
    known = take(case(), "charge.dispute.funds_reinstated", later, 300)
    assert known.facts["books.net_minor"] == -1500
    older = {**disputed("needs_response"), "balance_transactions": [withdrawal()]}
    assert take(known, "charge.dispute.funds_withdrawn", older, 200).facts["books.net_minor"] == -1500


@pytest.mark.parametrize(
    "told",
    [
        None,
        [],
        ["txn_1"],
        [{"id": "txn_1", "fee": 1500, "currency": "usd"}],
        [withdrawal(), {**REINSTATEMENT, "currency": "eur"}],
    ],
)
def test_what_is_not_told_in_full_is_not_added_up(told: Json) -> None:
    facts = take(case(), "charge.dispute.closed", {**disputed("lost"), "balance_transactions": told}, 300).facts
    found = written(case(facts))
    assert (found.fees_minor, found.net_minor, found.currency) == (None, None, None)


ARRIVED_LOST = {**disputed("lost"), "evidence_details": {"due_by": None}}


@pytest.mark.parametrize(
    ("change", "ended", "why"),
    [
        ({"balance_transactions": [withdrawal(fee=0)]}, "prevented", "prevented before it became a chargeback"),
        ({"balance_transactions": [withdrawal(fee=1500)]}, "lost", "lost on arrival"),
        ({"balance_transactions": []}, "lost", "lost on arrival"),
    ],
)
def test_lost_on_arrival_without_a_fee_was_prevented_by_the_network(
    change: dict[str, Json], ended: str, why: str
) -> None:
    known = take(case(), "charge.dispute.created", {**ARRIVED_LOST, **change}, 100)
    assert PLAYBOOK.outcome_of(known) == ended
    assert why in str(PLAYBOOK.settled_by(known))


@pytest.mark.parametrize("method", [{"type": "sepa_debit"}, {"type": "card", "card": {"brand": "cartes_bancaires"}}])
def test_where_no_dispute_costs_a_fee_none_proves_nothing(method: dict[str, Json]) -> None:
    arrived: dict[str, Json] = {
        **ARRIVED_LOST,
        "payment_method_details": method,
        "balance_transactions": [withdrawal(fee=0)],
    }
    known = take(case(), "charge.dispute.created", arrived, 100)
    assert PLAYBOOK.outcome_of(known) == "lost"
    assert "cannot be answered" in written(known).lesson


@pytest.mark.parametrize("case_type", ["block", "resolution"])
def test_a_lost_dispute_of_a_preventing_kind_was_prevented(case_type: str) -> None:
    card: dict[str, Json] = {"brand": "visa", "case_type": case_type}
    found: dict[str, Json] = {**disputed("lost"), "payment_method_details": {"type": "card", "card": card}}
    assert PLAYBOOK.outcome_of(take(case(), "charge.dispute.closed", found, 100)) == "prevented"


def test_a_dispute_that_was_open_and_lost_without_a_fee_was_not_prevented() -> None:
    known = take(case(), "charge.dispute.created", DISPUTE, 100)
    closed = {**disputed("lost"), "balance_transactions": [withdrawal(fee=0)]}
    assert PLAYBOOK.outcome_of(take(known, "charge.dispute.closed", closed, 200)) == "lost"


def test_closing_that_failed_does_not_make_a_loss_ours() -> None:
    known = advised(_D.ACCEPT, {"dispute.status": "lost"}, (_A.STRIPE_CLOSE_DISPUTE, _S.FAILED))
    assert written(known).outcome == "lost"


def test_the_event_of_an_object_that_moved_no_money_tells_of_none() -> None:
    routed = PLAYBOOK.route("acme", event("charge.dispute.created", DISPUTE))
    assert not [name for name in routed.observation.facts if name.startswith("books.")]  # type: ignore[union-attr]
