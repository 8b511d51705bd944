from __future__ import annotations

from unittest.mock import ANY

import pytest
import stripe

from infra.fakes.stripe.process import StripeDouble

from .builders import JsonObject, charge, chargeback, customer, intent, invoice, invoice_payment
from .conftest import connect


def paid_invoice(shared: StripeDouble, owner: JsonObject) -> tuple[JsonObject, JsonObject]:
    """An invoice of 49.00 that a charge has paid, and the charge; loaded with their customer."""
    paid = charge(amount=4900, customer=owner["id"])
    through = intent(paid)
    billed = invoice(status="paid", amount_paid=4900, customer=owner["id"])
    shared.load([owner, paid, through, billed, invoice_payment(billed, through["id"], status="paid")])
    return billed, paid


def test_a_credit_lowers_the_balance_of_a_customer(shared: StripeDouble) -> None:
    client, owner = connect(shared), customer()
    shared.load([owner])
    balance = client.v1.customers.balance_transactions
    first = balance.create(
        owner["id"],
        {"amount": -1500, "currency": "usd", "description": "Outage", "metadata": {"case": "c1"}},
        {"idempotency_key": "credit"},
    )
    assert (first.amount, first.ending_balance, first.type, first.description) == (-1500, -1500, "adjustment", "Outage")
    second = balance.create(owner["id"], {"amount": 500, "currency": "USD"})
    assert (second.ending_balance, second.currency) == (-1000, "usd")
    assert client.v1.customers.retrieve(owner["id"]).balance == -1000
    told = client.v1.events.list({"type": "customer.updated", "limit": 1}).data[0].data.to_dict()
    assert told["previous_attributes"] == {"balance": -1500}
    assert [item.id for item in balance.list(owner["id"]).data] == [second.id, first.id]
    kept = balance.retrieve(owner["id"], first.id).metadata
    assert kept is not None
    assert kept.to_dict() == {"case": "c1"}
    effects = [effect for effect in shared.effects() if effect["kind"] == "balance_credit"]
    assert [(item["amount"], item["idempotency_key"]) for item in effects] == [(-1500, "credit"), (500, ANY)]


def test_the_first_credit_fixes_the_currency_and_another_one_is_refused(shared: StripeDouble) -> None:
    client, owner = connect(shared), customer(currency=None)
    shared.load([owner])
    balance = client.v1.customers.balance_transactions
    balance.create(owner["id"], {"amount": -100, "currency": "eur"})
    assert client.v1.customers.retrieve(owner["id"]).currency == "eur"
    with pytest.raises(stripe.InvalidRequestError, match="combine currencies") as error:
        balance.create(owner["id"], {"amount": -100, "currency": "usd"})
    assert error.value.param == "currency"


def test_a_credit_needs_an_amount_a_currency_and_a_customer(shared: StripeDouble) -> None:
    client, owner = connect(shared), customer()
    shared.load([owner])
    for name in ("amount", "currency"):
        given = {"amount": "-1", "currency": "usd"}
        del given[name]
        with pytest.raises(stripe.InvalidRequestError) as error:
            client.raw_request("post", f"/v1/customers/{owner['id']}/balance_transactions", **given)
        assert (error.value.code, error.value.param) == ("parameter_missing", name)
    for missing in (
        lambda: client.v1.customers.balance_transactions.create("cus_none", {"amount": -1, "currency": "usd"}),
        lambda: client.v1.customers.balance_transactions.list("cus_none"),
        lambda: client.v1.customers.balance_transactions.retrieve(owner["id"], "cbtxn_none"),
    ):
        with pytest.raises(stripe.InvalidRequestError) as error:
            missing()
        assert (error.value.http_status, error.value.code) == (404, "resource_missing")


def test_a_note_on_an_open_invoice_lowers_what_is_due(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    note = client.v1.credit_notes.create(
        {"invoice": billed["id"], "amount": 900, "memo": "Goodwill", "reason": "product_unsatisfactory"}
    )
    assert (note.status, note.type, note.pre_payment_amount, note.post_payment_amount) == (
        "issued",
        "pre_payment",
        900,
        0,
    )
    assert (note.number, note.memo, note.currency) == ("N-0007-CN-01", "Goodwill", "usd")
    after = client.v1.invoices.retrieve(billed["id"])
    assert (after.status, after.amount_due, after.amount_remaining) == ("open", 4000, 4000)
    assert after.pre_payment_credit_notes_amount == 900
    types = [event.type for event in client.v1.events.list({"limit": 2}).data]
    assert types == ["credit_note.created", "invoice.updated"]
    assert client.v1.credit_notes.retrieve(note.id).amount == 900
    assert [item.id for item in client.v1.credit_notes.list({"invoice": billed["id"]}).data] == [note.id]
    assert client.v1.credit_notes.line_items.list(note.id).data == []
    assert shared.effects()[-1]["kind"] == "credit_note"


def test_a_note_over_all_that_is_due_settles_the_invoice(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    client.v1.credit_notes.create({"invoice": billed["id"], "amount": 4900})
    after = client.v1.invoices.retrieve(billed["id"])
    assert (after.status, after.amount_paid, after.amount_remaining) == ("paid", 0, 0)
    assert client.v1.events.list({"type": "invoice.paid"}).data[0].data.object["id"] == billed["id"]


def test_a_note_on_a_paid_invoice_says_how_its_amount_was_given_back(shared: StripeDouble) -> None:
    client, owner = connect(shared), customer()
    billed, paid = paid_invoice(shared, owner)
    note = client.v1.credit_notes.create(
        {
            "invoice": billed["id"],
            "amount": 3000,
            "credit_amount": 1200,
            "refund_amount": 1500,
            "out_of_band_amount": 300,
            "metadata": {"case": "c1"},
        },
        {"idempotency_key": "note"},
    )
    assert (note.type, note.pre_payment_amount, note.post_payment_amount) == ("post_payment", 0, 3000)
    assert note.out_of_band_amount == 300
    assert client.v1.customers.retrieve(owner["id"]).balance == -1200
    assert isinstance(note.customer_balance_transaction, str)
    change = client.v1.customers.balance_transactions.retrieve(owner["id"], note.customer_balance_transaction)
    assert (change.type, change.credit_note, change.invoice) == ("credit_note", note.id, billed["id"])
    refund = client.v1.refunds.list({"charge": paid["id"]}).data[0]
    assert (note.refunds[0].refund, note.refunds[0].amount_refunded, refund.amount) == (refund.id, 1500, 1500)
    assert client.v1.charges.retrieve(paid["id"]).amount_refunded == 1500
    after = client.v1.invoices.retrieve(billed["id"])
    assert (after.status, after.amount_due, after.post_payment_credit_notes_amount) == ("paid", 4900, 3000)
    ours = [effect["kind"] for effect in shared.effects() if effect["idempotency_key"] == "note"]
    assert ours == ["refund", "balance_credit", "credit_note"]


def test_a_note_that_does_not_add_up_changes_nothing(shared: StripeDouble) -> None:
    client, owner = connect(shared), customer()
    billed, _ = paid_invoice(shared, owner)
    with pytest.raises(stripe.InvalidRequestError, match=r"\(\$1.00\) must equal the credit note amount \(\$2.00\)"):
        client.v1.credit_notes.create({"invoice": billed["id"], "amount": 200, "credit_amount": 100})
    with pytest.raises(stripe.InvalidRequestError, match=r"\(\$0.00\) must equal"):
        client.v1.credit_notes.create({"invoice": billed["id"], "amount": 200})
    assert client.v1.customers.retrieve(owner["id"]).balance == 0
    assert client.v1.credit_notes.list({"invoice": billed["id"]}).data == []


def test_all_notes_together_cannot_exceed_the_invoice(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    client.v1.credit_notes.create({"invoice": billed["id"], "amount": 4000})
    with pytest.raises(stripe.InvalidRequestError, match=r"\(\$9.01\) is greater .* \(\$9.00\)") as error:
        client.v1.credit_notes.create({"invoice": billed["id"], "amount": 901})
    assert error.value.param == "amount"
    second = client.v1.credit_notes.create({"invoice": billed["id"], "amount": 900})
    assert second.number == "N-0007-CN-02"


def test_a_note_cannot_refund_what_cannot_be_refunded(shared: StripeDouble) -> None:
    client, owner = connect(shared), customer()
    billed, paid = paid_invoice(shared, owner)
    shared.load([chargeback(paid)])
    half: stripe.params.CreditNoteCreateParams = {
        "invoice": billed["id"],
        "amount": 200,
        "credit_amount": 100,
        "refund_amount": 100,
    }
    with pytest.raises(stripe.InvalidRequestError) as error:
        client.v1.credit_notes.create(half)
    assert error.value.code == "charge_disputed"
    assert client.v1.customers.retrieve(owner["id"]).balance == 0
    unpaid = invoice(status="paid", amount_paid=4900)
    shared.load([unpaid])
    with pytest.raises(stripe.InvalidRequestError, match="no charge"):
        client.v1.credit_notes.create({"invoice": unpaid["id"], "amount": 100, "refund_amount": 100})


@pytest.mark.parametrize("status", ["draft", "void", "uncollectible"])
def test_a_note_needs_an_open_or_paid_invoice(shared: StripeDouble, status: str) -> None:
    billed = invoice(status=status)
    shared.load([billed])
    with pytest.raises(stripe.InvalidRequestError, match=status):
        connect(shared).v1.credit_notes.create({"invoice": billed["id"], "amount": 100})


def test_a_note_needs_an_amount_and_an_invoice(shared: StripeDouble) -> None:
    client, billed = connect(shared), invoice()
    shared.load([billed])
    with pytest.raises(stripe.InvalidRequestError) as error:
        client.v1.credit_notes.create({"invoice": billed["id"]})
    assert error.value.param == "amount"
    with pytest.raises(stripe.InvalidRequestError) as error:
        client.raw_request("post", "/v1/credit_notes", amount="100")
    assert (error.value.code, error.value.param) == ("parameter_missing", "invoice")
    for missing in (
        lambda: client.v1.credit_notes.create({"invoice": "in_none", "amount": 100}),
        lambda: client.v1.credit_notes.line_items.list("cn_none"),
    ):
        with pytest.raises(stripe.InvalidRequestError) as error:
            missing()
        assert error.value.code == "resource_missing"
