"""Failed invoices: who is told, what is tried again, and that nobody is ever switched off here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.case.actions import ActionDraft, ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.failed_invoices.declines import Family, lookup
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_variants import escalates

INVOICE, CHARGE, PAGE, CRM = "stripe.invoices", "stripe.charges", "dunning-2026", "hubspot.companies"


@pytest.fixture
def bounced(investigated: Callable[..., Dossier]) -> Dossier:
    """A large invoice of a strategic customer whose card has expired."""
    return investigated("goldenrod")


@pytest.fixture
def plain(bounced: Dossier) -> Dossier:
    """A small invoice of an ordinary customer, and no policy of the merchant."""
    small = bounced.changed(INVOICE, amount_due=4900, amount_remaining=4900).changed(CRM, strategic=False, arr="900")
    return small.without("policies.documents").absent("policies.documents", labels.NO_POLICY)


def declined(dossier: Dossier, code: str | None) -> Dossier:
    """With another reason of the decline."""
    return dossier.changed(CHARGE, failure_code=code, outcome__seller_message=None)


def planned(dossier: Dossier, days: int = 3) -> Dossier:
    """With another attempt planned at Stripe."""
    return dossier.changed(INVOICE, next_payment_attempt=int((dossier.now + timedelta(days=days)).timestamp()))


def policy(dossier: Dossier, **parameters: object) -> Dossier:
    """With other parameters of the merchant's rule; None takes one away."""
    return dossier.ruled(PAGE, **parameters)


def doing(dossier: Dossier) -> set[ActionKind]:
    """What is drafted beside telling the team."""
    draft = dossier.draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.RECOVER
    return {action.kind for action in draft.actions} - {ActionKind.CRM_NOTE, ActionKind.SLACK_BRIEF}


def one(dossier: Dossier, kind: ActionKind) -> ActionDraft:
    (found,) = [action for action in dossier.draft().actions if action.kind is kind]
    return found


MAIL, TICKET, RETRY = ActionKind.CUSTOMER_EMAIL, ActionKind.TICKET, ActionKind.STRIPE_RETRY_INVOICE


def test_an_expired_card_is_a_matter_for_the_customer_and_a_strategic_one_for_the_owner(bounced: Dossier) -> None:
    assert doing(bounced) == {MAIL, TICKET}
    email, ticket = one(bounced, MAIL), one(bounced, TICKET)
    assert email.target == "ap@goldenrod-health.example"
    assert "cannot be used any more" in str(email.payload["body_text"])
    assert "https://invoice.stripe.com/" in str(email.payload["body_text"])
    assert "suspen" not in str(email.payload).lower()
    assert (ticket.target, ticket.payload["assignee"]) == ("hedda.quist@ferncliff.example",) * 2
    told = "\n".join(finding.text for finding in bounced.brief().findings)
    assert "never, for a strategic customer" in told
    assert "dunning-2024" in told


@pytest.mark.parametrize(
    ("code", "scheduled", "does"),
    [
        ("insufficient_funds", False, {MAIL, RETRY}),
        ("insufficient_funds", True, {MAIL}),
        ("processing_error", False, {RETRY}),
        ("processing_error", True, set()),
        ("expired_card", False, {MAIL}),
        ("expired_card", True, {MAIL}),
        ("authentication_required", False, {MAIL}),
        ("do_not_honor", False, {MAIL}),
        ("brand_new_code", False, {MAIL}),
        (None, True, {MAIL}),
    ],
)
def test_the_reason_of_the_decline_says_what_can_help(
    plain: Dossier, code: str | None, scheduled: bool, does: set[ActionKind]
) -> None:
    found = declined(plain, code)
    assert doing(planned(found) if scheduled else found) == does


def test_a_suspicion_of_fraud_goes_to_a_person(plain: Dossier) -> None:
    escalates(declined(plain, "fraudulent"), "the bank suspects fraud")


def test_a_retry_puts_the_invoice_at_risk_and_names_it(plain: Dossier) -> None:
    retry = one(declined(plain, "insufficient_funds"), RETRY)
    assert (retry.target, retry.payload) == (plain.case.subject.id, {"invoice": plain.case.subject.id})
    assert (retry.at_risk_minor, retry.at_risk_currency, retry.amount_minor) == (4900, "usd", None)


def test_the_code_is_read_from_wherever_it_stands(plain: Dossier) -> None:
    by_words = declined(plain, "card_declined").changed(
        CHARGE, outcome__seller_message="The bank returned the decline code `insufficient_funds`."
    )
    assert RETRY in doing(by_words)
    by_intent = declined(plain, None).changed("stripe.payment_intents", last_payment_error__decline_code="do_not_honor")
    assert "without saying why (do_not_honor)" in by_intent.brief().decision.rationale
    assert "without saying why (card_declined)" in declined(plain, "card_declined").brief().decision.rationale
    uncharged = plain.without(CHARGE)
    assert "no reason is known" in uncharged.brief().decision.rationale
    assert uncharged.brief().decision.confidence_pct == 72


def test_every_attempt_has_a_message_of_its_own_and_only_one(plain: Dossier) -> None:
    first, second = one(plain, MAIL), one(plain.with_facts({"invoice.attempt_count": 2}), MAIL)
    assert (first.purpose, second.purpose) == ("ask_for_payment_1", "ask_for_payment_2")
    assert one(plain.changed(INVOICE, attempt_count=3), MAIL).purpose == "ask_for_payment_3"


@pytest.mark.parametrize(
    ("fields", "crm", "told"),
    [
        ({}, {}, False),
        ({}, {"strategic": True}, True),
        ({"amount_due": 499_999, "amount_remaining": 499_999}, {}, False),
        ({"amount_due": 500_000, "amount_remaining": 500_000}, {}, True),
        ({}, {"arr": "49999"}, False),
        ({}, {"arr": "50000"}, True),
        ({"amount_due": 500_000, "amount_remaining": 100}, {}, False),
        ({"currency": "chf"}, {}, True),
    ],
)
def test_the_owner_is_told_when_much_is_at_stake(
    plain: Dossier, fields: dict[str, Cell], crm: dict[str, Cell], told: bool
) -> None:
    assert (TICKET in doing(plain.changed(INVOICE, **fields).changed(CRM, **crm))) is told


@pytest.mark.parametrize(("days", "told"), [(29, False), (30, True)])
@pytest.mark.parametrize("column", ["due_date", "status_transitions__finalized_at", "created"])
def test_the_owner_is_told_from_day_thirty_on(plain: Dossier, column: str, days: int, told: bool) -> None:
    blank: dict[str, Cell] = {"due_date": None, "status_transitions__finalized_at": None, "created": None}
    since = int((plain.now - timedelta(days=days, hours=1)).timestamp())
    assert (TICKET in doing(plain.changed(INVOICE, **{**blank, column: since}))) is told


def test_an_invoice_without_any_date_is_not_overdue(plain: Dossier) -> None:
    blank: dict[str, Cell] = {"due_date": None, "status_transitions__finalized_at": None, "created": None}
    assert TICKET not in doing(plain.changed(INVOICE, **blank))


def test_without_an_owner_the_ticket_is_for_whoever_reads_it(bounced: Dossier) -> None:
    ticket = one(bounced.changed(CRM, owner_name=None, owner_email=None), TICKET)
    assert ticket.target == bounced.case.subject.id
    assert "nobody (the CRM names no owner)" in str(ticket.payload["body"])


def test_the_merchants_page_says_whom_to_tell_and_what_to_try(bounced: Dossier) -> None:
    small = bounced.changed(INVOICE, amount_due=4900, amount_remaining=4900).changed(CRM, strategic=False)
    assert doing(declined(small, "insufficient_funds")) == {RETRY}
    assert doing(declined(bounced, "insufficient_funds")) == {MAIL, TICKET}
    assert doing(planned(declined(bounced, "insufficient_funds"))) == {TICKET}
    assert doing(declined(small, "do_not_honor")) == {MAIL}
    assert doing(policy(declined(small, "insufficient_funds"), automatic_retries_below_minor=None)) == {RETRY}
    assert doing(policy(small, contact_on=[])) == {MAIL}
    assert doing(policy(declined(small, "processing_error"), retry_on=["insufficient_funds"])) == {RETRY}
    later = "\n".join(found.text for found in small.brief().findings)
    assert "not before day 30" in later
    silent = policy(small, suspend_after_days=None)
    assert all("suspending" not in found.text for found in silent.brief().findings)


def test_amounts_of_the_page_are_compared_at_the_rate_of_the_org(bounced: Dossier) -> None:
    foreign = bounced.changed(INVOICE, amount_due=900_000, amount_remaining=900_000, currency="eur").changed(
        CRM, strategic=False
    )
    assert doing(declined(foreign, "insufficient_funds")) == {RETRY}
    dearer = foreign.changed(INVOICE, amount_remaining=901_000)
    assert doing(declined(dearer, "insufficient_funds")) == {MAIL, TICKET}


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"suspended_by": "robot"}, "suspended_by: robot"),
        ({"never_suspend": ["everybody"]}, "never_suspend"),
        ({"contact_on": "all"}, "contact_on: all"),
        ({"retry_on": None}, "retry_on: None"),
        ({"currency": None}, "amounts without their currency"),
        ({"penalty": 5}, "parameters we do not know: penalty"),
    ],
)
def test_a_rule_that_cannot_be_followed_is_read_by_a_person(
    bounced: Dossier, parameters: dict[str, object], why: str
) -> None:
    escalates(policy(bounced, **parameters), why)


def test_pages_that_disagree_or_were_not_read_go_to_a_person(bounced: Dossier) -> None:
    escalates(bounced.policy("other", None, applies_to="dunning"), "two current policies disagree")
    escalates(bounced.without("policies.documents"), "policies could not be read")


def test_a_page_of_another_kind_or_of_prose_is_read_by_a_person(plain: Dossier) -> None:
    escalates(plain.policy("odd", {"kind": "odd"}, applies_to="dunning"), "its rule is of the kind odd")
    escalates(plain.policy("prose", None, applies_to="dunning"), "it has no machine-readable rule")


@pytest.mark.parametrize(
    "fields", [{"status": "paid"}, {"status": "void"}, {"status": "uncollectible"}, {"amount_remaining": 0}]
)
def test_what_is_settled_by_now_is_recorded(bounced: Dossier, fields: dict[str, Cell]) -> None:
    draft = bounced.changed(INVOICE, **fields).draft()
    assert draft.brief is not None
    assert draft.brief.decision.kind is DecisionKind.RECORD
    assert {action.kind for action in draft.actions} == {ActionKind.CRM_NOTE, ActionKind.SLACK_BRIEF}


def test_what_cannot_be_read_goes_to_a_person(bounced: Dossier) -> None:
    escalates(bounced.without(INVOICE), "the invoice itself could not be read")
    escalates(bounced.changed(INVOICE, amount_due=None), "no amount and currency")


def test_without_an_address_there_is_a_gap_instead_of_a_mail(plain: Dossier) -> None:
    nameless = plain.changed("stripe.customers", email=None).without("hubspot.contacts")
    assert one(nameless, MAIL).target == "ap@goldenrod-health.example"
    mute = nameless.changed(INVOICE, customer_email=None)
    assert doing(mute) == set()
    assert any(gap.what == "a message to the customer" for gap in mute.brief().gaps)
    unknown = plain.without("stripe.customers", CRM).changed(INVOICE, hosted_invoice_url=None, number=None)
    assert "the customer: 49.00 USD" in unknown.brief().tldr
    assert "here:" not in str(one(unknown, MAIL).payload)


def test_a_planned_attempt_is_told_and_awaited_for_three_days_more(plain: Dossier) -> None:
    waiting = planned(declined(plain, "insufficient_funds"))
    assert "We will try again on 8 October 2026" in str(one(waiting, MAIL).payload["body_text"])
    draft = waiting.draft()
    known = waiting.with_facts(draft.facts).case.model_copy(update={"brief": draft.brief})
    awaited = PLAYBOOK.awaits(known)
    assert awaited is not None
    assert awaited == ("the next attempt to collect the invoice", plain.now + timedelta(days=6))
    assert PLAYBOOK.outcome_of(known) == "followed_up"
    late = known.model_copy(update={"updated_at": plain.now + timedelta(days=7)})
    assert PLAYBOOK.awaits(late) is None
    assert PLAYBOOK.awaits(waiting.with_facts(draft.facts).case) is None
    assert PLAYBOOK.awaits(plain.case.model_copy(update={"brief": plain.brief()})) is None


def test_an_attempt_of_the_past_or_of_an_event_is_read_right(plain: Dossier) -> None:
    assert "invoice.next_payment_attempt" not in planned(plain, days=-1).draft().facts
    told = plain.with_facts({"invoice.next_payment_attempt": int((plain.now + timedelta(days=1)).timestamp())})
    assert "Stripe tries again" in "\n".join(found.text for found in told.brief().findings)
    assert told.draft().facts["invoice.next_payment_attempt"] == told.case.facts["invoice.next_payment_attempt"]


def test_gaps_make_us_less_sure(plain: Dossier) -> None:
    gap = Gap(specialist="x", what="the CRM account", why="down")
    assert plain.with_gaps(gap).brief().decision.confidence_pct == plain.brief().decision.confidence_pct - 4


def test_every_known_code_belongs_to_one_family() -> None:
    assert lookup(" Expired_Card ").family is Family.CARD
    assert lookup("insufficient_funds").retry
    assert not lookup("lost_card").retry
    assert lookup(None) == lookup("")
    assert lookup("x").family is Family.UNKNOWN


def test_the_clock_of_the_case_decides_what_is_overdue(plain: Dossier) -> None:
    later = replace(plain, now=datetime(2027, 1, 1, tzinfo=UTC))
    assert TICKET in doing(later)
