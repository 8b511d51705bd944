"""The double's objects against Stripe's own schemas, reduced to names, types, enums and what is required."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.fakes.stripe.process import StripeDouble

from .builders import DAY, START, JsonObject, charge, chargeback, inquiry, warning
from .conftest import connect

SCHEMAS: dict[str, JsonObject] = json.loads((Path(__file__).parent / "stripe_shapes.json").read_text())["schemas"]
TYPES = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list, "number": int}


def violations(name: str, value: JsonObject) -> list[str]:
    """What of a value its schema does not allow."""
    schema = SCHEMAS[name]
    found = [f"{name}.{field} is missing" for field in schema["required"] if field not in value]
    for field, item in value.items():
        rule = schema["properties"].get(field)
        if rule is None:
            found.append(f"{name}.{field} is unknown")
        elif item is None:
            found += [f"{name}.{field} is null"] * ("null" not in rule["types"])
        elif not any(type(item) is TYPES[kind] for kind in rule["types"] if kind != "null"):
            found.append(f"{name}.{field} is a {type(item).__name__}")
        elif item not in rule.get("enum", [item]):
            found.append(f"{name}.{field} is {item}")
    return found


def dispute_violations(dispute: JsonObject) -> list[str]:
    """What of a dispute and its parts their schemas do not allow."""
    return [
        *violations("dispute", dispute),
        *violations("dispute_evidence", dispute["evidence"]),
        *violations("dispute_evidence_details", dispute["evidence_details"]),
        *violations("dispute_payment_method_details_card", dispute["payment_method_details"]["card"]),
        *[found for entry in dispute["balance_transactions"] for found in violations("balance_transaction", entry)],
    ]


@pytest.mark.parametrize("make", [chargeback, inquiry])
@pytest.mark.parametrize("text", ["winning_evidence", "losing_evidence", None])
def test_a_dispute_has_stripes_shape_all_its_life(double: StripeDouble, make: type, text: str | None) -> None:
    client, paid = connect(double), charge()
    dispute = make(paid)
    double.load([paid, dispute])
    assert dispute_violations(client.v1.disputes.retrieve(dispute["id"]).to_dict()) == []
    if text is not None:
        answered = client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": text}})
        assert dispute_violations(answered.to_dict()) == []
    double.set_clock(START + 200 * DAY)
    assert dispute_violations(client.v1.disputes.retrieve(dispute["id"]).to_dict()) == []
    for event in client.v1.events.list().data:
        assert violations("event", event.to_dict()) == []
    for entry in client.v1.balance_transactions.list().data:
        assert violations("balance_transaction", entry.to_dict()) == []


@pytest.mark.parametrize("course", ["pending", "fails", "pending_fails", None])
def test_a_refund_has_stripes_shape_all_its_life(double: StripeDouble, course: str | None) -> None:
    client, paid = connect(double), charge()
    early = warning(paid)
    double.load([paid, early])
    if course is not None:
        double.configure(refunds={paid["id"]: course})
    refund = client.v1.refunds.create({"charge": paid["id"], "reason": "requested_by_customer"})
    assert violations("refund", refund.to_dict()) == []
    double.set_clock(START + 10 * DAY)
    assert violations("refund", client.v1.refunds.retrieve(refund.id).to_dict()) == []
    settled = client.v1.radar.early_fraud_warnings.retrieve(early["id"]).to_dict()
    assert violations("radar.early_fraud_warning", settled) == []
