"""A claim of an outage: contested when what the policy measures is clean, and put before a person when it is not."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import RULE as PRORATION
from tests.unit.disputes.test_variants import escalates

PAGE = "CRP-2026-V3"
SLO = "datadog.slo_history"


@pytest.fixture
def claim(investigated: Callable[..., Dossier]) -> Dossier:
    """An outage claim that is clean."""
    return investigated("quill")


def policy(dossier: Dossier, **parameters: object) -> Dossier:
    """With other parameters of the rule; None takes one away."""
    row = next(item.row for item in dossier.evidence if item.row.record_id == PAGE)
    rule = {**json.loads(str(row.fields["rule"])), **parameters}
    kept = {name: value for name, value in rule.items() if value is not None}
    return dossier.changed("policies.documents", PAGE, rule=json.dumps(kept))


def incident(dossier: Dossier, start: str = "2026-03-20T10:00:00+00:00", /, **fields: Cell) -> Dossier:
    """With an incident in the cycle on a service that they used."""
    told: dict[str, Cell] = {
        "title": "requests failed",
        "service": "shipment-api",
        "severity": "SEV-3",
        "created": start,
        "resolved_at": "2026-03-20T10:04:00+00:00",
        "tags": '["env:prod"]',
    }
    return dossier.added("datadog.incidents", "INC-1", {**told, **fields})


def told(dossier: Dossier) -> str:
    return "\n".join(finding.text for finding in dossier.brief().findings)


def test_a_clean_claim_is_contested_in_full_with_the_measurements(claim: Dossier) -> None:
    decision = claim.brief().decision
    assert (decision.kind, decision.amount_minor) == (DecisionKind.FIGHT, 900_000)
    assert "uptime 99.97 %, error rate 0.4 %, no outage" in decision.rationale
    assert "calls the time clean" in told(claim)
    assert "before the cycle that was paid for" in told(claim)
    submit = next(action for action in claim.draft().actions if action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE)
    assert "our uptime monitor measured 99.97 % for Shipment" in json.dumps(submit.payload)
    assert all(action.kind is not ActionKind.CUSTOMER_EMAIL for action in claim.draft().actions)


@pytest.mark.parametrize("fields", [{}, {"severity": "P4"}, {"severity": None, "priority": "p3"}])
def test_a_disturbance_of_low_severity_is_named_and_not_counted(claim: Dossier, fields: dict[str, Cell]) -> None:
    found = incident(claim, **fields)
    assert found.brief().decision.kind is DecisionKind.FIGHT
    assert "named and not counted: shipment-api from 2026-03-20 10:00 UTC (4 minutes)" in told(found)
    assert "no outage concerned them" in found.brief().decision.rationale


def test_the_alert_of_a_disturbance_is_the_same_disturbance(claim: Dossier) -> None:
    alert: dict[str, Cell] = {
        "service": "shipment-api",
        "status": "alert",
        "started_at": "2026-03-20T10:01:00+00:00",
        "ended_at": "2026-03-20T10:03:00+00:00",
    }
    assert incident(claim).added("datadog.monitor_events", "a1", alert).brief().decision.kind is DecisionKind.FIGHT
    other = {**alert, "service": "web-app"}
    escalates(incident(claim).added("datadog.monitor_events", "a1", other), "an outage that hit them")
    escalates(incident(claim).added("datadog.monitor_events", "a1", {**alert, "ended_at": None}), "an outage")


@pytest.mark.parametrize("severity", ["SEV-1", "P1", "SEV-2"])
def test_an_outage_that_hit_them_gives_everything_back_by_closing(claim: Dossier, severity: str) -> None:
    draft = incident(claim, severity=severity).draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.ACCEPT
    assert draft.brief.decision.amount_minor == claim.only("stripe.disputes").fields["amount"]
    assert "an outage that hit them" in draft.brief.decision.rationale
    kinds = {action.kind for action in draft.actions}
    assert ActionKind.STRIPE_CLOSE_DISPUTE in kinds
    assert ActionKind.STRIPE_REFUND not in kinds


def test_an_outage_of_unknown_severity_goes_to_a_person(claim: Dossier) -> None:
    escalates(incident(claim, severity=None), "an outage that hit them", "how severe", PAGE)


def test_an_outage_is_settled_by_a_proration_where_the_merchant_has_one(claim: Dossier) -> None:
    both = incident(claim, severity="SEV-1").policy(
        "share", {**PRORATION, "clock": "incident_record", "requires": []}, applies_to="product_not_received"
    )
    decision = both.brief().decision
    assert decision.kind is DecisionKind.CREDIT
    assert decision.amount_minor == 7


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"uptime_pct": "99.90"}, "calls 99.9 % uptime not clean"),
        ({"error_rate_pct": "0.6"}, "calls an error rate of 0.6 % not clean"),
        ({"error_rate_pct": None}, "missing: the error rate"),
        ({"uptime_pct": None}, "missing: any uptime"),
        ({"uptime_pct": "soon"}, "missing: any uptime"),
        ({"service": "other"}, "missing: the uptime of shipment-api and the uptime of web-app"),
        ({"window_end": "2026-03-01T00:00:00+00:00"}, "missing: the uptime of"),
    ],
)
def test_what_is_not_clean_or_not_measured_goes_to_a_person(claim: Dossier, fields: dict[str, Cell], why: str) -> None:
    escalates(claim.changed(SLO, **fields), why)


def test_signing_in_alone_is_no_continued_use(claim: Dossier) -> None:
    idle = claim.changed("posthog.events", event="login")
    escalates(idle, "asks for work with the product")
    assert policy(idle, usage_continued=False).brief().decision.kind is DecisionKind.FIGHT


@pytest.mark.parametrize(
    ("opened", "counts"), [("2025-02-27T13:14:00+00:00", True), ("2025-02-20T00:00:00+00:00", False)]
)
def test_who_won_a_dispute_in_the_months_before_is_for_another_page(claim: Dossier, opened: str, counts: bool) -> None:
    before: dict[str, Cell] = {"status": "lost", "reason": "general", "amount": 1, "currency": "usd", "created": opened}
    repeat = claim.without_absences(labels.NO_EARLIER_DISPUTE).added("stripe.disputes", "du_before", before)
    if counts:
        escalates(repeat, "leaves it to RD-2026")
        assert policy(repeat, repeat_within_months=None).brief().decision.kind is DecisionKind.FIGHT
        escalates(policy(repeat, repeat_policy=None), "leaves it to a person")
    else:
        assert repeat.brief().decision.kind is DecisionKind.FIGHT


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"p1_incidents_max": 1}, "p1_incidents_max: 1"),
        ({"when_clean": "refund"}, "when_clean: refund"),
        ({"when_confirmed": "credit"}, "when_confirmed: credit"),
        ({"error_rate_max_pct": 0.5}, "error_rate_max_pct: 0.5"),
        ({"uptime_min_pct": None}, "uptime_min_pct: None"),
        ({"mail_customer": "never"}, "mail_customer: never"),
        ({"repeat_within_months": 0}, "repeat_within_months: 0"),
        ({"grace": 1}, "parameters we do not know: grace"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_read_by_a_person(
    claim: Dossier, parameters: dict[str, object], why: str
) -> None:
    escalates(policy(claim, **parameters), why)


def test_a_window_for_refunds_and_a_rule_for_outages_do_not_disagree(claim: Dossier) -> None:
    window = {"kind": "refund_window", "plan_interval": "year", "within_days": 30}
    both = claim.policy("window", window, applies_to="product_not_received")
    assert both.brief().decision.kind is DecisionKind.FIGHT
    other = claim.policy("other", {"kind": "outage_claim", "uptime_min_pct": "90"}, applies_to="any")
    escalates(other, "two current policies disagree")
    prose = claim.policy("prose", None, applies_to="product_not_received")
    escalates(prose, "two current policies disagree")


def test_a_window_for_refunds_alone_does_not_say_what_an_incident_is_worth(claim: Dossier) -> None:
    window = {"kind": "refund_window", "plan_interval": "year", "within_days": 30}
    alone = incident(claim.without("policies.documents"), severity="SEV-1")
    escalates(alone.policy("window", window, applies_to="product_not_received"), "no current policy says what is owed")
