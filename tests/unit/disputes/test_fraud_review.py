"""A failed payment that is looked at for fraud first: every sign of the page, or none of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from shared.case.actions import ActionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_failed_invoices import doing
from tests.unit.disputes.test_overdue_invoices import chose
from tests.unit.disputes.test_variants import escalates

PAGE, ACCOUNT, USE = "fraud-committee", "salesforce.accounts", "posthog.events"
UNKNOWN = "wants a review for fraud is not known"
FOLLOWED_UP = {ActionKind.CUSTOMER_EMAIL, ActionKind.TICKET}


@pytest.fixture
def young(investigated: Callable[..., Dossier]) -> Dossier:
    """A large first payment of a company that is eleven weeks old."""
    return investigated("ribwort")


def day(dossier: Dossier, days: int) -> str:
    return (dossier.now - timedelta(days=days)).isoformat()


def worked(dossier: Dossier, times: int) -> Dossier:
    """With so many finished jobs of theirs."""
    for place in range(times):
        dossier = dossier.added(USE, f"ph_{place}", {"event": "job_completed", "timestamp": day(dossier, 3)})
    return dossier


def test_with_every_sign_people_look_first_and_nothing_else_is_done(young: Dossier) -> None:
    escalates(young, "every sign of", "78 days ago", "62 days", "0 critical actions", "nothing is tried again")
    draft = young.draft()
    assert draft.brief is not None
    (ticket,) = [action for action in draft.actions if action.kind is ActionKind.TICKET]
    assert ticket.target == "fraud-committee@arclume.example"
    assert {action.kind for action in draft.actions} == {ActionKind.TICKET, ActionKind.CRM_NOTE, ActionKind.SLACK_BRIEF}
    assert [option.id for option in draft.brief.ways_out] == ["cleared"]


def test_each_sign_that_is_not_there_ends_the_review(young: Dossier) -> None:
    small = young.changed("stripe.invoices", amount_due=2_500_000, amount_remaining=2_500_000)
    assert doing(small) == FOLLOWED_UP
    assert doing(young.changed("whois.domains", registered_at=day(young, 90))) == FOLLOWED_UP
    assert doing(young.changed(ACCOUNT, owner_started_at=day(young, 90))) == FOLLOWED_UP
    assert doing(worked(young, 10)) == FOLLOWED_UP
    assert doing(young.ruled(PAGE, risk_score_from=69)) == FOLLOWED_UP


def test_a_sign_that_the_page_does_not_name_is_not_asked_for(young: Dossier) -> None:
    signs = ("domain_younger_than_days", "owner_tenure_below_days", "critical_events", "critical_events_below")
    alone = worked(young, 30).changed("whois.domains", registered_at=None).ruled(PAGE, **dict.fromkeys(signs))
    escalates(alone, "every sign of")


def test_the_last_day_and_the_ninth_action_are_inside(young: Dossier) -> None:
    escalates(young.changed("whois.domains", registered_at=day(young, 89)), "every sign")
    escalates(young.changed(ACCOUNT, owner_started_at=day(young, 89)), "every sign")
    escalates(worked(young, 9), "9 critical actions")
    escalates(young.ruled(PAGE, risk_score_from=68), "Radar scored the payment 68")


@pytest.mark.parametrize(
    ("table", "fields", "what"),
    [
        ("whois.domains", {"registered_at": None}, "when their domain was registered"),
        (ACCOUNT, {"owner_started_at": None}, "since when the owner"),
        ("stripe.invoices", {"currency": "chf"}, "whether 50,000.00 CHF is due"),
    ],
)
def test_a_sign_that_nothing_tells_of_goes_to_a_person(
    young: Dossier, table: str, fields: dict[str, Cell], what: str
) -> None:
    escalates(young.changed(table, **fields), UNKNOWN, what)


def test_use_that_was_not_read_whole_and_a_missing_score_are_not_known(young: Dossier) -> None:
    gap = Gap(specialist="x", what=labels.USE_BY_EVENT, why="there is more")
    escalates(young.with_gaps(gap), UNKNOWN, "how much they used the product")
    assert doing(worked(young, 10).with_gaps(gap)) == FOLLOWED_UP
    escalates(young.without(USE), UNKNOWN)
    escalates(young.without(USE).absent(USE, labels.NO_USE), "0 critical actions")
    unscored = young.changed("stripe.charges", outcome__risk_score=None).ruled(PAGE, risk_score_from=60)
    escalates(unscored, UNKNOWN, "which risk score Radar gave")


def test_a_sign_that_is_known_to_be_missing_settles_it_whatever_else_is_unknown(young: Dossier) -> None:
    known = young.changed("whois.domains", registered_at=None).changed(ACCOUNT, owner_started_at=day(young, 900))
    assert doing(known) == FOLLOWED_UP


def test_once_people_have_cleared_it_the_invoice_is_followed_up(young: Dossier) -> None:
    assert doing(chose(young, "cleared")) == FOLLOWED_UP


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"critical_events": None}, "names critical events, or how many of them there should be, but not both"),
        ({"critical_events_below": 26}, "critical_events_below: 26"),
        ({"currency": "dollars"}, "currency: dollars"),
        ({"retry": "once"}, "retry: once"),
        ({"review_by": None}, "review_by: None"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_read_by_a_person(
    young: Dossier, parameters: dict[str, object], why: str
) -> None:
    escalates(young.ruled(PAGE, **parameters), why)
