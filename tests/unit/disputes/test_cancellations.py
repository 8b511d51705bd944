"""Claims that a subscription was cancelled: given up where it was, contested where nobody asked and they used it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.case.actions import Action, ActionDraft, ActionKind, Json
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, EvidenceKind, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.run import PLAYBOOK
from tests.unit.disputes.test_variants import escalates

CHAT, NOTES, SLACK = "intercom.conversations", "hubspot.notes", "slack.messages"
POLICIES, EVENTS, SUBSCRIPTIONS = "policies.documents", "posthog.events", "stripe.subscriptions"
ASKED = "Hello, please cancel our subscription. We do not need it any more."


@pytest.fixture
def single(investigated: Callable[..., Dossier]) -> Dossier:
    """One dispute, nobody asked, a chat that only speaks of it."""
    return investigated("lindera")


@pytest.fixture
def third(investigated: Callable[..., Dossier]) -> Dossier:
    """The third dispute of a customer who won two."""
    return investigated("kestrel")


@pytest.fixture
def parked(investigated: Callable[..., Dossier]) -> Dossier:
    """A cancellation in a mail that a colleague keeps in a note."""
    return investigated("osprey")


@pytest.fixture
def yearly(investigated: Callable[..., Dossier]) -> Dossier:
    """A yearly plan with accepted terms and an opened notice."""
    return investigated("rowan")


def paid_at(dossier: Dossier) -> datetime:
    charge = str(dossier.case.facts["charge.id"])
    created = next(item.row.fields["created"] for item in dossier.evidence if item.row.record_id == charge)
    return datetime.fromtimestamp(int(str(created)), UTC)


def their_address(dossier: Dossier) -> str:
    return str(dossier.only("hubspot.contacts").fields["email"])


def asked(dossier: Dossier, at: datetime, words: str = ASKED) -> Dossier:
    """With a chat in which they ask to cancel."""
    told: dict[str, Cell] = {
        "source_body": words,
        "source_author_email": their_address(dossier),
        "created_at": at.isoformat(),
    }
    return dossier.added(CHAT, "conv_new", told, untrusted=True)


def kind_of(dossier: Dossier) -> DecisionKind:
    return dossier.brief().decision.kind


def by_kind(dossier: Dossier) -> dict[ActionKind, ActionDraft]:
    return {action.kind: action for action in dossier.draft().actions}


def packet(dossier: Dossier) -> dict[str, Json]:
    evidence = by_kind(dossier)[ActionKind.STRIPE_STAGE_EVIDENCE].payload["evidence"]
    assert isinstance(evidence, dict)
    return evidence


def told(dossier: Dossier) -> str:
    return "\n".join(finding.text for finding in dossier.brief().findings)


def rule(dossier: Dossier, page: str, **parameters: object) -> Dossier:
    """With other parameters of a page's rule."""
    row = next(item.row for item in dossier.evidence if item.row.record_id == page)
    return dossier.changed(POLICIES, page, rule=json.dumps({**json.loads(str(row.fields["rule"])), **parameters}))


# Nobody asked


def test_a_word_about_cancelling_is_no_request_and_is_told(single: Dossier) -> None:
    decision = single.brief().decision
    assert (decision.kind, decision.amount_minor) == (DecisionKind.FIGHT, 420_000)
    assert decision.confidence_pct >= 80
    assert "they wrote about cancelling and did not ask for it" in told(single)
    assert "speaks of it and does not ask for it" in str(packet(single)["cancellation_rebuttal"])


def test_a_request_before_the_charge_is_given_up(single: Dossier) -> None:
    found = asked(single, paid_at(single) - timedelta(days=3))
    assert kind_of(found) is DecisionKind.ACCEPT
    close = by_kind(found)[ActionKind.STRIPE_CLOSE_DISPUTE]
    assert (close.target, close.at_risk_minor) == (found.case.subject.id, 420_000)
    assert not {ActionKind.STRIPE_REFUND, ActionKind.STRIPE_SUBMIT_EVIDENCE} & set(by_kind(found))
    assert "in chat on 2026-05-30 07:00 UTC (3 days before the payment)" in told(found)


@pytest.mark.parametrize(
    ("days", "hours", "kind"),
    [
        (0, 0, DecisionKind.ACCEPT),
        (59, 0, DecisionKind.ACCEPT),
        (60, 0, DecisionKind.ACCEPT),
        (60, 6, DecisionKind.ACCEPT),
        (61, 0, DecisionKind.ESCALATE),
        (100, 0, DecisionKind.ESCALATE),
    ],
)
def test_the_sixtieth_day_before_the_charge_is_still_inside(
    single: Dossier, days: int, hours: int, kind: DecisionKind
) -> None:
    found = asked(single, paid_at(single) - timedelta(days=days, hours=hours))
    assert kind_of(found) is kind
    if kind is DecisionKind.ESCALATE:
        escalates(found, "longer ago than the 60 days that count")


@pytest.mark.parametrize(("zone", "kind"), [("UTC", DecisionKind.ACCEPT), ("Asia/Tokyo", DecisionKind.ESCALATE)])
def test_days_are_counted_on_the_calendar_of_the_merchant(single: Dossier, zone: str, kind: DecisionKind) -> None:
    """Paid on 2 June at 16:00 UTC, which is the 3rd in Tokyo; asked on 3 April there and here: 60 days, or 61."""
    late = datetime(2026, 6, 2, 16, 0, tzinfo=UTC)
    moved = single.changed("stripe.charges", str(single.case.facts["charge.id"]), created=int(late.timestamp()))
    here = replace(moved, org=moved.org.model_copy(update={"timezone": zone}))
    assert kind_of(asked(here, datetime(2026, 4, 3, 12, 0, tzinfo=UTC))) is kind


def test_a_request_after_the_charge_does_not_cover_it(single: Dossier) -> None:
    found = asked(single, paid_at(single) + timedelta(seconds=1))
    assert kind_of(found) is DecisionKind.FIGHT
    assert "came after this payment and does not concern it" in str(packet(found)["cancellation_rebuttal"])


@pytest.mark.parametrize(
    ("table", "fields"),
    [
        ("hubspot.emails", {"from_email": "WHO", "subject": "our plan", "body": ASKED, "sent_at": "AT"}),
        ("manthan.requests", {"sender": "WHO", "text": ASKED, "received_at": "AT"}),
        ("zendesk.tickets", {"requester_email": "WHO", "description": ASKED, "created_at": "AT"}),
        (NOTES, {"body": "FYI\nFrom: WHO\nSubject: x\n\n" + ASKED, "created_at": "AT"}),
        (SLACK, {"text": "On Tue, 5 May 2026 WHO wrote:\n> " + ASKED, "ts": "AT"}),
        (EVENTS, {"event": "cancellation_requested", "person_email": "WHO", "timestamp": "AT"}),
    ],
)
def test_a_request_counts_in_whatever_channel_it_sits(single: Dossier, table: str, fields: dict[str, str]) -> None:
    at = (paid_at(single) - timedelta(days=5)).isoformat()
    filled: dict[str, Cell] = {
        name: value.replace("WHO", their_address(single)).replace("AT", at) if value != ASKED else value
        for name, value in fields.items()
    }
    found = single.added(table, "new", filled)
    assert kind_of(found) is DecisionKind.ACCEPT
    others: dict[str, Cell] = {
        name: value.replace(their_address(single), "x@other.example") if isinstance(value, str) else value
        for name, value in filled.items()
    }
    assert kind_of(single.added(table, "new", others)) is not DecisionKind.ACCEPT


def test_what_a_colleague_says_that_they_said_is_read_by_a_person(single: Dossier) -> None:
    heard = "Nadia told me on the phone that they want to cancel."
    at = (paid_at(single) - timedelta(days=5)).isoformat()
    escalates(single.added(SLACK, "m", {"text": heard, "ts": at}), "has to be read by a person")


def test_a_subscription_that_the_customer_ended_at_stripe_was_cancelled(single: Dossier) -> None:
    before = int((paid_at(single) - timedelta(days=2)).timestamp())
    ended: dict[str, Cell] = {"canceled_at": before, "cancellation_details__reason": "cancellation_requested"}
    assert kind_of(single.changed(SUBSCRIPTIONS, **ended)) is DecisionKind.ACCEPT
    ours = {**ended, "cancellation_details__reason": "payment_failed", "status": "canceled", "ended_at": before}
    escalates(single.changed(SUBSCRIPTIONS, **ours), "a subscription that ran when the charge was made")
    escalates(single.changed(SUBSCRIPTIONS, cancel_at_period_end=True), "has to be read by a person")


@pytest.mark.parametrize(
    "label",
    [labels.CHATS, labels.TICKET_COMMENTS, labels.NOTES, labels.EMAILS, labels.COLLEAGUES, labels.CANCELLATIONS],
)
def test_a_channel_that_was_not_read_whole_proves_nothing(single: Dossier, label: str) -> None:
    escalates(single.with_gaps(Gap(specialist="x", what=label, why="down")), f"not read whole: {label}")


def test_without_use_in_the_period_a_person_decides(single: Dossier) -> None:
    unused = single.without(EVENTS).absent(EVENTS, labels.NO_USE)
    escalates(unused, "nobody asked to cancel, but", "use in the paid period on 1 day (seen on 0)")


def test_the_rule_says_what_a_cancellation_comes_to(single: Dossier) -> None:
    found = asked(single, paid_at(single) - timedelta(days=3))
    escalates(rule(found, "RD-2026-S1", when_cancelled="escalate"), "what then happens is for a person to say")
    escalates(rule(single, "RD-2026-S1", formal="a hint"), "has to be read by a person")
    escalates(rule(single, "RD-2026-S1", look_back_days=121), "has to be read by a person")


def test_without_a_rule_the_stance_of_the_code_holds_with_less_confidence(single: Dossier) -> None:
    bare = single.without(POLICIES).absent(POLICIES, labels.NO_POLICY)
    decision = bare.brief().decision
    assert (decision.kind, decision.confidence_pct) == (DecisionKind.FIGHT, 65)
    assert kind_of(asked(bare, paid_at(bare) - timedelta(days=60))) is DecisionKind.ACCEPT
    few = bare
    used = sorted(str(i.row.fields["timestamp"]) for i in bare.evidence if i.row.fields.get("event"))
    for item in bare.evidence:
        if item.row.fields.get("event") and str(item.row.fields["timestamp"]) in used[2:]:
            few = few.without(EVENTS, record=item.row.record_id)
    escalates(few, "use in the paid period on 3 days (seen on 2)")


def test_a_page_of_prose_on_cancellations_is_read_by_a_person(single: Dossier) -> None:
    prose = single.without(POLICIES).policy("prose", None, applies_to="subscription_canceled")
    escalates(prose, "has to be read by a person")


def test_two_current_rules_that_disagree_are_both_cited(single: Dossier) -> None:
    other = {"kind": "cancellation", "look_back_days": 30}
    two = single.policy("other", other, applies_to="subscription_canceled")
    escalates(two, "two current policies disagree")


def test_an_inquiry_is_answered_or_refunded_in_full(single: Dossier) -> None:
    asks = single.with_facts({"dispute.status": "warning_needs_response"})
    asks = asks.changed("stripe.disputes", status="warning_needs_response")
    assert kind_of(asks) is DecisionKind.ANSWER
    cancelled = asked(asks, paid_at(asks) - timedelta(days=3))
    assert kind_of(cancelled) is DecisionKind.REFUND
    assert by_kind(cancelled)[ActionKind.STRIPE_REFUND].amount_minor == 420_000
    assert ActionKind.STRIPE_CLOSE_DISPUTE not in by_kind(cancelled)


@pytest.mark.parametrize("fields", [{"status": "lost"}, {"status": "won"}, {"evidence_details__due_by": 0}])
def test_what_cannot_be_answered_is_not_given_up_either(single: Dossier, fields: dict[str, Cell]) -> None:
    found = asked(single, paid_at(single) - timedelta(days=3))
    closed = found.changed("stripe.disputes", found.case.subject.id, **fields)
    assert ActionKind.STRIPE_CLOSE_DISPUTE not in by_kind(closed)
    assert kind_of(closed) is DecisionKind.ESCALATE


# A mail in a note


def test_without_the_mail_the_charge_is_contested(parked: Dossier) -> None:
    assert kind_of(parked) is DecisionKind.ACCEPT
    assert "in a mail kept in the CRM on 2026-02-24 08:12 UTC (19 days before the payment)" in told(parked)
    note = next(i.row.record_id for i in parked.evidence if i.row.table == NOTES and "From:" in str(i.row.fields))
    gone = parked.without(NOTES, record=note)
    assert kind_of(gone) is DecisionKind.FIGHT
    asks = "From: berit@halden-print.example\n\nhow do we cancel?"
    assert kind_of(parked.changed(NOTES, note, body=asks)) is DecisionKind.FIGHT


# A yearly plan


def test_terms_and_notice_go_into_the_packet(yearly: Dossier) -> None:
    assert kind_of(yearly) is DecisionKind.FIGHT
    disclosed = str(packet(yearly)["cancellation_policy_disclosure"])
    assert "accepted our terms, version 2024-02, from 203.0.113.77" in disclosed
    assert "2026-03-05 09:21 UTC: the customer opened our notice" in disclosed
    assert "A request of 29 May 2026 came after this payment" in str(packet(yearly)["cancellation_rebuttal"])


@pytest.mark.parametrize(
    ("event", "fields", "missing"),
    [
        ("renewal_notice_opened", {"timestamp": "2026-04-03T08:00:01+00:00"}, "a renewal notice that they opened"),
        ("terms_accepted", {"properties": "{}"}, "accepted terms with a version and an address"),
        ("terms_accepted", {"ip": None}, "accepted terms with a version and an address"),
    ],
)
def test_what_the_page_asks_for_and_is_not_there_is_named(
    yearly: Dossier, event: str, fields: dict[str, Cell], missing: str
) -> None:
    record = next(i.row.record_id for i in yearly.evidence if i.row.fields.get("event") == event)
    escalates(yearly.changed(EVENTS, record, **fields), missing)


def test_buying_and_opening_a_notice_is_no_use(yearly: Dossier) -> None:
    after: dict[str, Cell] = {"timestamp": "2026-04-05T08:00:00+00:00", "person_email": "ed@thornbury-estates.example"}
    bare = yearly
    for item in yearly.evidence:
        if item.row.kind is EvidenceKind.ROW and str(item.row.fields.get("event")) in (
            "report_exported",
            "tenancy_added",
        ):
            bare = bare.without(EVENTS, record=item.row.record_id)
    for place, event in enumerate(["renewal_notice_opened", "checkout_completed", "terms_accepted"]):
        bare = bare.added(EVENTS, f"e{place}", {**after, "event": event})
    escalates(bare, "use in the paid period on 3 days (seen on 0)")


# Whoever disputes again and again


def test_the_third_dispute_is_contested_and_ends_the_subscription(third: Dossier) -> None:
    draft = third.draft()
    assert draft.brief is not None
    decision = draft.brief.decision
    assert (decision.kind, decision.amount_minor) == (DecisionKind.FIGHT, 420_000)
    assert decision.after_win is not None
    assert decision.after_win.value_minor == 216_774
    assert decision.after_win.words == "16 of 31 days of 4,200.00 = 2,167.74 USD, rounded"
    does = by_kind(third)
    assert does[ActionKind.STRIPE_REFUND].amount_minor == 216_774
    assert [wait.ref for wait in does[ActionKind.STRIPE_REFUND].depends_on] == ["dispute.won"]
    assert does[ActionKind.STRIPE_CANCEL_SUBSCRIPTION].payload["prorate"] is False
    assert does[ActionKind.TICKET].payload["assignee"] == "priya.nolan@kestrel.example"


def earlier(dossier: Dossier) -> list[str]:
    """The earlier disputes, the oldest first."""
    rows = [i.row for i in dossier.evidence if i.row.table == "stripe.disputes" and i.row.kind is EvidenceKind.ROW]
    others = [row for row in rows if row.record_id != dossier.case.subject.id]
    return [row.record_id for row in sorted(others, key=lambda row: int(str(row.fields["created"])))]


def test_the_second_dispute_is_given_back_and_the_owner_is_warned(third: Dossier) -> None:
    second = third.without("stripe.disputes", record=earlier(third)[0])
    assert kind_of(second) is DecisionKind.ACCEPT
    assert set(by_kind(second)) >= {ActionKind.STRIPE_CLOSE_DISPUTE, ActionKind.TICKET}
    assert not {ActionKind.STRIPE_REFUND, ActionKind.STRIPE_CANCEL_SUBSCRIPTION} & set(by_kind(second))
    assert kind_of(rule(second, "RD-2026-S2", second="contest")) is DecisionKind.FIGHT


def test_the_first_dispute_is_contested_by_the_first_section(third: Dossier) -> None:
    first = third.without("stripe.disputes", record=earlier(third)[0]).without(
        "stripe.disputes", record=earlier(third)[1]
    )
    assert kind_of(first.absent("stripe.disputes", labels.NO_EARLIER_DISPUTE)) is DecisionKind.FIGHT
    assert ActionKind.STRIPE_CANCEL_SUBSCRIPTION not in by_kind(first)


@pytest.mark.parametrize(("day", "kind"), [(19, DecisionKind.FIGHT), (18, DecisionKind.ACCEPT)])
def test_disputes_count_from_the_same_day_fourteen_months_before(third: Dossier, day: int, kind: DecisionKind) -> None:
    at = int(datetime(2025, 3, day, 6, 0, tzinfo=UTC).timestamp())
    assert kind_of(third.changed("stripe.disputes", earlier(third)[0], created=at)) is kind


@pytest.mark.parametrize("status", ["won", "under_review", "needs_response", "warning_closed"])
def test_only_disputes_that_the_customer_won_count(third: Dossier, status: str) -> None:
    assert kind_of(third.changed("stripe.disputes", earlier(third)[0], status=status)) is DecisionKind.ACCEPT


def test_whoever_cancelled_is_no_repeat_disputer(third: Dossier) -> None:
    found = asked(third, paid_at(third) - timedelta(days=10))
    assert kind_of(found) is DecisionKind.ACCEPT
    assert ActionKind.STRIPE_CANCEL_SUBSCRIPTION not in by_kind(found)


def test_earlier_disputes_that_were_not_read_whole_go_to_a_person(third: Dossier) -> None:
    escalates(third.with_gaps(Gap(specialist="x", what=labels.DISPUTES, why="down")), "not read whole")


def test_the_policy_may_keep_the_unused_time_or_the_subscription(third: Dossier) -> None:
    kept = rule(third, "RD-2026-S2", unused_time="keep")
    assert kept.brief().decision.after_win is None
    assert ActionKind.STRIPE_REFUND not in by_kind(kept)
    running = rule(third, "RD-2026-S2", third="contest")
    assert ActionKind.STRIPE_CANCEL_SUBSCRIPTION not in by_kind(running)
    over = third.changed("stripe.invoice_lines", period__end=int(datetime(2026, 5, 19, 9, tzinfo=UTC).timestamp()))
    assert ActionKind.STRIPE_REFUND not in by_kind(over)


def test_a_refund_in_a_fight_is_legal_after_a_win_alone(third: Dossier) -> None:
    draft = third.draft()
    assert draft.brief is not None
    known = third.with_facts(draft.facts).case
    refund = by_kind(third)[ActionKind.STRIPE_REFUND]
    now = refund.model_copy(update={"depends_on": ()})
    for action, legal in ((refund, True), (now, False)):
        made = Action(**action.model_dump(), id="a", hash="h")
        assert (PLAYBOOK.illegal(known, draft.brief.decision, made) is None) is legal
