from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
import stripe

from infra.fakes.stripe import issuer, loading
from infra.fakes.stripe.process import StripeDouble
from infra.fakes.stripe.settings import Settings
from infra.fakes.stripe.store import Store

from .builders import DAY, DUE_BY, START, JsonObject, charge, chargeback, inquiry
from .conftest import connect


def loaded(double: StripeDouble, dispute: JsonObject, paid: JsonObject) -> stripe.StripeClient:
    double.load([paid, dispute])
    return connect(double)


def money(client: stripe.StripeClient, dispute: JsonObject) -> list[tuple[int, int, str]]:
    """Amount, fee and category of everything booked for a dispute, oldest first."""
    booked = client.v1.balance_transactions.list({"source": dispute["id"]}).data
    return [(entry.amount, entry.fee, entry.reporting_category) for entry in reversed(booked)]


def test_a_won_chargeback_gives_back_all_but_the_received_fee(double: StripeDouble) -> None:
    paid = charge()
    dispute = chargeback(paid)
    client = loaded(double, dispute, paid)
    assert money(client, dispute) == [(-10_000, 1500, "dispute")]
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "winning_evidence"}})
    assert double.clock()["next_at"] == START + 62 * DAY
    double.set_clock(START + 62 * DAY - 1)
    assert client.v1.disputes.retrieve(dispute["id"]).status == "under_review"
    double.set_clock(START + 62 * DAY)
    won = client.v1.disputes.retrieve(dispute["id"])
    assert (won.status, won.is_charge_refundable) == ("won", True)
    assert [entry.net for entry in won.balance_transactions] == [-11_500, 10_000]
    booked = [(-10_000, 1500, "dispute"), (-1500, 0, "fee"), (10_000, 0, "dispute_reversal"), (1500, 0, "fee")]
    assert money(client, dispute) == booked
    types = [event.type for event in client.v1.events.list({"limit": 2}).data]
    assert types == ["charge.dispute.closed", "charge.dispute.funds_reinstated"]
    assert client.v1.charges.retrieve(paid["id"]).disputed is True
    assert client.v1.refunds.create({"charge": paid["id"], "amount": 2000}).status == "succeeded"


def test_a_lost_chargeback_keeps_money_and_fees(double: StripeDouble) -> None:
    paid = charge()
    dispute = chargeback(paid)
    client = loaded(double, dispute, paid)
    double.configure(decision_days=70)
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "losing_evidence"}})
    double.set_clock(START + 70 * DAY)
    lost = client.v1.disputes.retrieve(dispute["id"])
    assert (lost.status, lost.is_charge_refundable) == ("lost", False)
    assert money(client, dispute) == [(-10_000, 1500, "dispute"), (-1500, 0, "fee")]
    assert [event.type for event in client.v1.events.list({"limit": 1}).data] == ["charge.dispute.closed"]
    assert double.clock()["next_at"] is None


def test_an_unanswered_chargeback_is_lost_at_its_deadline_even_with_staged_evidence(double: StripeDouble) -> None:
    paid = charge()
    dispute = chargeback(paid)
    client = loaded(double, dispute, paid)
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "winning_evidence"}, "submit": False})
    assert double.clock()["next_at"] == DUE_BY
    assert double.set_clock(DUE_BY)["fired"] == 1
    lost = client.v1.disputes.retrieve(dispute["id"])
    assert (lost.status, lost.evidence_details.submission_count) == ("lost", 0)


def test_an_inquiry_moves_no_money_when_answered_and_closed(double: StripeDouble) -> None:
    paid = charge()
    dispute = inquiry(paid)
    client = loaded(double, dispute, paid)
    answered = client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "winning_evidence"}})
    assert (answered.status, answered.is_charge_refundable) == ("warning_under_review", True)
    double.set_clock(START + 119 * DAY)
    closed = client.v1.disputes.retrieve(dispute["id"])
    assert (closed.status, closed.balance_transactions) == ("warning_closed", [])
    assert money(client, dispute) == []
    types = [event.type for event in client.v1.events.list().data]
    assert types == ["charge.dispute.closed", "charge.dispute.updated"]


def test_an_escalated_inquiry_withdraws_all_and_needs_a_second_answer(double: StripeDouble) -> None:
    paid = charge()
    dispute = inquiry(paid)
    client = loaded(double, dispute, paid)
    client.v1.refunds.create({"charge": paid["id"], "amount": 2000})
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "escalate_inquiry_evidence"}})
    double.set_clock(START + 14 * DAY)
    escalated = client.v1.disputes.retrieve(dispute["id"])
    assert (escalated.status, escalated.is_charge_refundable) == ("needs_response", False)
    assert escalated.evidence_details.submission_count == 1
    assert escalated.evidence_details.due_by == START + 24 * DAY - 1
    assert escalated.payment_method_details is not None
    assert escalated.payment_method_details.card is not None
    assert escalated.payment_method_details.card.case_type == "chargeback"
    assert money(client, dispute) == [(-10_000, 1500, "dispute")]
    types = [event.type for event in client.v1.events.list({"limit": 2}).data]
    assert types == ["charge.dispute.funds_withdrawn", "charge.dispute.updated"]
    with pytest.raises(stripe.InvalidRequestError) as error:
        client.v1.refunds.create({"charge": paid["id"], "amount": 1})
    assert error.value.code == "charge_disputed"
    second = client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "winning_evidence"}})
    assert (second.status, second.evidence_details.submission_count) == ("under_review", 2)


def test_an_unanswered_inquiry_escalates_at_its_deadline(double: StripeDouble) -> None:
    paid = charge()
    dispute = inquiry(paid)
    client = loaded(double, dispute, paid)
    double.set_clock(DUE_BY)
    assert client.v1.disputes.retrieve(dispute["id"]).status == "needs_response"


def test_a_yen_chargeback_takes_its_fee_in_dollars(double: StripeDouble) -> None:
    paid = charge(amount=9899, currency="jpy")
    dispute = chargeback(paid)
    client = loaded(double, dispute, paid)
    booked = client.v1.balance_transactions.list({"source": dispute["id"]}).data
    assert sorted((entry.amount, entry.currency) for entry in booked) == [(-9899, "jpy"), (-1500, "usd")]
    assert [entry.net for entry in client.v1.disputes.retrieve(dispute["id"]).balance_transactions] == [-9899]


def test_several_things_due_happen_in_order_each_at_its_instant(double: StripeDouble) -> None:
    paid, other = charge(), charge()
    late = chargeback(paid, evidence_details={"due_by": START + 5 * DAY})
    early = chargeback(other, evidence_details={"due_by": START + 3 * DAY})
    client = loaded(double, late, paid)
    double.load([other, early])
    assert double.set_clock(START + 400 * DAY) == {
        "now": START + 400 * DAY,
        "next_at": None,
        "running": False,
        "fired": 2,
    }
    told = [(event.data.object["id"], event.created) for event in client.v1.events.list().data]
    assert told == [(late["id"], START + 5 * DAY), (early["id"], START + 3 * DAY)]


ARGUED = {"uncategorized_text": "We show below that it was used."}
REASONED: list[tuple[str, JsonObject, bool]] = [
    ("product_not_received", {}, False),
    ("product_not_received", ARGUED, False),
    ("product_not_received", {**ARGUED, "access_activity_log": "log"}, False),
    ("product_not_received", {**ARGUED, "access_activity_log": "log", "service_date": "2026-08-01"}, True),
    ("product_not_received", {"access_activity_log": "log", "service_date": "2026-08-01"}, False),
    ("product_not_received", {**ARGUED, "refund_policy": "file_1", "duplicate_charge_id": "ch_2"}, False),
    ("subscription_canceled", {"cancellation_rebuttal": "none was made", "receipt": "file_1"}, False),
    (
        "subscription_canceled",
        {"cancellation_rebuttal": "none was made", "receipt": "file_1", "cancellation_policy": "file_2"},
        True,
    ),
    ("debit_not_authorized", {**ARGUED, "access_activity_log": "log", "service_date": "2026-08-01"}, False),
]


@pytest.mark.parametrize(("reason", "fields", "holds"), REASONED)
def test_a_packet_holds_with_an_argument_and_two_fitting_fields(reason: str, fields: JsonObject, holds: bool) -> None:
    assert issuer.packet_holds({"reason": reason, "evidence": fields}) is holds


def test_every_status_of_a_chargeback_and_an_inquiry_knows_what_it_waits_for(tmp_path: Path) -> None:
    store = Store(tmp_path / "state.db", now=START)
    with store.transaction() as session:
        whole = loading.parts(session, chargeback(charge()))[0]
    store.close()
    steps = {}
    for status in ("needs_response", "under_review", "warning_needs_response", "warning_under_review", "won", "lost"):
        due = issuer.next_step({**whole, "status": status}, Settings(), START)
        steps[status] = due and due.step
    assert steps == {
        "needs_response": "deadline",
        "under_review": "ruling",
        "warning_needs_response": "escalation",
        "warning_under_review": "escalation",
        "won": None,
        "lost": None,
    }


def test_a_won_fight_is_told_in_the_order_it_happened(double: StripeDouble) -> None:
    paid = charge()
    dispute = chargeback(paid)
    client = loaded(double, dispute, paid)
    evidence: stripe.params.DisputeUpdateParamsEvidence = {
        "uncategorized_text": "Used daily until the dispute.",
        "access_activity_log": "2026-08-01 login",
        "service_date": "2026-08-01",
    }
    client.v1.disputes.update(dispute["id"], {"evidence": evidence, "submit": False})
    client.v1.disputes.update(dispute["id"], {"submit": True})
    double.set_clock(START + 62 * DAY)
    told = list(reversed(client.v1.events.list().data))
    assert [event.type.removeprefix("charge.dispute.") for event in told] == [
        "updated",
        "updated",
        "funds_reinstated",
        "closed",
    ]
    assert all(earlier.created <= later.created for earlier, later in pairwise(told))
    assert told[0].request is not None
    assert told[0].request.id is not None
    assert told[-1].request is not None
    assert told[-1].request.id is None
