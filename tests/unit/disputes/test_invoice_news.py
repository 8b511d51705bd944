"""What Stripe tells of an invoice: paid, void or given up ends its case; what is told late changes nothing."""

from __future__ import annotations

import pytest

from shared.case.actions import ActionKind, ActionState, Json
from shared.case.brief import Brief, DecisionKind
from shared.case.case import Case, Subject
from shared.playbooks.disputes.routing import route
from shared.team.contract import Ignored, Routing
from tests.unit.disputes.cases import NOW, action, case, decision, event
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_state import take

OPEN: dict[str, Json] = {
    "id": "in_1", "number": "A-1", "amount_due": 500, "currency": "usd", "status": "open", "attempt_count": 1
}  # fmt: skip
SETTLED = {
    "paid": ("invoice.paid", "the invoice is paid"),
    "void": ("invoice.voided", "the invoice was made void"),
    "uncollectible": ("invoice.marked_uncollectible", "the invoice was given up as uncollectible"),
}


def owed(**more: Json) -> Case:
    """A case about an invoice of which a payment failed at 100."""
    opened = case().model_copy(update={"subject": Subject(kind="invoice", id="in_1")})
    return take(opened, "invoice.payment_failed", {**OPEN, **more}, 100)


@pytest.mark.parametrize("status", SETTLED)
def test_a_settled_invoice_settles_its_case(status: str) -> None:
    type_, why = SETTLED[status]
    known = take(owed(), type_, {**OPEN, "status": status}, 200, "evt_2")
    assert PLAYBOOK.settled_by(known) == why
    assert set(known.outcomes) == {f"invoice.{status}"}
    assert PLAYBOOK.outcome_of(known) == status
    assert PLAYBOOK.settled_by(owed()) is None


@pytest.mark.parametrize("created", [100, 200, 300])
def test_a_failure_that_is_told_after_the_payment_is_old_news(created: int) -> None:
    paid = take(owed(), "invoice.paid", {**OPEN, "status": "paid"}, 200, "evt_2")
    routing = route(event("invoice.payment_failed", {**OPEN, "attempt_count": 2}, created))
    assert isinstance(routing, Routing)
    assert not PLAYBOOK.observe(paid, routing.observation).reopens
    assert take(paid, "invoice.payment_failed", {**OPEN, "attempt_count": 2}, created).facts["invoice.status"] == "paid"


def test_an_invoice_that_is_paid_after_it_was_given_up_changes_nobodys_mind() -> None:
    gone = take(owed(), "invoice.marked_uncollectible", {**OPEN, "status": "uncollectible"}, 200, "evt_2")
    paid = take(gone, "invoice.paid", {**OPEN, "status": "paid"}, 300, "evt_3")
    assert paid.facts["invoice.status"] == "paid"
    assert paid.outcomes == gone.outcomes


def test_that_it_is_settled_waits_for_no_case_and_opens_none() -> None:
    for status, (type_, _) in SETTLED.items():
        routing = route(event(type_, {**OPEN, "status": status}, 100))
        assert isinstance(routing, Routing)
        assert (routing.opens, routing.waits) == (False, False)


def test_an_overdue_invoice_opens_a_case_and_a_second_reminder_does_not_reopen_it() -> None:
    routing = route(event("invoice.overdue", OPEN, 100))
    assert isinstance(routing, Routing)
    assert (routing.opens, routing.summary) == (True, "invoice A-1 is overdue")
    again = route(event("invoice.overdue", OPEN, 900))
    assert isinstance(again, Routing)
    assert not PLAYBOOK.observe(owed(), again.observation).reopens
    assert isinstance(route(event("invoice.overdue", {**OPEN, "amount_due": 0}, 100)), Ignored)


def test_that_stripe_will_not_try_again_replaces_what_it_planned() -> None:
    planned = owed(next_payment_attempt=500)
    assert planned.facts["invoice.next_payment_attempt"] == 500
    given_up = take(planned, "invoice.payment_failed", {**OPEN, "attempt_count": 2, "next_payment_attempt": None}, 501)
    assert given_up.facts["invoice.next_payment_attempt"] == 0


def test_a_wait_that_ended_without_a_word_reads_the_invoice_again_unless_a_debit_is_under_way() -> None:
    assert PLAYBOOK.looks_again(owed()) is not None
    assert PLAYBOOK.looks_again(case()) is None
    debit = action(ActionKind.STRIPE_RETRY_INVOICE, ActionState.SUCCEEDED).model_copy(update={"pending": True})
    assert PLAYBOOK.looks_again(owed().model_copy(update={"actions": (debit,)})) is None


def test_nothing_is_awaited_of_an_invoice_that_is_settled_or_not_followed_up() -> None:
    later = int(NOW.timestamp()) + 86400
    followed = Brief(round=1, tldr="", findings=(), decision=decision(DecisionKind.RECOVER), approver_question="")
    waiting = owed(next_payment_attempt=later).model_copy(update={"brief": followed})
    assert PLAYBOOK.awaits(waiting) is not None
    assert PLAYBOOK.awaits(waiting.model_copy(update={"brief": None})) is None
    paid = take(waiting, "invoice.paid", {**OPEN, "status": "paid"}, 200, "evt_2")
    assert PLAYBOOK.awaits(paid) is None
