"""Words that look like a promise, a request or a complaint and are none, and those that are one in other words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from shared.case.brief import DecisionKind
from shared.case.evidence import Cell
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_credit_not_processed import asked, replied
from tests.unit.disputes.test_variants import quiet

Look = Callable[..., Dossier]


def person(dossier: Dossier) -> None:
    """A person decides."""
    decision = dossier.brief().decision
    assert decision.kind is DecisionKind.ESCALATE, f"{decision.kind} {decision.amount_minor}: {decision.rationale}"


def paid(dossier: Dossier) -> datetime:
    return datetime.fromtimestamp(int(str(dossier.only("stripe.charges").fields["created"])), UTC)


def chat(dossier: Dossier, body: str, at: datetime | str) -> Dossier:
    """With a chat by somebody at the customer's domain."""
    domain = str(dossier.only("stripe.customers").fields["email"]).partition("@")[2]
    when = at if isinstance(at, str) else at.isoformat()
    fields: dict[str, Cell] = {
        "source_author_email": f"someone@{domain}",
        "source_body": body,
        "created_at": when,
    }
    return dossier.added("intercom.conversations", "cv_x", fields, untrusted=True)


@pytest.mark.parametrize(
    "said",
    [
        "We will refuse a full refund.",
        "We will decline the full refund.",
        "We will neither refund the full amount nor part of it.",
        "We will review your request for a full refund.",
        "I will look into a full refund for you.",
        "I am going to need approval from finance for a full refund.",
        "We will issue a full refund subject to approval by finance.",
        "We will issue a full refund provided that you return the hardware.",
        "We will issue a full refund as soon as legal signs off.",
        "The customer says: we will issue a full refund. That is wrong.",
        "See below.\n-----Original Message-----\nFrom: them\nYou told me that we will get a full refund.",
    ],
)
def test_a_chargeback_is_not_given_up_on_a_refusal_a_condition_or_a_quotation(investigated: Look, said: str) -> None:
    person(replied(investigated("heron"), said))


@pytest.mark.parametrize(
    "said",
    [
        "We will refund half of the 640.00 you paid.",
        "We will refund 50% of your 640.00.",
        "We will refund 640.00 EUR.",
        "We will refund £640.00.",
        "We will refund the full amount of your duplicate invoice INV-A.",
        "We will credit 640.00 to your next invoice.",
    ],
)
def test_a_promise_of_a_part_of_another_currency_or_of_another_invoice_is_no_promise_of_all(
    investigated: Look, said: str
) -> None:
    person(replied(investigated("heron"), said))


def test_a_promise_that_a_colleague_took_back_is_not_kept_without_a_person(investigated: Look) -> None:
    promised = replied(investigated("heron"), "We will issue a full refund.")
    back: dict[str, Cell] = {
        "ticket_id": "1",
        "author_email": "boss@ours.example",
        "author_role": "agent",
        "body": "Correction: my colleague was mistaken. There will be no refund.",
        "created_at": "2026-04-20T12:00:00+00:00",
    }
    person(promised.added("zendesk.ticket_comments", "zc_back", back))


SEATS = "14846369761"
"""The mail of the shipped world in which the owner of the account promises seats."""


@pytest.mark.parametrize(
    "body",
    [
        "I never told anybody that 220 seats are included.",
        "To be clear: 220 seats are not included at no extra cost.",
        "There is no way that 220 seats are covered.",
        "They believe that 220 seats are included.",
        "Until June 220 seats are included at no extra cost, from July on you pay for them.",
        "220 seats: we will not bill the onboarding fee.",
        "<blockquote>220 seats are included at no extra cost</blockquote> No, they are not.",
    ],
)
def test_staff_who_deny_seats_do_not_promise_them(investigated: Look, body: str) -> None:
    person(investigated("linnet").changed("hubspot.emails", SEATS, body=body))


@pytest.mark.parametrize(
    "head",
    [
        "-----Original Message-----\nFrom: ops@globexsoftware.example\nSent: Monday\n\n",
        "Fwd:\nFrom: ops@globexsoftware.example\nDate: Sun, 01 Mar 2026 10:00:00 +0000\nSubject: seats\n\n",
    ],
)
def test_a_customer_does_not_promise_themselves_seats_in_a_mail_that_staff_pass_on(
    investigated: Look, head: str
) -> None:
    body = f"FYI, look what they want.\n\n{head}As you said, up to 220 seats are included at no extra cost."
    person(investigated("linnet").changed("hubspot.emails", SEATS, body=body))


def test_seats_that_were_promised_and_taken_back_before_they_were_billed_are_for_a_person(
    investigated: Look,
) -> None:
    linnet = investigated("linnet")
    first = next(item.row for item in linnet.evidence if item.row.record_id == SEATS)
    back = "Correction: my last mail was wrong, seats above your contract are billed as usual."
    person(
        linnet.added("hubspot.emails", "e_w", {**first.fields, "body": back, "sent_at": "2026-03-20T08:00:00+00:00"})
    )


@pytest.mark.parametrize(
    "body",
    [
        "I refused: the trial will not be extended until 31 December 2026.",
        "No extension of the trial until 31 December 2026.",
        "It is not true that the trial runs until 31 December 2026.",
        "Customer claims the trial was extended until 31 December 2026.",
        "They say that the trial runs until 31 December 2026.",
    ],
)
def test_a_trial_that_staff_refused_to_extend_is_not_paid_back(investigated: Look, body: str) -> None:
    decision = investigated("yarrow").changed("hubspot.notes", "13475114835", body=body).brief().decision
    assert decision.kind is not DecisionKind.REFUND, decision.rationale


@pytest.mark.parametrize(
    "body",
    [
        "Please cancel our subscription before we are billed again.",
        "Please cancel our subscription, whether or not the price is lowered.",
        "Please deactivate our account at the end of the month.",
        "Please turn off auto-renewal for our account.",
        "This is our 30 days' notice. We are leaving.",
        "Please can\u200bcel our subscription.",
        "Please can\u00adcel our subscription.",
        "Please ｃａｎｃｅｌ our subscription.",
        "Hiermit kündigen wir unser Abo zum Monatsende.",
        "Quiero dar de baja mi suscripción.",
    ],
)
def test_the_bank_is_not_told_that_nobody_asked_to_cancel_when_somebody_did(investigated: Look, body: str) -> None:
    lindera = investigated("lindera")
    decision = chat(lindera, body, paid(lindera) - timedelta(days=10)).brief().decision
    assert decision.kind is not DecisionKind.FIGHT, decision.rationale


@pytest.mark.parametrize("cut", [19, 10])
def test_a_cancellation_whose_date_cannot_be_read_is_not_no_cancellation(investigated: Look, cut: int) -> None:
    lindera = investigated("lindera")
    at = (paid(lindera) - timedelta(days=10)).isoformat()[:cut]
    person(chat(lindera, "Please cancel our subscription.", at))


@pytest.mark.parametrize(
    "body",
    [
        "Please cancel our subscription effective 31 December 2030.",
        "Please cancel our subscription to the Slack add-on only, keep the main plan.",
    ],
)
def test_a_cancellation_for_later_or_of_something_else_does_not_give_the_charge_up(
    investigated: Look, body: str
) -> None:
    lindera = investigated("lindera")
    decision = chat(lindera, body, paid(lindera) - timedelta(days=10)).brief().decision
    assert decision.kind is not DecisionKind.ACCEPT, decision.rationale


def test_a_cancellation_that_they_took_back_does_not_give_the_charge_up(investigated: Look) -> None:
    lindera = investigated("lindera")
    asked_ = chat(lindera, "Please cancel our subscription.", paid(lindera) - timedelta(days=10))
    back: dict[str, Cell] = {
        "author_email": "someone@acme-genomics.example",
        "body": "Sorry, ignore my last message, it was meant for another vendor. Please keep our subscription running.",
        "created_at": (paid(lindera) - timedelta(days=9)).isoformat(),
    }
    decision = asked_.added("intercom.conversation_parts", "cp_x", back, untrusted=True).brief().decision
    assert decision.kind is not DecisionKind.ACCEPT, decision.rationale


def test_a_mail_that_appears_after_the_charge_with_an_earlier_date_typed_into_it_is_for_a_person(
    investigated: Look,
) -> None:
    lindera = investigated("lindera")
    body = (
        "They sent us this today.\nFrom: Boss <boss@acme-genomics.example>\n"
        f"Date: {(paid(lindera) - timedelta(days=12)).isoformat()}\n\nPlease cancel our subscription."
    )
    at = (paid(lindera) + timedelta(days=3)).isoformat()
    person(lindera.added("hubspot.notes", "n_x", {"author_email": "rep@ours.example", "body": body, "created_at": at}))


def test_a_cancellation_in_a_mail_that_staff_pass_on_by_email_is_seen(investigated: Look) -> None:
    lindera = investigated("lindera")
    at = paid(lindera) - timedelta(days=10)
    fields: dict[str, Cell] = {
        "from_email": "rep@ours.example",
        "subject": "Fwd: cancellation",
        "body": f"From: Boss <boss@acme-genomics.example>\nDate: {at.isoformat()}\n\nPlease cancel our subscription.",
        "sent_at": at.isoformat(),
    }
    decision = lindera.added("hubspot.emails", "e_x", fields).brief().decision
    assert decision.kind is not DecisionKind.FIGHT, decision.rationale


@pytest.mark.parametrize(
    "body",
    [
        "Custom Reports are blank since Monday, all our numbers are missing.",
        "There is a bug, the reports give wrong numbers.",
        "We have a serious problem with Custom Reports. Nobody can see them.",
        "We never get anything but errors from Custom Reports.",
        "If this outage goes on we will leave.",
        "Custom Reports is d\u200bown since Monday.",
        "Die Berichte laden seit Montag nicht mehr, bitte dringend helfen.",
        "レポートが表示されません。",
    ],
)
def test_nobody_complained_is_not_said_when_somebody_did(dossier: Dossier, body: str) -> None:
    person(chat(quiet(dossier), body, "2026-04-20T09:00:00+00:00"))


@pytest.mark.parametrize("body", ["Please reverse this charge and return what we paid.", "Bitte erstatten Sie uns."])
def test_they_never_asked_for_a_refund_is_not_said_when_they_did_in_time(investigated: Look, body: str) -> None:
    decision = asked(investigated("heron"), body).brief().decision
    assert decision.kind is not DecisionKind.FIGHT, decision.rationale


def test_complaints_about_the_bill_that_are_not_understood_do_not_mean_that_nobody_complained(
    investigated: Look,
) -> None:
    ochre = investigated("ochre")
    decision = chat(ochre, "Why are we paying for 25? We are 15.", ochre.now - timedelta(days=5)).brief().decision
    assert decision.kind is not DecisionKind.FIGHT, decision.rationale


@pytest.mark.parametrize(
    "text",
    [
        "We were not charged twice this month, thanks! Can you resend the receipt?",
        "Thank you for the refund of the duplicate charge last week.",
    ],
)
def test_who_says_that_nothing_was_charged_twice_asks_for_no_money(investigated: Look, text: str) -> None:
    person(investigated("wren").changed("manthan.requests", text=text))
