"""`/v1/invoices/{id}`: trying to collect what is due, giving it up, and the lines.

`attempt_count` counts the attempts of the retry schedule: the first attempt counts whoever makes it, a later one by
hand does not (docs.stripe.com/api/invoices/object). So a retry asked for here leaves it as it is once it is 1 or more.
"""

from __future__ import annotations

from . import cards, effects, events, listing, params, payments
from .errors import Refused, StripeError, missing
from .forms import Form
from .session import Session
from .wire import JsonObject

_BEHIND = ("past_due", "incomplete")
"""Statuses of a subscription that end when its latest invoice is paid."""
_COLLECTABLE = ("open", "uncollectible")


def pay(session: Session, id: str, form: Form) -> JsonObject:
    """Charges what remains of an open invoice now. Raises Declined when the card does not pay."""
    params.only(form, "off_session", "payment_method")
    params.boolean(form, "off_session")
    given = params.text(form, "payment_method")
    invoice = found(session, id)
    if invoice["status"] == "paid":
        raise Refused("Invoice is already paid")
    if invoice["status"] not in _COLLECTABLE:
        raise Refused(f"You can only pay an open invoice. This invoice is {invoice['status']}.")
    method = given or _default_method(session, invoice)
    outcome = cards.outcome(session.settings.invoices.get(id), method)
    attempted = {**invoice, "attempt_count": invoice["attempt_count"] or 1, "attempted": True}
    if outcome == cards.PAID:
        return _collect(session, attempted, invoice, method)
    raise _fail(session, attempted, invoice, method, outcome)


def mark_uncollectible(session: Session, id: str, form: Form) -> JsonObject:
    """Gives up on an open invoice; it can still be paid."""
    params.only(form)
    invoice = found(session, id)
    if invoice["status"] != "open":
        raise Refused(f"You can only mark an open invoice as uncollectible. This invoice is {invoice['status']}.")
    transitions = {**invoice["status_transitions"], "marked_uncollectible_at": session.now}
    changed = {"next_payment_attempt": None, "status": "uncollectible", "status_transitions": transitions}
    return save(session, {**invoice, **changed}, invoice, "invoice.marked_uncollectible")


def lines(session: Session, id: str, form: Form) -> JsonObject:
    """A page of an invoice's line items, in the order of the invoice."""
    listed: JsonObject = found(session, id)["lines"]
    return listing.part(listed["data"], form, url=f"/v1/invoices/{id}/lines", noun="invoice line item")


def found(session: Session, id: str, *, param: str = "invoice") -> JsonObject:
    """The invoice with this id. Raises Refused, as a 404, when there is none."""
    invoice = session.get("invoice", id)
    if invoice is None:
        raise missing("invoice", id, param=param)
    return invoice


def save(session: Session, invoice: JsonObject, before: JsonObject, *types: str) -> JsonObject:
    """Stores a changed invoice and tells of it, first as `invoice.updated`; returns it."""
    session.put(invoice)
    events.emit(session, "invoice.updated", invoice, before=before)
    for type in types:
        events.emit(session, type, invoice)
    return invoice


def settled(session: Session, invoice: JsonObject, before: JsonObject) -> JsonObject:
    """Marks an invoice of which nothing remains as paid, and tells of it and of its subscription; returns it."""
    transitions = {**invoice["status_transitions"], "paid_at": session.now}
    done = {"amount_remaining": 0, "next_payment_attempt": None, "status": "paid", "status_transitions": transitions}
    paid = save(session, {**invoice, **done}, before, "invoice.paid", "invoice.payment_succeeded")
    subscription = session.get("subscription", subscription_of(invoice))
    if subscription and subscription["latest_invoice"] == invoice["id"] and subscription["status"] in _BEHIND:
        active = {**subscription, "status": "active"}
        session.put(active)
        events.emit(session, "customer.subscription.updated", active, before=subscription)
    return paid


def subscription_of(invoice: JsonObject) -> str | None:
    """The id of the subscription an invoice is for, in today's place or the one before 2025-03-31.basil."""
    details = (invoice["parent"] or {}).get("subscription_details") or {}
    id: str | None = details.get("subscription") or invoice.get("subscription")
    return id


def charge_of(session: Session, invoice: JsonObject) -> JsonObject | None:
    """The charge that paid an invoice; None when no charge did."""
    for payment in session.find("invoice_payment", "invoice", invoice["id"]):
        if payment["status"] != "paid":
            continue
        intent = session.get("payment_intent", payment["payment"].get("payment_intent"))
        charge = session.get("charge", payment["payment"].get("charge") or (intent or {}).get("latest_charge"))
        if charge is not None:
            return charge
    return None


def _collect(session: Session, invoice: JsonObject, before: JsonObject, method: str | None) -> JsonObject:
    charge = payments.pay(session, invoice, method) if invoice["amount_remaining"] else None
    paid = settled(session, {**invoice, "amount_paid": invoice["amount_paid"] + invoice["amount_remaining"]}, before)
    if charge is not None:
        effects.record(session, "invoice_payment", paid, charge=charge["id"], amount=charge["amount"])
    return paid


def _fail(session: Session, invoice: JsonObject, before: JsonObject, method: str | None, outcome: str) -> StripeError:
    if outcome == cards.REQUIRES_ACTION:
        declined = payments.ask_customer(session, invoice, method)
        save(session, invoice, before, "invoice.payment_action_required", "invoice.payment_failed")
    else:
        declined = payments.decline(session, invoice, method, outcome)
        save(session, invoice, before, "invoice.payment_failed")
    charge = declined.details.get("charge")
    effects.record(session, "invoice_attempt", invoice, charge=charge, amount=invoice["amount_remaining"])
    return declined


def _default_method(session: Session, invoice: JsonObject) -> str | None:
    """The payment method an attempt uses when none is named: the invoice's, the subscription's, the customer's."""
    subscription = session.get("subscription", subscription_of(invoice)) or {}
    customer = session.get("customer", invoice["customer"]) or {}
    ours = (customer.get("invoice_settings") or {}).get("default_payment_method")
    return invoice["default_payment_method"] or subscription.get("default_payment_method") or ours
