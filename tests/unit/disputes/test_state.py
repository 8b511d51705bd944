"""News about a case: in any order, twice, late, it leaves the case knowing what is true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from shared.case.actions import ActionKind, ActionState, Json
from shared.case.case import Case
from shared.playbooks.disputes.routing import route
from shared.team.contract import Observation, Routing
from tests.unit.disputes.cases import DISPUTE, NOW, action, case, event, outcome
from tests.unit.disputes.run import PLAYBOOK


def take(known: Case, type_: str, found: dict[str, Json], created: int, event_id: str = "evt_1") -> Case:
    """The case after an event, as the pipeline folds it."""
    routing = route({**event(type_, found, created), "id": event_id})
    assert isinstance(routing, Routing)
    seen = PLAYBOOK.observe(known, routing.observation)
    outcomes = dict(known.outcomes)
    if seen.outcome is not None:
        outcomes[seen.outcome.name] = seen.outcome
    return known.model_copy(update={"facts": {**known.facts, **seen.facts}, "outcomes": outcomes})


def disputed(status: str) -> dict[str, Json]:
    return {**DISPUTE, "status": status}


NEWS = (
    ("charge.dispute.created", "needs_response", 100),
    ("charge.dispute.updated", "under_review", 200),
    ("charge.dispute.funds_reinstated", "won", 290),
    ("charge.dispute.closed", "won", 300),
)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_whatever_the_order_of_the_events_the_case_ends_won(order: tuple[int, ...]) -> None:
    known = case()
    for place in order:
        type_, status, created = NEWS[place]
        known = take(known, type_, disputed(status), created)
    assert known.facts["dispute.status"] == "won"
    assert set(known.outcomes) == {"dispute.won"}
    assert known.facts["funds.state"] == "reinstated"


def test_older_news_changes_nothing() -> None:
    known = take(case(), "charge.dispute.updated", {**disputed("under_review"), "amount": 900}, 200)
    later = take(known, "charge.dispute.created", disputed("needs_response"), 100)
    assert later.facts["dispute.status"] == "under_review"
    assert later.facts["dispute.amount"] == 900


def test_the_deadline_of_older_news_is_older_news_too() -> None:
    extended: dict[str, Json] = {**disputed("needs_response"), "evidence_details": {"due_by": 1779999999}}
    known = take(case(), "charge.dispute.updated", extended, 200)
    later = take(known, "charge.dispute.created", disputed("needs_response"), 100)
    assert later.facts["dispute.due_by"] == 1779999999
    assert later.facts["due_by"] == known.facts["due_by"]


def test_of_two_events_of_one_second_the_further_status_stands() -> None:
    known = take(case(), "charge.dispute.updated", disputed("under_review"), 100)
    assert (
        take(known, "charge.dispute.created", disputed("needs_response"), 100).facts["dispute.status"] == "under_review"
    )
    known = take(case(), "charge.dispute.created", disputed("needs_response"), 100)
    assert (
        take(known, "charge.dispute.updated", disputed("under_review"), 100).facts["dispute.status"] == "under_review"
    )


@pytest.mark.parametrize("end", ["won", "lost", "warning_closed"])
def test_an_end_is_not_overwritten_by_an_open_status(end: str) -> None:
    known = take(case(), "charge.dispute.closed", disputed(end), 100)
    later = take(known, "charge.dispute.updated", disputed("needs_response"), 500)
    assert later.facts["dispute.status"] == end
    assert not PLAYBOOK.observe(known, _observed("charge.dispute.updated", "needs_response", 500)).reopens


def test_prevention_that_came_too_late_needs_an_answer_after_all() -> None:
    known = take(case(), "charge.dispute.closed", disputed("prevented"), 100)
    seen = PLAYBOOK.observe(known, _observed("charge.dispute.updated", "needs_response", 500))
    assert seen.reopens
    assert "not prevented after all" in seen.why
    assert take(known, "charge.dispute.updated", disputed("needs_response"), 500).facts["dispute.status"] == (
        "needs_response"
    )


@pytest.mark.parametrize("created", [50, 100])
def test_what_was_open_before_it_was_prevented_is_old_news(created: int) -> None:
    known = take(case(), "charge.dispute.closed", disputed("prevented"), 100)
    assert not PLAYBOOK.observe(known, _observed("charge.dispute.created", "needs_response", created)).reopens
    assert take(known, "charge.dispute.created", disputed("needs_response"), created).facts["dispute.status"] == (
        "prevented"
    )


def test_a_lost_dispute_can_still_be_won_and_a_won_one_not_lost() -> None:
    lost = take(case(), "charge.dispute.closed", disputed("lost"), 100)
    won = take(lost, "charge.dispute.closed", disputed("won"), 500, "evt_2")
    assert won.facts["dispute.status"] == "won"
    assert set(won.outcomes) == {"dispute.lost", "dispute.won"}
    still = take(won, "charge.dispute.closed", disputed("lost"), 600, "evt_3")
    assert still.facts["dispute.status"] == "won"
    assert still.outcomes == won.outcomes


def test_the_same_outcome_twice_is_news_once() -> None:
    known = take(case(), "charge.dispute.closed", disputed("won"), 300)
    seen = PLAYBOOK.observe(known, _observed("charge.dispute.closed", "won", 300))
    assert seen.outcome is None


def test_an_inquiry_that_escalates_needs_a_new_round() -> None:
    for before in ("warning_needs_response", "warning_under_review"):
        known = take(case(), "charge.dispute.created", disputed(before), 100)
        assert PLAYBOOK.observe(known, _observed("charge.dispute.updated", "needs_response", 200)).reopens
    fresh = take(case(), "charge.dispute.created", disputed("needs_response"), 100)
    assert not PLAYBOOK.observe(fresh, _observed("charge.dispute.updated", "needs_response", 200)).reopens


def test_a_higher_attempt_on_an_invoice_needs_a_new_round() -> None:
    invoice: dict[str, Json] = {"id": "in_1", "amount_due": 5, "attempt_count": 1}
    known = take(case(), "invoice.payment_failed", invoice, 100)
    routing = route(event("invoice.payment_failed", {**invoice, "attempt_count": 2}, 200))
    assert isinstance(routing, Routing)
    assert PLAYBOOK.observe(known, routing.observation).reopens
    again = route(event("invoice.payment_failed", invoice, 200))
    assert isinstance(again, Routing)
    assert not PLAYBOOK.observe(known, again.observation).reopens


def test_a_refund_that_failed_does_not_succeed_by_late_news_and_one_that_succeeded_can_fail() -> None:
    refund: dict[str, Json] = {"id": "re_1", "metadata": {"manthan_case": "case_1", "manthan_action": "a"}}
    failed = take(case(), "refund.failed", {**refund, "status": "failed"}, 300)
    late = take(failed, "refund.updated", {**refund, "status": "succeeded"}, 400)
    assert late.facts["refund.a.status"] == "failed"
    assert set(late.outcomes) == {"refund.failed"}
    succeeded = take(case(), "refund.updated", {**refund, "status": "succeeded"}, 300)
    assert set(take(succeeded, "refund.failed", {**refund, "status": "failed"}, 400).outcomes) == {
        "refund.succeeded",
        "refund.failed",
    }


def test_news_of_one_refund_is_not_older_news_of_another() -> None:
    def refund(name: str) -> dict[str, Json]:
        return {"id": name, "status": "succeeded", "metadata": {"manthan_case": "case_1", "manthan_action": name}}

    first = take(case(), "refund.updated", refund("a"), 300)
    both = take(first, "refund.updated", refund("b"), 200)
    assert both.facts["refund.b.status"] == "succeeded"
    assert both.outcomes["refund.succeeded"].detail == "b"


@pytest.mark.parametrize(
    ("status", "why", "word"),
    [
        ("won", "the card issuer decided for us", "won"),
        ("lost", "the dispute is lost", "lost"),
        ("prevented", "the dispute was prevented before it became a chargeback", "prevented"),
        ("warning_closed", "the inquiry is closed", "inquiry_closed"),
        ("needs_response", None, "open"),
        (None, None, "open"),
    ],
)
def test_how_it_ended_follows_from_the_status(status: str | None, why: str | None, word: str) -> None:
    known = case({"dispute.status": status})
    assert PLAYBOOK.settled_by(known) == why
    assert PLAYBOOK.outcome_of(known) == word


def test_after_a_submission_the_case_awaits_the_issuer_for_75_days() -> None:
    assert PLAYBOOK.awaits(case({"dispute.status": "needs_response"})) is None
    submitted = action(ActionKind.STRIPE_SUBMIT_EVIDENCE, ActionState.SUCCEEDED)
    ours = case({"dispute.status": "needs_response"}, actions=(submitted,))
    assert PLAYBOOK.awaits(ours) == ("the issuer's decision", NOW + timedelta(days=75))
    told = case({"dispute.status": "under_review", "dispute.as_of": 1000})
    assert PLAYBOOK.awaits(told) == ("the issuer's decision", datetime.fromtimestamp(1000, UTC) + timedelta(days=75))
    assert PLAYBOOK.awaits(case({"dispute.status": "won"}, actions=(submitted,))) is None


def test_a_pending_refund_is_awaited_too() -> None:
    known = case({"dispute.status": "won", "refund.a.status": "pending", "refund.a.id": "re_1"})
    assert PLAYBOOK.awaits(known) == ("the bank to settle our refund", None)
    assert PLAYBOOK.awaits(case({"dispute.status": "won", "refund.a.status": "succeeded"})) is None


def test_an_outcome_without_news_of_its_object_is_kept() -> None:
    known = case({"dispute.status": "won"}, outcomes={"dispute.won": outcome("dispute.won")})
    assert PLAYBOOK.observe(known, _observed("charge.dispute.closed", "won", 400)).outcome is not None


def _observed(type_: str, status: str, created: int) -> Observation:
    routing = route(event(type_, disputed(status), created))
    assert isinstance(routing, Routing)
    return routing.observation


def test_a_warning_whose_charge_is_disputed_by_now_needs_no_person() -> None:
    warning = case(kind="early_fraud_warning")
    assert "disputed by now" in str(PLAYBOOK.reconsiders(warning, {"charge.disputed": True}))
    assert PLAYBOOK.reconsiders(warning, {"charge.disputed": False, "charge.amount_refunded": 5}) is None
    assert PLAYBOOK.reconsiders(case(kind="request"), {"charge.disputed": True}) is None
