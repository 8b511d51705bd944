"""Early fraud warnings: refunded where waiting costs more, recorded where a refund makes no sense, else a person."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

CHARGE, WARNING, PAGE = "stripe.charges", "stripe.early_fraud_warnings", "fraud-warnings"


@pytest.fixture
def warned(investigated: Callable[..., Dossier]) -> Dossier:
    """A warning about a small charge."""
    return investigated("larkspur")


def worth(dossier: Dossier, minor: int, currency: str = "usd") -> Dossier:
    """With a charge of this amount."""
    return dossier.changed(CHARGE, amount=minor, amount_captured=minor, currency=currency)


def policy(dossier: Dossier, **parameters: object) -> Dossier:
    """With other parameters of the merchant's rule."""
    row = next(item.row for item in dossier.evidence if item.row.record_id == PAGE)
    rule = {**json.loads(str(row.fields["rule"])), **parameters}
    return dossier.changed("policies.documents", PAGE, rule=json.dumps(rule))


def decided(dossier: Dossier) -> tuple[DecisionKind, int | None]:
    decision = dossier.brief().decision
    return decision.kind, decision.amount_minor


def records(dossier: Dossier, phrase: str) -> None:
    draft = dossier.draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.RECORD
    assert phrase in draft.brief.decision.rationale.lower()
    assert {action.kind for action in draft.actions} <= {ActionKind.CRM_NOTE, ActionKind.SLACK_BRIEF}


def test_a_small_charge_goes_back_whole_and_never_as_fraudulent(warned: Dossier) -> None:
    assert decided(warned) == (DecisionKind.REFUND, 1450)
    (refund,) = [action for action in warned.draft().actions if action.kind is ActionKind.STRIPE_REFUND]
    assert refund.payload["reason"] == "requested_by_customer"
    assert refund.snapshot["charge.disputed"] is False
    assert refund.snapshot["charge.amount_refunded"] == 0


@pytest.mark.parametrize(
    ("minor", "kind", "alone"),
    [
        (2025, DecisionKind.REFUND, True),
        (2026, DecisionKind.REFUND, False),
        (6000, DecisionKind.REFUND, False),
        (6001, DecisionKind.RECORD, True),
    ],
)
def test_the_fee_and_the_break_even_are_the_bounds_and_between_them_somebody_looks(
    warned: Dossier, minor: int, kind: DecisionKind, alone: bool
) -> None:
    decision = worth(warned, minor).brief().decision
    assert decision.kind is kind
    assert (decision.confidence_pct >= 70) is alone


def test_what_was_refunded_before_stays_refunded(warned: Dossier) -> None:
    part = warned.changed(CHARGE, amount_refunded=450)
    assert decided(part) == (DecisionKind.REFUND, 1000)
    assert decided(worth(warned, 8000).changed(CHARGE, amount_refunded=7000)) == (DecisionKind.REFUND, 1000)
    refund: dict[str, Cell] = {"charge": warned.only(CHARGE).record_id, "amount": 450, "status": "succeeded"}
    told = part.added("stripe.refunds", "re_1", refund).brief().findings
    assert any("part of the charge was returned before" in finding.text for finding in told)


def test_other_currencies_are_compared_at_the_rate_of_the_org(warned: Dossier) -> None:
    assert decided(worth(warned, 1892, "eur")) == (DecisionKind.REFUND, 1892)
    assert worth(warned, 1892, "eur").brief().decision.confidence_pct >= 70
    assert worth(warned, 1893, "eur").brief().decision.confidence_pct < 70
    escalates(worth(warned, 1000, "chf"), "cannot be compared", "no exchange rate from chf to usd")


@pytest.mark.parametrize(
    ("table", "fields", "phrase"),
    [
        (CHARGE, {"disputed": True}, "disputed already: a refund would pay twice"),
        (CHARGE, {"amount_refunded": 1450}, "returned already"),
        (WARNING, {"actionable": False}, "not actionable"),
        (CHARGE, {"payment_method_details__card__three_d_secure__result": "authenticated"}, "liability"),
        (CHARGE, {"payment_method_details__card__three_d_secure__result": "attempt_acknowledged"}, "liability"),
    ],
)
def test_where_a_refund_makes_no_sense_it_is_recorded(
    warned: Dossier, table: str, fields: dict[str, Cell], phrase: str
) -> None:
    records(warned.changed(table, **fields), phrase)


def test_a_failed_3d_secure_check_shifts_nothing(warned: Dossier) -> None:
    tried = warned.changed(CHARGE, payment_method_details__card__three_d_secure__result="failed")
    assert decided(tried) == (DecisionKind.REFUND, 1450)


def test_what_the_event_said_counts_too(warned: Dossier) -> None:
    records(warned.with_facts({"warning.actionable": False}), "not actionable")


@pytest.mark.parametrize("status", ["needs_response", "warning_needs_response", "lost", "won"])
def test_any_dispute_on_the_charge_stops_the_refund_and_is_named(warned: Dossier, status: str) -> None:
    dispute: dict[str, Cell] = {
        "charge": warned.only(CHARGE).record_id,
        "status": status,
        "amount": 1450,
        "currency": "usd",
    }
    disputed = warned.added("stripe.disputes", "du_1", dispute)
    records(disputed, "(du_1), which is a case of its own")
    assert any("the charge is disputed: du_1" in finding.text for finding in disputed.brief().findings)
    facts = disputed.draft().facts
    assert facts["charge.dispute_status"] == status
    assert facts["charge.refundable_now_minor"] == (0 if status in ("needs_response", "lost") else 1450)


@pytest.mark.parametrize(("days", "recorded"), [(120, False), (121, True)])
def test_the_last_of_120_days_is_inside(warned: Dossier, days: int, recorded: bool) -> None:
    for table, other in ((CHARGE, WARNING), (WARNING, CHARGE)):
        then = int((warned.now - timedelta(days=days)).timestamp())
        old = warned.changed(table, created=then).changed(other, created=int(warned.now.timestamp()))
        assert (old.brief().decision.kind is DecisionKind.RECORD) is recorded


@pytest.mark.parametrize(
    ("counts", "close"),
    [
        ({"disputes": 40, "warnings": 35, "payments": 10_000}, True),
        ({"disputes": 40, "warnings": 34, "payments": 10_000}, False),
        ({"disputes": 40, "warnings": 35, "payments": 10_001}, False),
    ],
)
def test_close_to_a_monitoring_programme_a_person_looks_at_every_warning(
    warned: Dossier, counts: dict[str, Cell], close: bool
) -> None:
    counted = warned.changed("rules.monitoring", **counts)
    if close:
        escalates(counted, "close to a monitoring programme")
    else:
        assert decided(counted) == (DecisionKind.REFUND, 1450)


def test_nothing_is_paid_without_knowing_how_close_the_account_is(warned: Dossier) -> None:
    escalates(warned.without("rules.monitoring"), "could not be read")
    escalates(warned.changed("rules.monitoring", disputes=None), "could not be read")


def test_without_a_policy_of_the_merchant_our_own_figures_hold(warned: Dossier) -> None:
    none = warned.without("policies.documents")
    escalates(none, "policies could not be read")
    own = none.absent("policies.documents", labels.NO_POLICY)
    assert decided(own) == (DecisionKind.REFUND, 1450)
    assert decided(worth(own, 6001)) == (DecisionKind.RECORD, None)


def test_the_merchants_figures_come_first(warned: Dossier) -> None:
    assert decided(policy(warned, dispute_fee_minor=500)) == (DecisionKind.REFUND, 1450)
    assert policy(warned, dispute_fee_minor=500).brief().decision.confidence_pct < 70
    assert decided(policy(warned, small="record")) == (DecisionKind.RECORD, None)
    assert decided(policy(worth(warned, 3000), up_to_break_even="record")) == (DecisionKind.RECORD, None)
    assert decided(policy(warned, dispute_odds_pct=10, small_up_to_fee_multiple=0)) == (DecisionKind.RECORD, None)


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"above": "refund"}, "above: refund"),
        ({"disputed": "refund"}, "disputed: refund"),
        ({"currency": "dollars"}, "currency: dollars"),
        ({"dispute_odds_pct": 100}, "dispute_odds_pct: 100"),
        ({"small_up_to_fee_multiple": 1.35}, "small_up_to_fee_multiple: 1.35"),
        ({"bonus": 1}, "parameters we do not know: bonus"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_read_by_a_person(
    warned: Dossier, parameters: dict[str, object], why: str
) -> None:
    escalates(policy(warned, **parameters), why)


def test_two_current_pages_that_disagree_go_to_a_person(warned: Dossier) -> None:
    escalates(warned.policy("other", None, applies_to="early_fraud_warning"), "two current policies disagree")


def test_what_cannot_be_read_goes_to_a_person(warned: Dossier) -> None:
    escalates(warned.without(WARNING), "the warning itself could not be read")
    escalates(warned.without(CHARGE), "the charge could not be read")
    escalates(warned.changed(CHARGE, amount=None), "no amount")
    escalates(warned.changed(CHARGE, created=None), "does not say when it was paid")
    escalates(warned.changed(CHARGE, amount_captured=None), "what is left of the charge is not known")
    assert "charge.refundable_now_minor" not in warned.changed(CHARGE, amount_captured=None).draft().facts


def test_gaps_make_us_less_sure_but_alone_they_ask_for_nobody(warned: Dossier) -> None:
    many = warned.with_gaps(*[Gap(specialist="x", what=f"system {place}", why="down") for place in range(9)])
    assert many.brief().decision.confidence_pct == 72


def test_a_customer_without_a_record_is_called_by_the_name_on_the_bill(warned: Dossier) -> None:
    assert "by Ruth Delacroix" in warned.without("stripe.customers").brief().tldr
    nameless = warned.without("stripe.customers").changed(CHARGE, billing_details__name=None)
    assert "by the customer" in nameless.brief().tldr
    assert "customer.id" not in nameless.draft().facts


def test_the_clock_is_the_one_of_the_case(warned: Dossier) -> None:
    records(replace(warned, now=warned.now + timedelta(days=200)), "older than 120 days")
