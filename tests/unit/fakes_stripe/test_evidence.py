from __future__ import annotations

from typing import cast

import pytest
import stripe

from infra.fakes.stripe.process import StripeDouble

from .builders import JsonObject, charge, chargeback, inquiry
from .conftest import connect


def disputed(double: StripeDouble, **fields: object) -> JsonObject:
    """A chargeback, loaded with its charge."""
    paid = charge()
    dispute = chargeback(paid, **fields)
    double.load([paid, dispute])
    return dispute


def kinds(double: StripeDouble, dispute: JsonObject) -> list[str]:
    """The effects on one dispute."""
    return [effect["kind"] for effect in double.effects() if effect["object"] == dispute["id"]]


def test_staging_shows_the_evidence_and_submits_nothing(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    params: stripe.params.DisputeUpdateParams = {"evidence": {"uncategorized_text": "It was used."}, "submit": False}
    staged = client.v1.disputes.update(dispute["id"], params)
    assert staged.status == "needs_response"
    assert staged.evidence.uncategorized_text == "It was used."
    assert (staged.evidence_details.has_evidence, staged.evidence_details.submission_count) == (True, 0)
    assert kinds(shared, dispute) == ["staging"]
    told = client.v1.events.list({"limit": 1}).data[0].to_dict()
    assert told["type"] == "charge.dispute.updated"
    assert told["data"]["previous_attributes"] == {
        "evidence": {"uncategorized_text": None},
        "evidence_details": {"has_evidence": False},
    }


def test_evidence_is_submitted_when_submit_is_left_out(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    submitted = client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "It was used."}})
    assert (submitted.status, submitted.evidence_details.submission_count) == ("under_review", 1)
    assert kinds(shared, dispute) == ["submission"]


def test_staged_evidence_is_submitted_by_asking_for_it(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    client.v1.disputes.update(dispute["id"], {"evidence": {"access_activity_log": "log"}, "submit": False})
    submitted = client.v1.disputes.update(dispute["id"], {"submit": True})
    assert (submitted.status, submitted.evidence.access_activity_log) == ("under_review", "log")
    assert kinds(shared, dispute) == ["staging", "submission"]


def test_metadata_alone_submits_nothing(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    client.v1.disputes.update(dispute["id"], {"evidence": {"service_date": "2026-08-01"}, "submit": False})
    updated = client.v1.disputes.update(dispute["id"], {"metadata": {"case": "c1"}})
    assert (updated.status, updated.metadata.to_dict()) == ("needs_response", {"case": "c1"})


def test_emptying_the_only_field_leaves_no_evidence(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    client.v1.disputes.update(dispute["id"], {"evidence": {"service_date": "2026-08-01"}, "submit": False})
    emptied = client.v1.disputes.update(dispute["id"], {"evidence": {"service_date": ""}, "submit": False})
    assert (emptied.evidence.service_date, emptied.evidence_details.has_evidence) == (None, False)
    with pytest.raises(stripe.InvalidRequestError, match="no evidence to submit"):
        client.v1.disputes.update(dispute["id"], {"submit": True})


@pytest.mark.parametrize("submit", [True, False])
def test_evidence_under_review_cannot_be_touched_again(shared: StripeDouble, submit: bool) -> None:
    client, dispute = connect(shared), disputed(shared)
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "first"}})
    with pytest.raises(stripe.InvalidRequestError, match="under review") as error:
        client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "second"}, "submit": submit})
    assert error.value.http_status == 400
    kept = client.v1.disputes.retrieve(dispute["id"])
    assert (kept.evidence.uncategorized_text, kept.evidence_details.submission_count) == ("first", 1)
    assert client.v1.disputes.update(dispute["id"], {"metadata": {"a": "b"}}).status == "under_review"


@pytest.mark.parametrize("status", ["won", "lost", "prevented", "warning_closed"])
def test_a_closed_dispute_takes_neither_evidence_nor_closing(shared: StripeDouble, status: str) -> None:
    client, dispute = connect(shared), disputed(shared, status=status)
    with pytest.raises(stripe.InvalidRequestError, match=r": This dispute is already closed$") as error:
        client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "late"}})
    assert (error.value.http_status, error.value.code) == (400, None)
    with pytest.raises(stripe.InvalidRequestError, match=r": This dispute is already closed$"):
        client.v1.disputes.close(dispute["id"])


@pytest.mark.parametrize(
    ("field", "limit"), [("uncategorized_text", 20_000), ("access_activity_log", 20_000), ("service_date", 5_000)]
)
def test_a_field_takes_its_limit_and_no_character_more(shared: StripeDouble, field: str, limit: int) -> None:
    client, dispute = connect(shared), disputed(shared)
    full = cast(stripe.params.DisputeUpdateParams, {"evidence": {field: "é" * limit}, "submit": False})
    assert client.v1.disputes.update(dispute["id"], full).evidence_details.has_evidence
    long = cast(stripe.params.DisputeUpdateParams, {"evidence": {field: "é" * (limit + 1)}, "submit": False})
    with pytest.raises(stripe.InvalidRequestError, match=f"at most {limit} characters") as error:
        client.v1.disputes.update(dispute["id"], long)
    assert (error.value.http_status, error.value.param) == (400, f"evidence[{field}]")


def test_all_text_together_takes_its_limit_and_no_character_more(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    long = (
        "access_activity_log",
        "cancellation_policy_disclosure",
        "cancellation_rebuttal",
        "duplicate_charge_explanation",
        "product_description",
        "refund_policy_disclosure",
        "refund_refusal_explanation",
    )
    evidence = {**dict.fromkeys(long, "x" * 20_000), "uncategorized_text": "x" * 10_000}
    full = cast(stripe.params.DisputeUpdateParams, {"evidence": evidence, "submit": False})
    client.v1.disputes.update(dispute["id"], full)
    with pytest.raises(stripe.InvalidRequestError, match="is 150001; must be at most 150000") as error:
        client.v1.disputes.update(dispute["id"], {"evidence": {"customer_name": "y"}})
    assert error.value.http_status == 400
    assert client.v1.disputes.retrieve(dispute["id"]).evidence.customer_name is None


def test_an_unknown_evidence_field_is_refused(shared: StripeDouble) -> None:
    dispute = disputed(shared)
    unknown = cast(stripe.params.DisputeUpdateParams, {"evidence": {"colour": "red"}})
    with pytest.raises(stripe.InvalidRequestError) as error:
        connect(shared).v1.disputes.update(dispute["id"], unknown)
    assert (error.value.code, error.value.param) == ("parameter_unknown", "evidence[colour]")


def test_closing_a_chargeback_loses_it_for_good(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    closed = client.v1.disputes.close(dispute["id"])
    assert (closed.status, closed.is_charge_refundable) == ("lost", False)
    assert [entry.amount for entry in closed.balance_transactions] == [-10_000]
    assert client.v1.events.list({"limit": 1}).data[0].type == "charge.dispute.closed"
    assert kinds(shared, dispute) == ["close"]


def test_an_inquiry_cannot_be_closed(shared: StripeDouble) -> None:
    client, paid = connect(shared), charge()
    dispute = inquiry(paid)
    shared.load([paid, dispute])
    with pytest.raises(stripe.InvalidRequestError, match="inquiry") as error:
        client.v1.disputes.close(dispute["id"])
    assert error.value.http_status == 400
    assert client.v1.disputes.retrieve(dispute["id"]).status == "warning_needs_response"


def test_a_dispute_under_review_cannot_be_closed(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared)
    client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "ours"}})
    with pytest.raises(stripe.InvalidRequestError, match="under review"):
        client.v1.disputes.close(dispute["id"])


@pytest.mark.parametrize("due_by", [0, None])
def test_a_dispute_without_a_deadline_cannot_be_answered(shared: StripeDouble, due_by: int | None) -> None:
    client, dispute = connect(shared), disputed(shared, evidence_details={"due_by": due_by})
    with pytest.raises(stripe.InvalidRequestError, match="cannot be responded to"):
        client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "ours"}})


def test_a_compliance_dispute_is_contested_only_with_its_fee_acknowledged(shared: StripeDouble) -> None:
    client, dispute = connect(shared), disputed(shared, reason="noncompliant")
    with pytest.raises(stripe.InvalidRequestError, match="has not been acknowledged"):
        client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": "ours"}})
    client.v1.disputes.update(
        dispute["id"],
        {
            "evidence": {
                "uncategorized_text": "ours",
                "enhanced_evidence": {"visa_compliance": {"fee_acknowledged": True}},
            }
        },
    )
    fees = client.v1.balance_transactions.list({"source": dispute["id"], "type": "stripe_fee"}).data
    assert sorted(fee.amount for fee in fees) == [-50_000, -1500]


def test_an_unknown_dispute_is_not_found(shared: StripeDouble) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="No such dispute: 'du_none'") as error:
        connect(shared).v1.disputes.close("du_none")
    assert (error.value.http_status, error.value.code, error.value.param) == (404, "resource_missing", "dispute")
