"""Charged, and not delivered through our own fault: what makes it ours, and what is too little."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind, DependencyKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

PAGE = "VFR-2026"
ALERT = "datadog.monitor_events"
ERRORS = "sentry.events"


@pytest.fixture
def failed(investigated: Callable[..., Dossier]) -> Dossier:
    """An upgrade that was charged while the handler of payments threw."""
    return investigated("hornbeam")


def rule(dossier: Dossier, **parameters: object) -> Dossier:
    told = {"kind": "vendor_failure", "least": 3, "within_minutes": 15, **parameters}
    return dossier.changed("policies.documents", PAGE, rule=json.dumps(told))


def served(dossier: Dossier, tier: str) -> Dossier:
    """With every use of the product on this tier."""
    return dossier.changed("posthog.events", properties=json.dumps({"service": "dispatch-board", "tier": tier}))


def test_all_of_it_is_given_up_and_told_once_the_dispute_is_closed(failed: Dossier) -> None:
    draft = failed.draft()
    assert draft.brief is not None
    decision = draft.brief.decision
    assert (decision.kind, decision.amount_minor) == (DecisionKind.ACCEPT, 900_000)
    actions = {action.kind: action for action in draft.actions}
    close, mail = actions[ActionKind.STRIPE_CLOSE_DISPUTE], actions[ActionKind.CUSTOMER_EMAIL]
    assert close.at_risk_minor == 900_000
    assert {(need.kind, need.ref) for need in mail.depends_on} == {
        (DependencyKind.ACTION, close.purpose),
        (DependencyKind.OUTCOME, "dispute.lost"),
    }
    assert "we are sorry" in str(mail.payload["body_text"])
    assert actions[ActionKind.TICKET].payload["assignee"] == "joel.okafor@hornbeam.example"
    assert ActionKind.STRIPE_REFUND not in actions


def test_errors_of_other_customers_and_later_ones_do_not_count(failed: Dossier) -> None:
    rows = [item.row for item in failed.evidence if item.row.table == ERRORS and "customer" in item.row.fields]
    assert {row.fields["customer"] for row in rows} == {failed.only("stripe.charges").fields["customer"]}
    sign = next(found for found in failed.brief().findings if "the error tracker recorded" in found.text)
    assert "recorded 4 errors for them" in sign.text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: d.without(ERRORS), "2 of the 3 signs that"),
        (lambda d: d.without(ERRORS), "missing: an exception of theirs in the error tracker and a monitor"),
        (lambda d: served(d.changed(ALERT, ended_at="2026-05-12T10:08:06+00:00"), "premium"), "missing: a monitor"),
        (lambda d: served(d.without(ERRORS), "premium"), "they complained that it did not work"),
    ],
)
def test_too_few_signs_go_to_a_person_who_is_told_what_is_missing(
    failed: Dossier, change: Callable[[Dossier], Dossier], why: str
) -> None:
    escalates(change(failed), why)


def test_the_tier_that_they_bought_is_delivered_so_three_other_signs_are_needed(failed: Dossier) -> None:
    delivered = served(failed, "premium")
    assert delivered.brief().decision.kind is DecisionKind.ACCEPT
    escalates(rule(delivered, least=4), "3 of the 4 signs", "serves the tier they had before")


def test_without_any_sign_but_the_payment_other_rules_decide(failed: Dossier) -> None:
    quiet = served(failed.without(ERRORS, ALERT, "datadog.incidents"), "premium")
    escalates(quiet, "they complained that it did not work")
    unread = quiet.with_gaps(Gap(specialist="reliability_analyst", what=labels.ERRORS_AROUND, why="down"))
    escalates(unread, "1 of the 3 signs", "not read whole: errors around the payment")


@pytest.mark.parametrize(("minutes", "holds"), [(15, True), (1, True), (60, True)])
def test_the_window_is_the_policys(failed: Dossier, minutes: int, holds: bool) -> None:
    assert (rule(failed, within_minutes=minutes).brief().decision.kind is DecisionKind.ACCEPT) is holds


def test_an_error_just_outside_the_window_is_none(failed: Dossier) -> None:
    escalates(failed.changed(ERRORS, timestamp="2026-05-12T10:38:08+00:00"), "2 of the 3 signs", "an exception")
    edge = served(failed.changed(ERRORS, timestamp="2026-05-12T10:38:07+00:00"), "premium")
    assert edge.brief().decision.kind is DecisionKind.ACCEPT


@pytest.mark.parametrize(
    "parameters", [{"least": 5}, {"signs": ["alert"], "least": 2}, {"contest": "always"}, {"within_minutes": 61}]
)
def test_a_rule_that_cannot_be_followed_goes_to_a_person(failed: Dossier, parameters: dict[str, object]) -> None:
    escalates(rule(failed, **parameters), "has to be read by a person")


def test_more_than_the_charge_is_never_given_up_by_itself(failed: Dossier) -> None:
    escalates(failed.changed("stripe.disputes", amount=900_001), "more is disputed than is left of the charge")
    escalates(failed.changed("stripe.disputes", currency="eur"), "another currency")
    refunded = failed.changed("stripe.charges", amount_refunded=1)
    escalates(refunded, "part of the money has been returned already")


def test_an_inquiry_about_it_is_refunded_in_full(failed: Dossier) -> None:
    asked = failed.changed("stripe.disputes", status="warning_needs_response").with_facts(
        {"dispute.status": "warning_needs_response"}
    )
    draft = asked.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.REFUND, 900_000)
    assert {ActionKind.STRIPE_REFUND, ActionKind.TICKET} <= {action.kind for action in draft.actions}


def test_the_apology_is_left_out_where_the_policy_leaves_it_out(failed: Dossier) -> None:
    kinds = {action.kind for action in rule(failed, apology=False).draft().actions}
    assert ActionKind.CUSTOMER_EMAIL not in kinds
    assert ActionKind.STRIPE_CLOSE_DISPUTE in kinds
