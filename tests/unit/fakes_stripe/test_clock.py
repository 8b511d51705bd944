from __future__ import annotations

import pytest

from infra.fakes.stripe.process import DoubleFailed, StripeDouble

from .builders import DAY, DUE_BY, START, charge, chargeback, event, inquiry, warning
from .conftest import connect
from .receiver import SECRET, Receiver


def test_the_clock_stands_until_it_is_moved(double: StripeDouble) -> None:
    assert double.clock() == {"now": START, "next_at": None, "running": False}
    assert double.set_clock("2026-09-02T00:00:00Z") == {
        "now": START + DAY,
        "next_at": None,
        "running": False,
        "fired": 0,
    }
    assert connect(double).v1.customers.create({"email": "a@example.com"}).created == START + DAY


@pytest.mark.parametrize("instant", [START - 1, "2026-08-31T23:59:59+00:00", "soon"])
def test_the_clock_never_runs_back(double: StripeDouble, instant: int | str) -> None:
    with pytest.raises(DoubleFailed):
        double.set_clock(instant)
    assert double.clock()["now"] == START


def test_a_running_clock_brings_on_what_is_scheduled(double: StripeDouble, receiver: Receiver) -> None:
    paid = charge()
    dispute = chargeback(paid, evidence_details={"due_by": START + 1})
    double.load([paid, dispute])
    double.register_webhook(receiver.url, SECRET)
    assert double.run_clock()["running"] is True
    assert receiver.types(1) == ["charge.dispute.closed"]
    stopped = double.run_clock(False)
    assert stopped["now"] >= START + 1
    assert double.clock() == {"now": stopped["now"], "next_at": None, "running": False}


def test_a_scripted_event_is_posted_as_it_is_when_the_clock_reaches_it(
    double: StripeDouble, receiver: Receiver
) -> None:
    paid = charge()
    double.load([paid])
    double.register_webhook(receiver.url, SECRET)
    scripted = event("charge.dispute.created", chargeback(paid, balance_transactions=[]), START + DAY)
    assert double.script(scripted) == 1
    assert double.script(scripted) == 0
    assert double.clock()["next_at"] == START + DAY
    assert connect(double).v1.events.list().data == []
    assert double.set_clock(START + DAY)["fired"] == 1
    assert receiver.next().event().to_dict() == scripted
    assert double.script(scripted) == 0


def test_a_scripted_chargeback_withdraws_the_money_and_blocks_the_refund(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    early = warning(paid)
    double.load([paid, early])
    dispute = chargeback(paid)
    double.script(event("charge.dispute.created", dispute, START))
    taken = client.v1.disputes.retrieve(dispute["id"])
    assert [entry.net for entry in taken.balance_transactions] == [-11_500]
    assert client.v1.charges.retrieve(paid["id"]).disputed is True
    assert client.v1.radar.early_fraud_warnings.retrieve(early["id"]).actionable is False
    types = [told.type for told in reversed(client.v1.events.list().data)]
    assert types == [
        "charge.dispute.created",
        "radar.early_fraud_warning.updated",
        "charge.dispute.funds_withdrawn",
    ]
    assert double.clock()["next_at"] == DUE_BY


def test_money_that_the_script_tells_of_is_told_once(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    double.load([paid])
    dispute = chargeback(paid)
    double.script(
        event("charge.dispute.created", dispute, START + 1), event("charge.dispute.funds_withdrawn", dispute, START + 2)
    )
    double.set_clock(START + 2)
    types = [told.type for told in reversed(client.v1.events.list().data)]
    assert types == ["charge.dispute.created", "charge.dispute.funds_withdrawn"]
    assert len(client.v1.disputes.retrieve(dispute["id"]).balance_transactions) == 1


def test_a_scripted_outcome_keeps_what_the_merchant_filed(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    dispute = chargeback(paid)
    double.load([paid, dispute])
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "ours"}, "metadata": {"case": "c1"}})
    double.script(event("charge.dispute.closed", {**dispute, "status": "won"}, START + 20 * DAY))
    double.set_clock(START + 20 * DAY)
    won = client.v1.disputes.retrieve(dispute["id"])
    assert (won.status, won.is_charge_refundable) == ("won", True)
    assert (won.evidence.uncategorized_text, won.metadata.to_dict()) == ("ours", {"case": "c1"})
    assert won.evidence_details.submission_count == 1
    assert [entry.amount for entry in won.balance_transactions] == [-10_000, 10_000]
    types = [told.type for told in client.v1.events.list({"limit": 2}).data]
    assert types == ["charge.dispute.closed", "charge.dispute.funds_reinstated"]
    assert double.clock()["next_at"] is None


def test_a_scripted_escalation_asks_for_a_second_answer(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    dispute = inquiry(paid)
    double.load([paid, dispute])
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "ours"}})
    due_by = START + 12 * DAY
    escalated = {**dispute, "status": "needs_response", "evidence_details": {"due_by": due_by}}
    double.script(event("charge.dispute.updated", escalated, START + 3 * DAY))
    double.set_clock(START + 3 * DAY)
    now = client.v1.disputes.retrieve(dispute["id"])
    assert (now.status, now.evidence_details.due_by, now.evidence_details.submission_count) == (
        "needs_response",
        due_by,
        1,
    )
    assert double.clock()["next_at"] == due_by
    second = client.v1.disputes.update(dispute["id"], {"submit": True})
    assert second.evidence_details.submission_count == 2


def test_an_event_that_the_object_has_overtaken_is_told_but_changes_nothing(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    dispute = chargeback(paid)
    double.load([paid, dispute])
    double.set_clock(START + DAY)
    client.v1.disputes.close(dispute["id"])
    double.script(event("charge.dispute.updated", dispute, START + DAY - 1))
    assert client.v1.disputes.retrieve(dispute["id"]).status == "lost"
    assert [told.type for told in client.v1.events.list({"type": "charge.dispute.updated"}).data]


def test_a_late_win_gives_the_money_back(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    dispute = chargeback(paid, status="lost")
    double.load([paid, dispute])
    double.script(event("charge.dispute.closed", {**dispute, "status": "won"}, START + DAY))
    double.set_clock(START + DAY)
    won = client.v1.disputes.retrieve(dispute["id"])
    assert (won.status, [entry.amount for entry in won.balance_transactions]) == ("won", [-10_000, 10_000])


def test_a_refund_made_elsewhere_shows_on_the_charge(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    double.load([paid])
    client.v1.refunds.create({"charge": paid["id"], "amount": 4000})
    double.script(event("charge.refunded", {**paid, "amount_refunded": 3000, "refunded": False}, START + 1))
    double.script(event("charge.refunded", {**paid, "amount_refunded": 10_000, "refunded": True}, START + 2))
    double.set_clock(START + 1)
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 4000
    double.set_clock(START + 2)
    assert client.v1.charges.retrieve(paid["id"]).refunded is True


def test_a_scripted_failure_of_a_refund_brings_the_money_back(double: StripeDouble) -> None:
    client, paid = connect(double), charge(amount_refunded=4000)
    earlier = {"object": "refund", "id": "re_1", "amount": 4000, "currency": "usd", "charge": paid["id"]}
    double.load([paid, {**earlier, "metadata": {"case": "c1"}}])
    failed = {**earlier, "status": "failed", "failure_reason": "lost_or_stolen_card"}
    double.script(event("refund.failed", failed, START + DAY))
    double.set_clock(START + DAY)
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 0
    refund = client.v1.refunds.retrieve("re_1")
    assert refund.metadata is not None
    assert (refund.status, refund.metadata.to_dict()) == ("failed", {"case": "c1"})


def test_a_loaded_pending_refund_settles(double: StripeDouble) -> None:
    client, paid = connect(double), charge()
    pending = {"object": "refund", "id": "re_1", "amount": 4000, "currency": "usd", "charge": paid["id"]}
    double.load([paid, {**pending, "status": "pending"}])
    assert double.clock()["next_at"] == START + 5 * DAY
    double.set_clock(START + 5 * DAY)
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 4000


def test_a_deadline_that_had_passed_when_it_was_loaded_is_lost_at_once(double: StripeDouble) -> None:
    paid = charge()
    dispute = chargeback(paid, evidence_details={"due_by": START - 1})
    double.load([paid, dispute])
    assert double.clock()["next_at"] is None
    assert connect(double).v1.disputes.retrieve(dispute["id"]).status == "lost"


def test_an_event_that_is_none_is_refused(double: StripeDouble) -> None:
    with pytest.raises(DoubleFailed, match="scripted event needs"):
        double.script({"id": "evt_1", "type": "charge.refunded", "created": START})
    with pytest.raises(DoubleFailed, match="needs charge"):
        double.script(event("charge.dispute.created", {**chargeback(charge()), "charge": None}, START))
