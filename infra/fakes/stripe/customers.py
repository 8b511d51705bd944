"""`/v1/customers`: creating and changing one."""

from __future__ import annotations

from . import events, params
from .errors import missing
from .forms import Form
from .session import Session
from .wire import JsonObject

_TEXTS = ("description", "email", "name", "phone")


def create(session: Session, form: Form) -> JsonObject:
    """Creates a customer; two with the same e-mail address are two customers, as at Stripe."""
    params.only(form, "metadata", *_TEXTS)
    customer: JsonObject = {
        "id": session.new_id("cus"),
        "object": "customer",
        "address": None,
        "balance": 0,
        "created": session.now,
        "currency": None,
        "customer_account": None,
        "default_source": None,
        "delinquent": False,
        "discount": None,
        "invoice_settings": {
            "custom_fields": None,
            "default_payment_method": None,
            "footer": None,
            "rendering_options": None,
        },
        "livemode": False,
        "metadata": params.merged_metadata({}, params.metadata(form)),
        "next_invoice_sequence": 1,
        "preferred_locales": [],
        "shipping": None,
        "tax_exempt": "none",
        "test_clock": None,
        **{name: params.text(form, name) for name in _TEXTS},
    }
    session.put(customer)
    events.emit(session, "customer.created", customer)
    return customer


def update(session: Session, id: str, form: Form) -> JsonObject:
    """Changes a customer's metadata, description, e-mail address, name or phone."""
    params.only(form, "metadata", *_TEXTS)
    changes = params.metadata(form)
    texts = {name: params.text(form, name) for name in _TEXTS if name in form}
    customer = found(session, id)
    metadata = params.merged_metadata(customer["metadata"], changes)
    return save(session, {**customer, **texts, "metadata": metadata}, customer)


def found(session: Session, id: str) -> JsonObject:
    """The customer with this id. Raises Refused, as a 404, when there is none."""
    customer = session.get("customer", id)
    if customer is None:
        raise missing("customer", id, param="id")
    return customer


def save(session: Session, customer: JsonObject, before: JsonObject) -> JsonObject:
    """Stores a changed customer and tells of it; returns it."""
    if customer != before:
        session.put(customer)
        events.emit(session, "customer.updated", customer, before=before)
    return customer
