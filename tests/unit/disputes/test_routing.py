"""Routing: nine event types and requests, one business object is one case, everything else is somebody else's."""

from __future__ import annotations

import pytest

from shared.case.actions import Json
from shared.case.case import Outcome, Subject
from shared.errors import InvalidInput
from shared.playbooks.disputes.routing import EVENT_TYPES, route
from shared.team.contract import Ignored, Routing
from tests.unit.disputes.cases import DISPUTE, event
from tests.unit.disputes.run import PLAYBOOK


def routed(type_: str, found: dict[str, Json], /, created: int = 100, **more: Json) -> Routing:
    routing = route(event(type_, found, created, **more))
    assert isinstance(routing, Routing)
    return routing


def test_exactly_these_event_types_of_stripe_and_one_of_ours_are_taken() -> None:
    assert {
        "charge.dispute.created",
        "charge.dispute.updated",
        "charge.dispute.closed",
        "charge.dispute.funds_withdrawn",
        "charge.dispute.funds_reinstated",
        "radar.early_fraud_warning.created",
        "invoice.payment_failed",
        "invoice.overdue",
        "invoice.paid",
        "invoice.voided",
        "invoice.marked_uncollectible",
        "refund.updated",
        "refund.failed",
        "manthan.request.created",
    } == EVENT_TYPES


@pytest.mark.parametrize("type_", ["charge.succeeded", "charge.refunded", "customer.created", "", "charge.dispute"])
def test_other_types_are_not_ours(type_: str) -> None:
    assert PLAYBOOK.route("acme", event(type_, DISPUTE)) is None


def test_a_dispute_opens_a_case_with_flat_facts() -> None:
    routing = routed("charge.dispute.created", DISPUTE, account="acct_9", livemode=True)
    assert routing.subject == Subject(kind="dispute", id="du_1", account="acct_9", livemode=True)
    assert routing.opens
    assert routing.playbook == "disputes"
    assert routing.case_id is None
    assert routing.observation.outcome is None
    assert routing.observation.facts == {
        "dispute.id": "du_1",
        "dispute.status": "needs_response",
        "dispute.amount": 840000,
        "dispute.currency": "usd",
        "dispute.reason": "product_unacceptable",
        "dispute.created": 100,
        "dispute.charge_refundable": False,
        "dispute.due_by": 1779494399,
        "due_by": "2026-05-22T23:59:59+00:00",
        "dispute.submission_count": 0,
        "dispute.has_evidence": False,
        "dispute.method": "card",
        "dispute.brand": "visa",
        "dispute.case_type": "chargeback",
        "dispute.network_reason_code": "13.3",
        "dispute.as_of": 100,
        "charge.id": "ch_1",
        "payment_intent.id": "pi_1",
    }
    assert routing.summary == (
        "chargeback of 8,400.00 USD on ch_1, product_unacceptable (visa 13.3), answer due by 22 May 2026"
    )


@pytest.mark.parametrize(
    "type_",
    [
        "charge.dispute.updated",
        "charge.dispute.closed",
        "charge.dispute.funds_withdrawn",
        "charge.dispute.funds_reinstated",
    ],
)
def test_every_event_about_a_dispute_leads_to_the_same_subject(type_: str) -> None:
    assert routed(type_, DISPUTE).subject == routed("charge.dispute.created", DISPUTE).subject


@pytest.mark.parametrize(
    ("type_", "status", "opens"),
    [
        ("charge.dispute.created", "needs_response", True),
        ("charge.dispute.created", "lost", True),
        ("charge.dispute.updated", "needs_response", True),
        ("charge.dispute.updated", "warning_under_review", True),
        ("charge.dispute.updated", "won", False),
        ("charge.dispute.closed", "won", False),
        ("charge.dispute.funds_withdrawn", "needs_response", False),
        ("charge.dispute.funds_reinstated", "won", False),
    ],
)
def test_only_creation_and_updates_of_open_disputes_open_a_case(type_: str, status: str, opens: bool) -> None:
    assert routed(type_, {**DISPUTE, "status": status}).opens is opens


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ("won", "dispute.won"),
        ("lost", "dispute.lost"),
        ("warning_closed", "dispute.warning_closed"),
        ("prevented", "dispute.prevented"),
        ("under_review", None),
    ],
)
def test_the_closing_event_says_how_it_ended(status: str, name: str | None) -> None:
    outcome = routed("charge.dispute.closed", {**DISPUTE, "status": status}).observation.outcome
    assert (outcome.name if outcome else None) == name
    assert outcome is None or (outcome.event_id, outcome.at.timestamp()) == ("evt_1", 100)


@pytest.mark.parametrize("type_", ["charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated"])
def test_funds_never_say_how_it_ended(type_: str) -> None:
    observation = routed(type_, {**DISPUTE, "status": "won"}, 200).observation
    assert observation.outcome is None
    assert observation.facts == {"funds.state": type_.rpartition("_")[2], "funds.as_of": 200}


def test_an_update_does_not_say_how_it_ended_either() -> None:
    observation = routed("charge.dispute.updated", {**DISPUTE, "status": "won"}).observation
    assert observation.outcome is None
    assert "dispute.status" not in observation.facts


def test_charge_and_intent_may_be_expanded_and_the_intent_null() -> None:
    expanded = routed("charge.dispute.created", {**DISPUTE, "charge": {"id": "ch_2"}, "payment_intent": None})
    assert expanded.observation.facts["charge.id"] == "ch_2"
    assert "payment_intent.id" not in expanded.observation.facts


def test_ids_are_never_judged_by_their_prefix() -> None:
    assert routed("charge.dispute.created", {**DISPUTE, "id": "dp_old", "charge": "py_1"}).subject.id == "dp_old"


def test_an_old_and_thin_dispute_still_opens() -> None:
    routing = routed("charge.dispute.created", {"id": "dp_1"}, created=100)
    assert routing.observation.facts == {"dispute.id": "dp_1", "dispute.as_of": 100}
    assert routing.summary == "chargeback of an unknown amount on an unnamed charge, no reason given"


def test_an_inquiry_is_called_one() -> None:
    assert routed("charge.dispute.created", {**DISPUTE, "status": "warning_needs_response"}).summary.startswith(
        "inquiry"
    )


def test_the_network_code_may_stand_at_the_top() -> None:
    bare = {**DISPUTE, "payment_method_details": None, "network_reason_code": "4853"}
    assert routed("charge.dispute.created", bare).observation.facts["dispute.network_reason_code"] == "4853"


@pytest.mark.parametrize(
    ("changed", "missing"),
    [
        ({"data": {}}, "no data.object"),
        ({"data": None}, "no data.object"),
        ({"data": {"object": "du_1"}}, "no data.object"),
        ({"data": {"object": {}}}, "no id"),
        ({"data": {"object": {"id": 7}}}, "no id"),
    ],
)
def test_an_object_without_an_identity_is_invalid_and_the_error_says_what_is_missing(
    changed: dict[str, Json], missing: str
) -> None:
    with pytest.raises(InvalidInput, match=missing):
        route({**event("charge.dispute.created", DISPUTE), **changed})


def test_an_early_fraud_warning_opens_its_own_case() -> None:
    warning: dict[str, Json] = {
        "id": "issfr_1",
        "charge": "ch_1",
        "actionable": True,
        "fraud_type": "misc",
        "created": 5,
    }
    routing = routed("radar.early_fraud_warning.created", warning)
    assert (routing.subject.kind, routing.opens) == ("early_fraud_warning", True)
    assert routing.observation.facts == {
        "warning.id": "issfr_1",
        "warning.fraud_type": "misc",
        "warning.actionable": True,
        "warning.created": 5,
        "warning.as_of": 100,
        "charge.id": "ch_1",
    }


def test_a_failed_invoice_opens_a_case_unless_nothing_is_due() -> None:
    invoice: dict[str, Json] = {
        "id": "in_1",
        "amount_due": 500,
        "attempt_count": 2,
        "currency": "EUR",
        "customer": "cus_1",
    }
    routing = routed("invoice.payment_failed", invoice)
    assert (routing.subject.kind, routing.opens) == ("invoice", True)
    assert routing.observation.facts["invoice.attempt_count"] == 2
    assert routing.observation.facts["invoice.currency"] == "eur"
    assert route(event("invoice.payment_failed", {**invoice, "amount_due": 0})) == Ignored(
        "invoice in_1 has nothing due"
    )


@pytest.mark.parametrize(
    ("type_", "status", "name"),
    [
        ("refund.updated", "succeeded", "refund.succeeded"),
        ("refund.updated", "pending", None),
        ("refund.updated", "failed", "refund.failed"),
        ("refund.updated", "canceled", "refund.canceled"),
        ("refund.failed", "pending", "refund.failed"),
    ],
)
def test_our_own_refund_attaches_to_the_case_it_names(type_: str, status: str, name: str | None) -> None:
    refund: dict[str, Json] = {
        "id": "re_1",
        "status": status,
        "failure_reason": "declined",
        "metadata": {"manthan_case": "case_7", "manthan_action": "act-1"},
    }
    routing = routed(type_, refund)
    assert (routing.case_id, routing.opens) == ("case_7", False)
    assert routing.observation.facts["refund.act-1.failure_reason"] == "declined"
    outcome = routing.observation.outcome
    assert (outcome.name if outcome else None) == name
    assert outcome is None or outcome.detail == "act-1"


@pytest.mark.parametrize(
    "metadata", [None, {}, {"manthan_case": "case_7"}, {"manthan_case": "", "manthan_action": "a"}]
)
def test_a_refund_that_is_not_ours_is_ignored(metadata: Json) -> None:
    assert route(event("refund.updated", {"id": "re_1", "metadata": metadata})) == Ignored(
        "refund re_1 is not a refund of ours"
    )


def test_an_event_without_a_time_still_routes() -> None:
    thin = event("charge.dispute.closed", {**DISPUTE, "status": "won"})
    del thin["created"]
    routing = route(thin)
    assert isinstance(routing, Routing)
    assert "dispute.as_of" not in routing.observation.facts
    assert isinstance(routing.observation.outcome, Outcome)
    funds = route({**event("charge.dispute.funds_withdrawn", DISPUTE), "created": None})
    assert isinstance(funds, Routing)
    assert funds.observation.facts == {"funds.state": "withdrawn"}


REQUEST: dict[str, Json] = {
    "id": "req_1",
    "channel": "email",
    "received_at": "2026-05-25T19:42:00Z",
    "from": "wren@okoye.example",
    "text": "please send it back",
    "customer": "cus_1",
    "charge": "ch_1",
    "amount_minor": 8900,
    "currency": "USD",
    "requested_by": "noa@crane.example",
}


def test_a_request_opens_a_case_of_its_own_without_its_words() -> None:
    routing = routed("manthan.request.created", REQUEST)
    assert (routing.subject.kind, routing.subject.id, routing.opens) == ("request", "req_1", True)
    facts = routing.observation.facts
    assert facts["request.text_length"] == 19
    assert facts["request.currency"] == "usd"
    assert (facts["charge.id"], facts["customer.id"]) == ("ch_1", "cus_1")
    assert "please send it back" not in str(facts)
    assert "wren@okoye.example" in routing.summary


def test_a_bare_request_still_routes() -> None:
    facts = routed("manthan.request.created", {"id": "req_2"}).observation.facts
    assert facts["request.text_length"] == 0
    assert "charge.id" not in facts


@pytest.mark.parametrize("status", ["paid", "void", "draft"])
def test_an_invoice_that_nobody_owes_any_more_opens_nothing(status: str) -> None:
    invoice: dict[str, Json] = {"id": "in_1", "amount_due": 5, "attempt_count": 1, "status": status}
    assert route(event("invoice.payment_failed", invoice)) == Ignored(
        f"invoice in_1 is {status}: there is nothing to collect"
    )
