"""The kinds of object that can be read, where they live and what their lists can be filtered by.

Source: the list endpoints of Stripe's API reference. What an object refers to (`REFERENCES`) is what `expand[]` follows
and what is reduced to an id when an expanded object is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Resource:
    """`kind` is the object's `object`, `noun` what an error calls it, `param` what a 404 names."""

    path: str
    kind: str
    noun: str
    filters: tuple[str, ...] = ()
    param: str = "id"


RESOURCES = (
    Resource("charges", "charge", "charge", ("customer", "payment_intent")),
    Resource("payment_intents", "payment_intent", "payment_intent", ("customer",), "intent"),
    Resource("customers", "customer", "customer", ("email",)),
    Resource("refunds", "refund", "refund", ("charge", "payment_intent"), "refund"),
    Resource("disputes", "dispute", "dispute", ("charge", "payment_intent"), "dispute"),
    Resource("balance_transactions", "balance_transaction", "balance transaction", ("currency", "source", "type")),
    Resource("events", "event", "event", ("type",)),
    Resource("files", "file", "file upload", ("purpose",), "file"),
    Resource("invoices", "invoice", "invoice", ("collection_method", "customer", "status", "subscription")),
    Resource("invoiceitems", "invoiceitem", "invoiceitem", ("customer", "invoice")),
    Resource("invoice_payments", "invoice_payment", "invoice payment", ("invoice", "status")),
    Resource("subscriptions", "subscription", "subscription", ("customer", "status")),
    Resource("radar/early_fraud_warnings", "radar.early_fraud_warning", "warning", ("charge", "payment_intent")),
    Resource("payment_methods", "payment_method", "PaymentMethod", ("customer", "type")),
    Resource("credit_notes", "credit_note", "credit note", ("customer", "invoice")),
    Resource("reviews", "review", "review"),
    Resource("payouts", "payout", "payout", ("status",)),
    Resource("products", "product", "product"),
    Resource("prices", "price", "price", ("product",)),
)
BALANCE_CHANGES = Resource(
    "balance_transactions", "customer_balance_transaction", "customer balance transaction", ("invoice",), "transaction"
)
"""Below a customer: not to be mistaken for the balance transactions of the account."""

REFERENCES: dict[str, dict[str, str]] = {
    "charge": {
        "balance_transaction": "balance_transaction",
        "customer": "customer",
        "invoice": "invoice",
        "payment_intent": "payment_intent",
        "review": "review",
    },
    "refund": {
        "balance_transaction": "balance_transaction",
        "charge": "charge",
        "failure_balance_transaction": "balance_transaction",
        "payment_intent": "payment_intent",
    },
    "dispute": {"charge": "charge", "payment_intent": "payment_intent"},
    "payment_intent": {
        "customer": "customer",
        "invoice": "invoice",
        "latest_charge": "charge",
        "payment_method": "payment_method",
        "review": "review",
    },
    "invoice": {
        "charge": "charge",
        "customer": "customer",
        "default_payment_method": "payment_method",
        "parent.subscription_details.subscription": "subscription",
        "payment_intent": "payment_intent",
        "subscription": "subscription",
    },
    "invoice_payment": {
        "invoice": "invoice",
        "payment.charge": "charge",
        "payment.payment_intent": "payment_intent",
    },
    "invoiceitem": {"customer": "customer", "invoice": "invoice"},
    "customer_balance_transaction": {"credit_note": "credit_note", "customer": "customer", "invoice": "invoice"},
    "subscription": {
        "customer": "customer",
        "default_payment_method": "payment_method",
        "latest_invoice": "invoice",
    },
    "radar.early_fraud_warning": {"charge": "charge", "payment_intent": "payment_intent"},
    "balance_transaction": {"source": "charge refund dispute payout"},
    "credit_note": {
        "customer": "customer",
        "customer_balance_transaction": "customer_balance_transaction",
        "invoice": "invoice",
    },
    "payment_method": {"customer": "customer"},
    "review": {"charge": "charge", "payment_intent": "payment_intent"},
    "price": {"product": "product"},
}
"""Kind -> field, or path to it -> the kinds its id may belong to."""

LISTS = {
    ("charge", "refunds"): ("refund", "charge"),
    ("invoice", "payments"): ("invoice_payment", "invoice"),
}
"""Kind and field of the lists that come only when expanded -> what they list, and which of its fields leads back."""
