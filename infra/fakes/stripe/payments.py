"""One attempt to charge a card for an invoice: the payment intent, charge and invoice payment it leaves behind."""

from __future__ import annotations

from . import cards, events, ledger
from .errors import Declined
from .session import Session
from .wire import JsonObject


def pay(session: Session, invoice: JsonObject, method: str | None) -> JsonObject:
    """Charges what remains of an invoice; returns the charge. The invoice itself is left to the caller."""
    payment, intent = _begin(session, invoice, method)
    charge = _charge(session, invoice, intent, paid=True)
    charge["balance_transaction"] = ledger.charge_paid(session, charge)
    session.put(charge)
    done = {"amount_received": charge["amount"], "last_payment_error": None, "latest_charge": charge["id"]}
    paid_intent = {**intent, **done, "next_action": None, "status": "succeeded"}
    session.put(paid_intent)
    transitions = {"canceled_at": None, "paid_at": session.now}
    paid = {**payment, "amount_paid": charge["amount"], "status": "paid", "status_transitions": transitions}
    session.put(paid)
    events.emit(session, "charge.succeeded", charge)
    events.emit(session, "payment_intent.succeeded", paid_intent)
    events.emit(session, "invoice_payment.paid", paid)
    return charge


def decline(session: Session, invoice: JsonObject, method: str | None, code: str) -> Declined:
    """Has the issuer refuse the charge for the reason `code`; returns the error that tells of it."""
    _, intent = _begin(session, invoice, method)
    charge = _charge(session, invoice, intent, paid=False)
    charge |= {"failure_code": cards.error_code(code), "failure_message": cards.message(code)}
    charge["outcome"] = {**charge["outcome"], "reason": code}
    session.put(charge)
    said: JsonObject = {
        "charge": charge["id"],
        "code": cards.error_code(code),
        "decline_code": code,
        "message": cards.message(code),
        "type": "card_error",
    }
    declined = {
        **intent,
        "last_payment_error": said,
        "latest_charge": charge["id"],
        "payment_method": None,
        "status": "requires_payment_method",
    }
    session.put(declined)
    events.emit(session, "charge.failed", charge)
    events.emit(session, "payment_intent.payment_failed", declined)
    details = {"charge": charge["id"], "decline_code": code, "payment_intent": declined}
    return Declined(cards.message(code), code=cards.error_code(code), details=details)


def ask_customer(session: Session, invoice: JsonObject, method: str | None) -> Declined:
    """Has the issuer ask the cardholder to authenticate; returns the error that tells of it."""
    _, intent = _begin(session, invoice, method)
    action = {"type": "use_stripe_sdk", "use_stripe_sdk": {"type": "three_d_secure_redirect"}}
    waiting = {**intent, "next_action": action, "status": "requires_action"}
    session.put(waiting)
    events.emit(session, "payment_intent.requires_action", waiting)
    message = (
        "Payment for this invoice requires additional user action before it can be completed successfully. Payment can "
        "be completed using the PaymentIntent associated with the invoice. For more details see: "
        "https://stripe.com/docs/billing/subscriptions/overview#requires-action"
    )
    code = "invoice_payment_intent_requires_action"
    return Declined(message, code=code, details={"payment_intent": waiting})


def _begin(session: Session, invoice: JsonObject, method: str | None) -> tuple[JsonObject, JsonObject]:
    """The open payment of an invoice with its intent, made if there is none yet."""
    for payment in session.find("invoice_payment", "invoice", invoice["id"]):
        intent = session.get("payment_intent", payment["payment"].get("payment_intent"))
        if payment["status"] == "open" and intent is not None:
            return payment, {**intent, "amount": invoice["amount_remaining"], "payment_method": method}
    intent = _new_intent(session, invoice, method)
    session.put(intent)
    payment = {
        "id": session.new_id("inpay"),
        "object": "invoice_payment",
        "amount_paid": None,
        "amount_requested": invoice["amount_remaining"],
        "created": session.now,
        "currency": invoice["currency"],
        "invoice": invoice["id"],
        "is_default": True,
        "livemode": invoice["livemode"],
        "payment": {"payment_intent": intent["id"], "type": "payment_intent"},
        "status": "open",
        "status_transitions": {"canceled_at": None, "paid_at": None},
    }
    session.put(payment)
    events.emit(session, "payment_intent.created", intent)
    return payment, intent


def _new_intent(session: Session, invoice: JsonObject, method: str | None) -> JsonObject:
    return {
        "id": session.new_id("pi"),
        "object": "payment_intent",
        "amount": invoice["amount_remaining"],
        "amount_capturable": 0,
        "amount_received": 0,
        "canceled_at": None,
        "capture_method": "automatic",
        "confirmation_method": "automatic",
        "created": session.now,
        "currency": invoice["currency"],
        "customer": invoice["customer"],
        "description": "Payment for Invoice",
        "last_payment_error": None,
        "latest_charge": None,
        "livemode": invoice["livemode"],
        "metadata": {},
        "next_action": None,
        "payment_method": method,
        "payment_method_types": ["card"],
        "status": "requires_confirmation",
    }


def _charge(session: Session, invoice: JsonObject, intent: JsonObject, *, paid: bool) -> JsonObject:
    amount = invoice["amount_remaining"]
    refused = {"network_status": "declined_by_network", "seller_message": None, "type": "issuer_declined"}
    accepted = {"network_status": "approved_by_network", "seller_message": "Payment complete.", "type": "authorized"}
    return {
        "id": session.new_id("ch"),
        "object": "charge",
        "amount": amount,
        "amount_captured": amount if paid else 0,
        "amount_refunded": 0,
        "balance_transaction": None,
        "billing_details": {"address": None, "email": None, "name": None, "phone": None, "tax_id": None},
        "captured": paid,
        "created": session.now,
        "currency": invoice["currency"],
        "customer": invoice["customer"],
        "description": intent.get("description"),
        "disputed": False,
        "failure_code": None,
        "failure_message": None,
        "fraud_details": {},
        "livemode": invoice["livemode"],
        "metadata": {},
        "outcome": {"reason": None, **(accepted if paid else refused)},
        "paid": paid,
        "payment_intent": intent["id"],
        "payment_method": intent["payment_method"],
        "refunded": False,
        "status": "succeeded" if paid else "failed",
    }
