"""Overdue invoices: who may be switched off is for people, what spares a customer, and what becomes of their choice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.case import Answer, Question, QuestionKind, Round
from shared.case.evidence import Cell
from shared.team import language
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_failed_invoices import doing, one
from tests.unit.disputes.test_variants import escalates

INVOICE, CRM, USE, SLACK = "stripe.invoices", "hubspot.companies", "posthog.events", "slack.messages"
MAIL, TICKET = ActionKind.CUSTOMER_EMAIL, ActionKind.TICKET
DIRECTOR = "june.arden@petrelcloud.example"


@pytest.fixture
def late(investigated: Callable[..., Dossier]) -> Dossier:
    """Forty-seven days overdue, nobody spares them."""
    return investigated("marigold")


@pytest.fixture
def critical(investigated: Callable[..., Dossier]) -> Dossier:
    """Thirty-one days overdue, and others depend on what the customer runs."""
    return investigated("gentian")


def written(dossier: Dossier, author: str, text: str) -> Dossier:
    """With one more message of a colleague."""
    return dossier.added(SLACK, "M_more", {"channel": "#x", "user_email": author, "text": text, "ts": "2026-06-15"})


def chose(dossier: Dossier, option: str) -> Dossier:
    """As a person has just chosen a way out."""
    at = dossier.now
    rounds = tuple(
        Round(number=number, assignments=(), planned_at=at - timedelta(hours=hours), joined=True)
        for number, hours in ((1, 3), (2, 1))
    )
    answer = Answer(option=option, note="", by=DIRECTOR, at=at - timedelta(hours=1))
    asked = Question(
        id="q1", kind=QuestionKind.MANUAL_REVIEW, text="?", options=(), asked_at=at - timedelta(hours=2), answer=answer
    )
    return dossier.with_facts({}, rounds=rounds, questions=(asked,))


def test_past_the_day_of_the_page_a_person_decides_between_ways_out_that_are_named(late: Dossier) -> None:
    escalates(late, "47 days overdue", "from day 30 on people may switch them off", "which decides nothing")
    draft = late.draft()
    assert draft.brief is not None
    assert [option.id for option in draft.brief.ways_out] == ["keep_on", "payment_plan", "switch_off"]
    assert {action.kind for action in draft.actions} == {ActionKind.CRM_NOTE, ActionKind.SLACK_BRIEF}


def test_a_day_earlier_it_is_followed_up_as_usual(late: Dossier) -> None:
    due = int((late.now - timedelta(days=29, hours=5)).timestamp())
    assert doing(late.changed(INVOICE, due_date=due)) == {MAIL, TICKET}
    on_the_day = int((late.now - timedelta(days=30)).timestamp())
    escalates(late.changed(INVOICE, due_date=on_the_day), "30 days overdue")


def test_a_flag_or_the_written_word_of_who_may_say_so_spares_them(late: Dossier) -> None:
    assert doing(late.changed(CRM, strategic=True)) == {MAIL, TICKET}
    spared = written(late, DIRECTOR, "Helix Bio: do not suspend, I take it on me until July.")
    assert doing(spared) == {MAIL, TICKET}
    assert f"{DIRECTOR} has decided in writing" in spared.brief().decision.rationale


@pytest.mark.parametrize(
    ("author", "text"),
    [
        ("theo.lasker@petrelcloud.example", "Helix Bio: do not suspend."),
        (DIRECTOR, "Helix Bio: should we hold suspension?"),
        (DIRECTOR, "Please do not suspend Helix Bio before I have read it."),
        (DIRECTOR, "No suspension if the money is there by noon."),
        (DIRECTOR, "Helix Bio is on my list."),
    ],
)
def test_a_plea_a_question_or_a_condition_spares_nobody(late: Dossier, author: str, text: str) -> None:
    escalates(written(late, author, text), "no written word of those who may say so")


def test_the_older_page_that_said_day_21_is_named_and_not_applied(late: Dossier) -> None:
    due = int((late.now - timedelta(days=25)).timestamp())
    early = late.changed(INVOICE, due_date=due)
    assert doing(early) == {MAIL, TICKET}
    told = "\n".join(finding.text for finding in early.brief().findings)
    assert "read, but not applied" in told
    assert "collections-runbook-2023" in told
    both = late.changed("policies.documents", "collections-runbook-2023", status="current")
    escalates(both, "two current policies disagree")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("keep_on", "do not switch them off"),
        ("payment_plan", "offer a payment plan"),
        ("switch_off", "let the owner switch"),
    ],
)
def test_what_a_person_chose_is_told_to_the_owner_and_nobody_is_switched_off_here(
    late: Dossier, option: str, words: str
) -> None:
    decided = chose(late, option)
    assert doing(decided) == {MAIL, TICKET}
    assert f"{DIRECTOR} decided: {words}" in str(one(decided, TICKET).payload["body"])
    assert "Nothing is switched off by us" in str(one(decided, TICKET).payload["body"])


def test_a_choice_holds_for_its_round_alone(late: Dossier) -> None:
    old = chose(late, "keep_on")
    third = Round(number=3, assignments=(), planned_at=late.now, joined=True)
    later = old.with_facts({}, rounds=(*old.case.rounds, third))
    escalates(later, "whether they are switched off is for people to decide")
    escalates(chose(late, "reinvestigate"), "whether they are switched off is for people to decide")


def test_who_others_depend_on_stays_on_whatever_the_day(critical: Dossier) -> None:
    assert doing(critical) == {MAIL, TICKET}
    body = str(one(critical, TICKET).payload["body"])
    assert "depends on hl7-gateway, last used on 17 August 2026" in body
    assert "Maura Quell" in body


@pytest.mark.parametrize(
    "fields",
    [
        {"properties": '{"service": "reports"}'},
        {"timestamp": "2026-08-09T07:29:59Z"},
        {"timestamp": None},
        {"properties": "none"},
    ],
)
def test_without_use_of_that_service_lately_a_person_decides(critical: Dossier, fields: dict[str, Cell]) -> None:
    escalates(critical.changed(USE, **fields), "31 days overdue")


def test_the_seventh_day_of_use_is_inside(critical: Dossier) -> None:
    assert doing(critical.changed(USE, timestamp="2026-08-10T07:30:00Z")) == {MAIL, TICKET}


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"critical_services": None}, "spares critical integrations, or names their services, but not both"),
        ({"never_suspend": ["strategic"]}, "spares critical integrations, or names their services, but not both"),
        ({"critical_used_within_days": 91}, "critical_used_within_days: 91"),
        ({"overridden_by": ["somebody"]}, "overridden_by"),
        ({"usual_day_payments": 1}, "usual_day_payments: 1"),
    ],
)
def test_a_rule_that_is_not_whole_is_read_by_a_person(
    critical: Dossier, parameters: dict[str, object], why: str
) -> None:
    escalates(critical.ruled("overdue-invoices", **parameters), why)


def test_an_invoice_that_was_sent_is_asked_for_in_other_words_than_a_card_that_failed(critical: Dossier) -> None:
    email = one(critical, MAIL)
    assert "we have not received the payment of 9,000.00 USD" in str(email.payload["body_text"])
    assert "card" not in str(email.payload["body_text"])
    assert critical.brief().decision.kind is DecisionKind.RECOVER


@pytest.mark.parametrize(
    "text", ["Do not suspend them.", "keep the account on", "hold off on suspending", "No suspension."]
)
def test_words_that_keep_somebody_on(text: str) -> None:
    assert language.holds_suspension(text)
    assert language.forbids_suspension(text)


@pytest.mark.parametrize(
    "text", ["Suspend them on Friday.", "we keep the list", "the pool is suspended from the ceiling"]
)
def test_words_that_do_not(text: str) -> None:
    assert not language.holds_suspension(text)
