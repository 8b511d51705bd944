"""The worlds of the gotchas: one decisive fact changed, and the decision changes as it should."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from tests.unit.disputes.dossier import Dossier

_A, _D = ActionKind, DecisionKind
Investigated = Callable[..., Dossier]


@pytest.fixture
def sedge(investigated: Investigated) -> Dossier:
    """Tide tables were down for two days of a month paid in yen."""
    return investigated("sedge")


@pytest.fixture
def dunlin(investigated: Investigated) -> Dossier:
    """A bank asks about a month paid in yen; nobody has a rate."""
    return investigated("dunlin")


@pytest.fixture
def wagtail(investigated: Investigated) -> Dossier:
    """A fifth went back, then the whole was charged back."""
    return investigated("wagtail")


@pytest.mark.parametrize(
    ("ended_at", "owed"),
    [
        ("2026-05-20T00:00:00Z", 660),  # 48 h: 659.93
        ("2026-05-19T00:00:00Z", 330),  # 24 h: 329.97
        ("2026-05-18T01:31:00Z", 21),  # 91 min: 20.85
    ],
)
def test_what_is_owed_in_yen_follows_the_length_of_the_alert_to_the_whole_yen(
    sedge: Dossier, ended_at: str, owed: int
) -> None:
    changed = sedge.changed("datadog.monitor_events", ended_at=ended_at).added(
        "posthog.events",
        "ph_more",
        {
            "person_email": "jun.ota@sedge-boatyard.example",
            "event": "table_opened",
            "timestamp": "2026-05-18T00:30:00Z",
            "properties": '{"service": "tide-tables", "tier": "harbour"}',
        },
    )
    decision = changed.brief().decision
    assert (decision.kind, decision.amount_minor, decision.currency) == (_D.CREDIT, owed, "jpy")


def test_without_the_alert_their_complaint_is_a_contradiction_for_a_person(sedge: Dossier) -> None:
    assert sedge.without("datadog.monitor_events").brief().decision.kind is _D.ESCALATE


def test_without_the_complaint_the_policy_asks_for_more(sedge: Dossier) -> None:
    quiet = sedge.changed("zendesk.tickets", description="How do I print?", subject="Printing")
    assert quiet.brief().decision.kind is _D.ESCALATE


def test_a_month_that_was_not_up_is_not_answered_with_having_been_up(dunlin: Dossier) -> None:
    assert dunlin.brief().decision.kind is _D.ANSWER
    assert dunlin.changed("datadog.slo_history", uptime_pct="99.2").brief().decision.kind is _D.ESCALATE


def test_once_the_bank_takes_the_money_the_same_facts_contest_it(dunlin: Dossier) -> None:
    code = {"payment_method_details__card__network_reason_code": "C08"}
    taken = dunlin.changed("stripe.disputes", status="needs_response", **code).with_facts(
        {"dispute.status": "needs_response", "dispute.escalated": True}
    )
    decision = taken.brief().decision
    assert (decision.kind, decision.amount_minor, decision.currency) == (_D.FIGHT, 19800, "jpy")


def test_had_the_refund_failed_the_whole_would_be_contested(wagtail: Dossier) -> None:
    assert wagtail.brief().decision.kind is _D.ESCALATE
    never = wagtail.changed("stripe.refunds", status="failed").changed("stripe.charges", amount_refunded=0)
    unasked = never.changed("zendesk.tickets", description="How do we add a van?").without("zendesk.ticket_comments")
    decision = unasked.brief().decision
    assert (decision.kind, decision.amount_minor) == (_D.FIGHT, 10000)


def test_what_went_back_is_named_and_nothing_more_is_paid(wagtail: Dossier) -> None:
    draft = wagtail.draft()
    assert draft.brief is not None
    assert "money was returned already: 20.00 USD" in " ".join(finding.text for finding in draft.brief.findings)
    assert not {_A.STRIPE_REFUND, _A.STRIPE_BALANCE_CREDIT} & {action.kind for action in draft.actions}
