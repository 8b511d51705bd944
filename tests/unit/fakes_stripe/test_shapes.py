"""The double's objects against Stripe's own schemas, reduced to names, types, enums and what is required."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_disputes_and_what_is_told_and_booked_of_them_have_stripes_shape_all_their_life(double: StripeDouble) -> None:
    client, charges = connect(double), [charge() for _ in range(6)]
    disputes = [make(paid) for make, paid in zip([chargeback, inquiry] * 3, charges, strict=True)]
    double.load([*charges, *disputes])
    for dispute, text in zip(disputes, ["winning_evidence"] * 2 + ["losing_evidence"] * 2, strict=False):
        assert dispute_violations(client.v1.disputes.retrieve(dispute["id"]).to_dict()) == []
        answered = client.v1.disputes.update(dispute["id"], {"evidence": {"uncategorized_text": text}})
        assert dispute_violations(answered.to_dict()) == []
    double.set_clock(START + 200 * DAY)
    ended = client.v1.disputes.list().data
    assert sorted(dispute.status for dispute in ended) == ["lost"] * 4 + ["warning_closed", "won"]
    assert [found for dispute in ended for found in dispute_violations(dispute.to_dict())] == []
    told = client.v1.events.list({"limit": 100}).data
    assert [found for event in told for found in violations("event", event.to_dict())] == []
    booked = client.v1.balance_transactions.list({"limit": 100}).data
    assert [found for entry in booked for found in violations("balance_transaction", entry.to_dict())] == []


def test_refunds_and_warnings_have_stripes_shape_all_their_life(double: StripeDouble) -> None:
    client, charges = connect(double), [charge() for _ in range(4)]
    double.load([*charges, *map(warning, charges)])
    courses = zip([paid["id"] for paid in charges], ["pending", "fails", "pending_fails"], strict=False)
    double.configure(refunds=dict(courses))
    for paid in charges:
        refund = client.v1.refunds.create({"charge": paid["id"], "reason": "requested_by_customer"})
        assert violations("refund", refund.to_dict()) == []
    double.set_clock(START + 10 * DAY)
    settled = client.v1.refunds.list().data
    assert [refund.status for refund in reversed(settled)] == ["succeeded", "failed", "failed", "succeeded"]
    assert [found for refund in settled for found in violations("refund", refund.to_dict())] == []
    warnings = client.v1.radar.early_fraud_warnings.list().data
    assert [found for item in warnings for found in violations("radar.early_fraud_warning", item.to_dict())] == []
