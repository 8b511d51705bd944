"""`/v1/subscriptions/{id}`: cancelling now or at the end of the period, and metadata.

That a cancelled subscription cannot be found for another cancellation, and that of it only metadata and the details of
the cancellation can be changed, is how Stripe answers (stripe/stripe-go#1887, fjordllc/bootcamp#10390).
"""

from __future__ import annotations

from . import agenda, currency, effects, events, params
from .errors import Invalid, Refused, missing
from .forms import Form
from .session import Session
from .wire import JsonObject

FEEDBACK = (
    "customer_service",
    "low_quality",
    "missing_features",
    "other",
    "switched_service",
    "too_complex",
    "too_expensive",
    "unused",
)


def cancel(session: Session, id: str, form: Form) -> JsonObject:
    """Ends a subscription now. With `prorate`, what is left of the period becomes a pending credit of the customer."""
    params.only(form, "cancellation_details", "invoice_now", "prorate")
    if params.boolean(form, "invoice_now"):
        raise Invalid("This double makes no invoice when a subscription is cancelled.", param="invoice_now")
    prorate, details = params.boolean(form, "prorate"), _details(form)
    subscription = _found(session, id)
    if subscription["status"] == "canceled":
        raise missing("subscription", id, param="id")
    credit = _prorated(session, subscription) if prorate else 0
    details = {**details, "reason": "cancellation_requested"}
    ended = _end(session, {**subscription, "canceled_at": session.now}, details)
    effects.record(session, "cancellation", ended, amount=credit)
    return ended


def update(session: Session, id: str, form: Form) -> JsonObject:
    """Changes metadata, details of the cancellation, and whether the subscription ends with its period."""
    params.only(form, "cancel_at_period_end", "cancellation_details", "metadata")
    at_end, details, metadata = params.boolean(form, "cancel_at_period_end"), _details(form), params.metadata(form)
    before = _found(session, id)
    if before["status"] == "canceled" and at_end is not None:
        raise Refused("A canceled subscription can only update its cancellation_details and metadata.")
    updated = {
        **before,
        "cancellation_details": {**before["cancellation_details"], **details},
        "metadata": params.merged_metadata(before["metadata"], metadata),
    }
    if at_end is not None and at_end != before["cancel_at_period_end"]:
        _plan_end(session, updated, at_end)
    if updated != before:
        session.put(updated)
        events.emit(session, "customer.subscription.updated", updated, before=before)
    return updated


def end(session: Session, entry: agenda.Entry) -> None:
    """Carries out a cancellation that waited for the end of the period."""
    subscription = session.get("subscription", entry.ref)
    if subscription is not None and subscription["status"] != "canceled":
        _end(session, subscription, {})


def _plan_end(session: Session, subscription: JsonObject, at_end: bool) -> None:
    """Sets or calls off the end with the period. Changes the given subscription."""
    if not at_end:
        agenda.drop(session, "subscription", subscription["id"])
        subscription |= {"cancel_at": None, "cancel_at_period_end": False, "canceled_at": None}
        subscription["cancellation_details"] = {**subscription["cancellation_details"], "reason": None}
        return
    _, period_end = _period(subscription)
    subscription |= {"cancel_at": period_end, "cancel_at_period_end": True, "canceled_at": session.now}
    details = {**subscription["cancellation_details"], "reason": "cancellation_requested"}
    subscription["cancellation_details"] = details
    agenda.put(session, agenda.Entry(period_end, "subscription", subscription["id"], {}))
    effects.record(session, "cancellation", subscription, amount=0)


def _end(session: Session, subscription: JsonObject, details: JsonObject) -> JsonObject:
    agenda.drop(session, "subscription", subscription["id"])
    details = {**subscription["cancellation_details"], **details}
    ended = {**subscription, "cancellation_details": details, "ended_at": session.now, "status": "canceled"}
    session.put(ended)
    events.emit(session, "customer.subscription.deleted", ended)
    return ended


def _prorated(session: Session, subscription: JsonObject) -> int:
    """Makes a pending invoice item that credits the unused time; returns the credit in minor units."""
    start, period_end = _period(subscription)
    unused, whole = max(0, period_end - session.now), period_end - start
    price = sum(_price(item) for item in subscription["items"]["data"])
    credit = currency.converted(price, min(unused, whole), whole) if whole > 0 else 0
    if credit:
        item: JsonObject = {
            "id": session.new_id("ii"),
            "object": "invoiceitem",
            "amount": -credit,
            "currency": subscription["currency"],
            "customer": subscription["customer"],
            "date": session.now,
            "description": "Unused time",
            "discountable": False,
            "discounts": [],
            "invoice": None,
            "livemode": subscription["livemode"],
            "metadata": {},
            "parent": {"subscription_details": {"subscription": subscription["id"]}, "type": "subscription_details"},
            "period": {"end": period_end, "start": session.now},
            "proration": True,
            "quantity": 1,
            "quantity_decimal": "1",
            "tax_rates": [],
        }
        session.put(item)
        events.emit(session, "invoiceitem.created", item)
    return credit


def _price(item: JsonObject) -> int:
    return int((item.get("price") or {}).get("unit_amount") or 0) * int(item.get("quantity", 1))


def _period(subscription: JsonObject) -> tuple[int, int]:
    """Start and end of the current period: of its items, or as it was before 2025-03-31.basil. Raises Refused."""
    items = (subscription.get("items") or {}).get("data") or []
    for holder in (*items, subscription):
        start, period_end = holder.get("current_period_start"), holder.get("current_period_end")
        if start is not None and period_end is not None:
            return start, period_end
    raise Refused("This subscription has no current period.")


def _details(form: Form) -> JsonObject:
    given = params.mapping(form, "cancellation_details")
    params.only(given, "comment", "feedback")
    read: JsonObject = {
        "comment": params.text(given, "comment"),
        "feedback": params.choice(given, "feedback", FEEDBACK),
    }
    return {name: value for name, value in read.items() if name in given}


def _found(session: Session, id: str) -> JsonObject:
    subscription = session.get("subscription", id)
    if subscription is None:
        raise missing("subscription", id, param="id")
    return subscription
