"""`/v1/customers/{id}/balance_transactions`: what a customer is owed (negative) or owes."""

from __future__ import annotations

from . import customers, effects, listing, params
from .errors import Refused, missing, required
from .forms import Form
from .resources import BALANCE_CHANGES
from .session import Session
from .wire import JsonObject


def create(session: Session, id: str, form: Form) -> JsonObject:
    """Changes a customer's balance by hand; a negative amount is a credit to them."""
    params.only(form, "amount", "currency", "description", "metadata")
    amount, currency = params.integer(form, "amount"), params.text(form, "currency")
    if amount is None:
        raise required("amount")
    if currency is None:
        raise required("currency")
    metadata = params.merged_metadata({}, params.metadata(form))
    texts: JsonObject = {"description": params.text(form, "description"), "metadata": metadata}
    return book(session, id, amount, currency.lower(), "adjustment", **texts)


def book(session: Session, id: str, amount: int, currency: str, type: str, **fields: object) -> JsonObject:
    """Changes the balance of a customer by `amount` minor units; returns the transaction.

    Raises Refused for an unknown customer, and for a currency other than the one they are billed in.
    """
    customer = customers.found(session, id)
    if customer["currency"] not in (None, currency):
        message = (
            "You cannot combine currencies on a single customer. This customer has had a subscription, coupon, or "
            f"invoice item with currency {customer['currency']}"
        )
        raise Refused(message, param="currency")
    balance = customer["balance"] + amount
    change: JsonObject = {
        "id": session.new_id("cbtxn"),
        "object": "customer_balance_transaction",
        "amount": amount,
        "checkout_session": None,
        "created": session.now,
        "credit_note": None,
        "currency": currency,
        "customer": id,
        "customer_account": None,
        "description": None,
        "ending_balance": balance,
        "invoice": None,
        "livemode": customer["livemode"],
        "metadata": {},
        "type": type,
        **fields,
    }
    session.put(change)
    customers.save(session, {**customer, "balance": balance, "currency": currency}, customer)
    effects.record(session, "balance_credit", change)
    return change


def page(session: Session, id: str, form: Form) -> JsonObject:
    """A page of the changes of a customer's balance, newest first."""
    customers.found(session, id)
    url = f"/v1/customers/{id}/balance_transactions"
    return {**listing.page(session, BALANCE_CHANGES, form, customer=id), "url": url}


def retrieve(session: Session, id: str, change_id: str, form: Form) -> JsonObject:
    """One change of a customer's balance."""
    params.only(form)
    change = session.get(BALANCE_CHANGES.kind, change_id)
    if change is None or change["customer"] != id:
        raise missing(BALANCE_CHANGES.noun, change_id, param=BALANCE_CHANGES.param)
    return change
