"""The double's objects against Stripe's own schemas, reduced to names, types, enums and what is required."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Union, get_args, get_origin

import pytest
import stripe

from infra.fakes.stripe.process import StripeDouble

from .builders import DAY, START, JsonObject, charge, chargeback, customer, inquiry, invoice, subscription, warning
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


def against_the_sdk(kind: type[stripe.StripeObject], value: JsonObject) -> list[str]:
    """What of a value the SDK's class for it, generated from Stripe's specification, does not know or misses."""
    known = {name: hint for name, hint in kind.__annotations__.items() if not str(hint).startswith("typing.ClassVar")}
    needed = [name for name, hint in known.items() if not (get_origin(hint) is Union and type(None) in get_args(hint))]
    return [name for name in needed if name not in value] + [name for name in value if name not in known]


def test_what_billing_leaves_behind_has_the_fields_that_the_sdk_knows(shared: StripeDouble) -> None:
    client, owner = connect(shared), customer()
    billed, declined = invoice(customer=owner["id"]), invoice(customer=owner["id"])
    running = subscription(customer=owner["id"])
    shared.load([owner, billed, declined, running])
    client.v1.invoices.pay(billed["id"])
    client.v1.credit_notes.create({"invoice": billed["id"], "amount": 900, "credit_amount": 500, "refund_amount": 400})
    client.v1.subscriptions.cancel(running["id"], {"prorate": True})
    with pytest.raises(stripe.CardError):
        client.v1.invoices.pay(declined["id"], {"payment_method": "pm_card_chargeCustomerFail"})
    made: Sequence[tuple[type[stripe.StripeObject], Sequence[stripe.StripeObject]]] = [
        (stripe.Charge, client.v1.charges.list().data),
        (stripe.PaymentIntent, client.v1.payment_intents.list().data),
        (stripe.InvoicePayment, client.v1.invoice_payments.list().data),
        (stripe.CreditNote, client.v1.credit_notes.list().data),
        (stripe.CustomerBalanceTransaction, client.v1.customers.balance_transactions.list(owner["id"]).data),
        (stripe.InvoiceItem, client.v1.invoice_items.list().data),
        (stripe.BalanceTransaction, client.v1.balance_transactions.list().data),
        (stripe.Event, client.v1.events.list({"limit": 100}).data),
    ]
    assert [len(items) for _, items in made[:6]] == [2, 2, 2, 1, 1, 1]
    assert [found for kind, items in made for item in items for found in against_the_sdk(kind, item.to_dict())] == []
