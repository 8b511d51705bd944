"""Claims that a refund was owed: made, promised, asked for in time, or not owed at all."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_variants import escalates

ASK = "intercom.conversations"
REPLY = "intercom.conversation_parts"


@pytest.fixture
def made(investigated: Callable[..., Dossier]) -> Dossier:
    """A refund that was made, promised in writing before."""
    return investigated("heron")


def unmade(dossier: Dossier) -> Dossier:
    """The same without the refund, and with the plan going on."""
    dossier = dossier.changed("stripe.subscriptions", status="active", canceled_at=None, ended_at=None)
    gone = dossier.without("stripe.refunds").absent("stripe.refunds", labels.NO_REFUND)
    return gone.changed("stripe.charges", amount_refunded=0, refunded=False)


def replied(dossier: Dossier, text: str) -> Dossier:
    return unmade(dossier).changed(REPLY, body=text)


def asked(dossier: Dossier, text: str, at: str = "2026-04-17T15:40:00+00:00") -> Dossier:
    """With these words of the customer, and a reply that promises nothing."""
    return replied(dossier, "I have passed it on.").changed(ASK, source_body=text, created_at=at)


def test_a_refund_that_was_made_is_the_evidence(made: Dossier) -> None:
    draft = made.draft()
    assert draft.brief is not None
    assert (draft.brief.decision.kind, draft.brief.decision.amount_minor) == (DecisionKind.FIGHT, 64_000)
    submit = next(action for action in draft.actions if action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE)
    evidence = json.dumps(submit.payload["evidence"])
    assert made.only("stripe.refunds").record_id in evidence
    assert "74537606110010203344551" in evidence
    assert draft.facts["charge.refundable_now_minor"] == 0


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"status": "pending"}, "on its way and can still fail"),
        ({"amount": 63_999}, "only a part went back"),
        ({"currency": "eur"}, "only a part went back"),
    ],
)
def test_a_refund_that_is_not_whole_or_not_final_is_for_a_person(
    made: Dossier, fields: dict[str, Cell], why: str
) -> None:
    escalates(made.changed("stripe.refunds", **fields), why)


def test_a_refund_that_failed_leaves_the_promise_to_be_kept(made: Dossier) -> None:
    failed = made.changed("stripe.refunds", status="failed").changed("stripe.charges", amount_refunded=0)
    assert failed.brief().decision.kind is DecisionKind.ACCEPT


@pytest.mark.parametrize(
    ("promise", "kind"),
    [
        ("We will refund the whole payment.", DecisionKind.ACCEPT),
        ("We will refund the 640.00 to your card.", DecisionKind.ACCEPT),
        ("We will refund 640 to your card, five to ten business days.", DecisionKind.ACCEPT),
        ("We will refund 320.00 to your card.", DecisionKind.ESCALATE),
        ("We will refund something to your card.", DecisionKind.ESCALATE),
    ],
)
def test_a_promise_of_all_of_it_is_kept_and_any_other_is_for_a_person(
    made: Dossier, promise: str, kind: DecisionKind
) -> None:
    decision = replied(made, promise).brief().decision
    assert decision.kind is kind
    assert decision.amount_minor == (64_000 if kind is DecisionKind.ACCEPT else None)


@pytest.mark.parametrize(
    ("words", "at", "kind"),
    [
        ("Could you refund this year please?", "2026-05-01T22:59:59+00:00", DecisionKind.ACCEPT),
        ("Could you refund this year please?", "2026-05-01T23:00:00+00:00", DecisionKind.FIGHT),
        ("How long do refunds take?", "2026-04-17T15:40:00+00:00", DecisionKind.ESCALATE),
        ("Where do I change our opening hours?", "2026-04-17T15:40:00+00:00", DecisionKind.FIGHT),
    ],
)
def test_what_the_policy_gives_back_is_owed_when_asked_for_in_time(
    made: Dossier, words: str, at: str, kind: DecisionKind
) -> None:
    assert asked(made, words, at).brief().decision.kind is kind


def test_a_refund_that_is_not_owed_is_refused_with_the_policy(made: Dossier) -> None:
    late = asked(made, "Please refund us.", "2026-05-02T10:00:00+00:00")
    submit = next(action for action in late.draft().actions if action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE)
    evidence = submit.payload["evidence"]
    assert isinstance(evidence, dict)
    assert "until 1 May 2026" in str(evidence["refund_refusal_explanation"])
    assert "30 days after the charge" in str(evidence["refund_policy_disclosure"])


def test_without_a_policy_nobody_says_that_none_is_owed(made: Dossier) -> None:
    silent = asked(made, "Where do I change our opening hours?").without("policies.documents")
    escalates(silent.absent("policies.documents", labels.NO_POLICY), "no current policy says whether one is owed")


def test_a_channel_that_was_not_read_or_a_cancellation_is_for_a_person(made: Dossier) -> None:
    quiet = asked(made, "Where do I change our opening hours?")
    unread = Gap(specialist="customer_context", what=labels.TICKETS, why="down")
    escalates(quiet.with_gaps(unread), "was not read whole: support tickets")
    escalates(asked(made, "Please cancel our subscription."), "asked to cancel")
    ended = quiet.changed("stripe.subscriptions", status="canceled", canceled_at=1_776_676_320)
    escalates(ended, "asked to cancel")


def test_a_plan_that_has_ended_does_not_take_away_what_is_owed(made: Dossier) -> None:
    owed = asked(made, "Please refund us.").changed(
        "stripe.subscriptions", status="canceled", canceled_at=1_776_676_320
    )
    assert owed.brief().decision.kind is DecisionKind.ACCEPT


def test_a_credit_in_another_form_is_for_a_person(made: Dossier) -> None:
    escalates(unmade(made).changed("stripe.customers", balance=-64_000), "they were given a credit")
