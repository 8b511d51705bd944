"""Downtime under a signed addendum: what the page and the monitor show, the exact credit, and no keeping back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.derivation import verify
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

PAGE, PAGER, ALERT = "msa-addendum-downtime", "pagerduty.incidents", "datadog.monitor_events"
INVOICE, LINE, ADDENDUM = "stripe.invoices", "stripe.invoice_lines", "agreements.documents"
ASKED, CHARGE, USE = "manthan.requests", "stripe.charges", "posthog.events"
SECONDS, MONTH_S, FEE = 267 * 60, 720 * 3600, 900_000


@pytest.fixture
def down(investigated: Callable[..., Dossier]) -> Dossier:
    """Four and a half hours down, and a quarter of the invoice kept back."""
    return investigated("osier")


def credit(dossier: Dossier) -> int:
    """What is credited; the one action that pays is over exactly that, and it recomputes."""
    draft = dossier.draft()
    assert draft.brief is not None
    decision = draft.brief.decision
    assert decision.kind is DecisionKind.CREDIT, decision.rationale
    assert decision.derivation is not None
    rows = {item.index: item for item in dossier.evidence}
    verify(decision.derivation, rows.get)
    (paid,) = [action for action in draft.actions if action.amount_minor is not None]
    assert paid.amount_minor == decision.amount_minor
    return paid.amount_minor


def owed(seconds: int, factor: int, month_s: int = MONTH_S, fee: int = FEE) -> int:
    """By hand: half up."""
    return int(Fraction(seconds, month_s) * fee * factor + Fraction(1, 2))


def page(dossier: Dossier, **fields: Cell) -> Dossier:
    """With the page of the long night changed."""
    night = next(item.row for item in dossier.evidence if item.row.fields.get("priority") == "SEV-2")
    return dossier.changed(PAGER, night.record_id, **fields)


def body(dossier: Dossier) -> str:
    (email,) = [action for action in dossier.draft().actions if action.kind is ActionKind.CUSTOMER_EMAIL]
    return str(email.payload["body_text"])


def test_the_hours_of_the_page_give_the_credit_as_a_note_and_the_rest_stays_due(down: Dossier) -> None:
    assert credit(down) == owed(SECONDS, 2)
    draft = down.draft()
    note, email, ticket = draft.actions[:3]
    assert (note.kind, note.target) == (ActionKind.STRIPE_CREDIT_NOTE, down.only(INVOICE).record_id)
    assert note.payload["how"] == "customer_balance"
    assert note.snapshot["invoice.amount_remaining"] == 225_000
    assert email.depends_on[0].ref == note.purpose
    assert ticket.target == "oscar.lind@routecast.example"
    assert "2,138.75 USD of it stays due" in body(down)
    assert "less is due on the invoice" in body(down)
    assert down.brief().notes == ("The amount that they name is not what goes back: the policy decides how much.",)


def test_without_anything_kept_back_there_is_a_credit_and_nothing_to_collect(down: Dossier) -> None:
    paid = down.changed(INVOICE, status="paid", amount_paid=FEE, amount_remaining=0)
    assert credit(paid) == owed(SECONDS, 2)
    assert all(action.kind is not ActionKind.TICKET for action in paid.draft().actions)
    assert "comes off your next invoice" in body(paid)
    balance = paid.ruled(PAGE, instrument="account_credit")
    assert credit(balance) == owed(SECONDS, 2)
    assert balance.draft().actions[0].kind is ActionKind.STRIPE_BALANCE_CREDIT
    escalates(down.ruled(PAGE, instrument="account_credit"), "the invoice is still open")


def test_the_severity_gives_the_multiplier(down: Dossier) -> None:
    assert credit(page(down, priority="SEV-1")) == owed(SECONDS, 4)
    escalates(page(down, priority=None), "has no severity")
    escalates(page(down, priority="SEV-3"), "holds no downtime with a multiplier")


def test_the_month_is_that_of_the_page_or_the_real_one(down: Dossier) -> None:
    assert credit(down.ruled(PAGE, month_hours=None)) == owed(SECONDS, 2, 30 * 86400)
    assert credit(down.ruled(PAGE, month_hours=744)) == owed(SECONDS, 2, 744 * 3600)


def test_it_is_never_more_than_the_cap(down: Dossier) -> None:
    long = page(down, created_at="2026-04-02T00:00:00Z", resolved_at="2026-04-29T00:00:00Z")
    assert credit(long) == FEE
    assert credit(long.ruled(PAGE, cap_months=2)) == owed(27 * 86400, 2)


def test_only_what_lies_in_the_billed_period_counts(down: Dossier) -> None:
    early = page(down, created_at="2026-03-31T22:00:00Z", resolved_at="2026-04-01T02:00:00Z")
    confirmed = early.changed(ALERT, started_at="2026-03-31T22:00:00Z", ended_at="2026-04-01T02:00:00Z")
    in_time = confirmed.changed(ASKED, received_at="2026-04-20T00:00:00Z")
    assert credit(in_time) == owed(2 * 3600, 2)
    escalates(page(down, created_at="2026-05-02T00:00:00Z", resolved_at="2026-05-02T04:00:00Z"), "holds no downtime")


def test_what_the_page_shows_has_to_be_confirmed(down: Dossier) -> None:
    escalates(down.without(ALERT), "the pager shows downtime that the monitors")
    elsewhere = down.changed(ALERT, started_at="2026-04-20T02:00:00Z", ended_at="2026-04-20T06:00:00Z")
    escalates(elsewhere, "the pager shows downtime that the monitors")
    assert credit(down.without(ALERT).ruled(PAGE, confirmed_by=[])) == owed(SECONDS, 2)
    gap = Gap(specialist="x", what=labels.ALERTS, why="down")
    escalates(down.with_gaps(gap), "could not be read whole")


def test_without_the_incident_or_without_use_of_the_service_nothing_is_owed(down: Dossier) -> None:
    escalates(down.without(PAGER), "holds no downtime")
    escalates(down.without(USE), "holds no downtime")
    escalates(page(down, resolved_at=None), "no end yet")


def test_two_nights_are_added_and_two_records_of_one_night_go_to_a_person(down: Dossier) -> None:
    night = next(item.row for item in down.evidence if item.row.fields.get("priority") == "SEV-2")
    second: dict[str, Cell] = {
        **night.fields, "created_at": "2026-04-20T00:00:00Z", "resolved_at": "2026-04-20T01:00:00Z", "priority": "SEV-1"
    }  # fmt: skip
    alert: dict[str, Cell] = {
        **down.only(ALERT).fields, "started_at": "2026-04-20T00:00:00Z", "ended_at": "2026-04-20T01:00:00Z"
    }  # fmt: skip
    both = down.added(PAGER, "Q_more", second).added(ALERT, "a_more", alert)
    escalates(both.changed(ASKED, received_at="2026-05-16T00:00:00Z"), "in time for some of the downtime only")
    by_hand = Fraction(SECONDS * 2 + 3600 * 4, MONTH_S) * FEE + Fraction(1, 2)
    assert credit(both) == int(by_hand)
    escalates(down.added(PAGER, "Q_more", {**night.fields, "created_at": "2026-04-14T05:00:00Z"}), "overlap")


@pytest.mark.parametrize(
    "fields",
    [
        {"countersigned_at": None},
        {"signed_at": None},
        {"countersigned_at": "2026-04-20T00:00:00Z"},
        {"effective_until": "2026-04-01T00:00:00Z"},
        {"effective_from": "2026-05-01T00:00:00Z"},
        {"kind": "msa"},
    ],
)
def test_the_addendum_has_to_be_signed_and_in_effect(down: Dossier, fields: dict[str, Cell]) -> None:
    escalates(down.changed(ADDENDUM, **fields), "no sla_addendum signed by both sides was in effect")


@pytest.mark.parametrize(("asked", "counts"), [("2026-05-14T06:38:00Z", True), ("2026-05-14T06:38:01Z", False)])
def test_the_thirtieth_day_is_inside(down: Dossier, asked: str, counts: bool) -> None:
    claimed = down.changed(ASKED, received_at=asked)
    if counts:
        assert credit(claimed) == owed(SECONDS, 2)
        return
    draft = claimed.draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.DECLINE
    assert "takes claims until 14 May 2026" in draft.brief.decision.rationale


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"pre_payment_credit_notes_amount": 100}, "a credit note was issued on this invoice already"),
        ({"post_payment_credit_notes_amount": 100}, "a credit note was issued on this invoice already"),
        ({"subtotal": 850_000}, "tax or a discount"),
        ({"status": "void"}, "the invoice is void"),
        ({"customer": "cus_other"}, "not known as one of theirs"),
        ({"currency": "eur"}, "their balance is kept in USD"),
    ],
)
def test_an_invoice_that_something_stands_against_goes_to_a_person(
    down: Dossier, fields: dict[str, Cell], why: str
) -> None:
    escalates(down.changed(INVOICE, **fields), why)


def test_money_that_went_back_or_is_disputed_goes_to_a_person(down: Dossier) -> None:
    escalates(down.changed("stripe.customers", balance=-500), "a credit on their balance already")
    escalates(down.changed(CHARGE, amount_refunded=100), "was given back already")
    charge = down.only(CHARGE).record_id
    disputed = down.added("stripe.disputes", "du_1", {"charge": charge, "status": "needs_response"})
    escalates(disputed, "under dispute")


def test_a_request_about_no_invoice_is_not_for_this_page(down: Dossier) -> None:
    escalates(down.changed(ASKED, invoice=None), "they name no invoice")
    escalates(down.changed(LINE, period__end=None), "no line of the invoice bills a period")


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"multipliers": {}}, "multipliers"),
        ({"multipliers": {"SEV-1": "4"}}, "multipliers"),
        ({"clock": "monitor_alert"}, "clock: monitor_alert"),
        ({"confirmed_by": ["pager"]}, "a clock confirmed by itself"),
        ({"confirmed_by": ["status_page"]}, "confirmed_by"),
        ({"short_pay": "allowed"}, "short_pay: allowed"),
        ({"instrument": "charge_refund"}, "instrument: charge_refund"),
        ({"month_hours": 800}, "month_hours: 800"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_read_by_a_person(
    down: Dossier, parameters: dict[str, object], why: str
) -> None:
    escalates(down.ruled(PAGE, **parameters), why)
