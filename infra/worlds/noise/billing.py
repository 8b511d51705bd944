"""Other customers' bills: stripe.* and legacy_billing.*."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta

from infra.worlds.noise.cast import Cast, Company
from infra.worlds.noise.chargebacks import dispute, movement, refund, warning
from infra.worlds.noise.dice import Dice, epoch, iso
from infra.worlds.noise.scene import Scene
from infra.worlds.tables import Row, Tables

_MONTH = timedelta(days=30)
_DISPUTES = 5
_REFUNDS = 6
_WARNINGS = 2
_LEGACY = 8


def make(dice: Dice, scene: Scene, cast: Cast, scale: int) -> Tables:
    """A customer, subscription, invoice and charge per company; some refunds; some disputes, all of them ended."""
    tables: Tables = defaultdict(list)
    subscriptions: dict[str, str] = {}
    for company in cast.companies:
        at = dice.moment(30, 4)
        subscriptions[company.name] = _subscribe(dice, scene, company, at, tables)
        _bill(dice, scene, company, subscriptions[company.name], at, tables)
    for company in dice.several(cast.companies, _REFUNDS * scale):
        at = dice.moment(110, 62)
        refund(dice, _bill(dice, scene, company, subscriptions[company.name], at, tables), at, tables)
    for number, company in enumerate(dice.several(cast.companies, _DISPUTES * scale)):
        at = dice.moment(210, 150)
        charge = _bill(dice, scene, company, subscriptions[company.name], at, tables)
        dispute(dice, charge, at, tables, won=number % 2 == 0)
        if number < _WARNINGS * scale:
            warning(dice, charge, at, tables)
    for company in dice.several(cast.companies, _LEGACY * scale):
        tables["legacy_billing.charges"].append(_legacy_charge(dice, scene, company))
    return dict(tables)


def _bill(dice: Dice, scene: Scene, company: Company, subscription: str, at: datetime, tables: Tables) -> Row:
    """One invoice for a month ahead, paid by one charge, which is returned."""
    invoice, intent = dice.stripe_id("in"), dice.stripe_id("pi")
    charge = _charge(dice, scene, company, intent, at)
    amount, currency = company.price_minor, scene.currency
    paid = {"created": epoch(at), "currency": currency, "customer": company.stripe_id, "metadata": {}}
    received = {"amount": amount, "amount_received": amount, "latest_charge": charge["id"], "status": "succeeded"}
    payment = {"payment__type": "payment_intent", "payment__payment_intent": intent, "amount_paid": amount}
    tables["stripe.charges"].append(charge)
    tables["stripe.payment_intents"].append({"id": intent} | received | paid)
    tables["stripe.invoices"].append(_invoice(dice, company, invoice, subscription, at) | paid)
    tables["stripe.invoice_lines"].append(_line(dice, company, invoice, subscription, at) | {"currency": currency})
    tables["stripe.invoice_payments"].append(
        {"id": dice.stripe_id("inpay"), "invoice": invoice, "currency": currency, "status": "paid"} | payment
    )
    tables["stripe.balance_transactions"].append(movement(dice, charge, amount, amount * 29 // 1000 + 30, at))
    return charge


def _line(dice: Dice, company: Company, invoice: str, subscription: str, at: datetime) -> Row:
    return {
        "id": dice.stripe_id("il"),
        "invoice": invoice,
        "amount": company.price_minor,
        "description": f"1 × {company.plan}",
        "quantity": 1,
        "period__start": epoch(at),
        "period__end": epoch(at + _MONTH),
        "subscription": subscription,
        "price__nickname": company.plan,
        "price__unit_amount": company.price_minor,
    }


def _subscribe(dice: Dice, scene: Scene, company: Company, at: datetime, tables: Tables) -> str:
    """The company as a customer with a subscription whose current period starts at `at`; the subscription's id."""
    subscription = _subscription(dice, company, at)
    tables["stripe.customers"].append(_customer(dice, scene, company, at))
    tables["stripe.subscriptions"].append(subscription)
    return str(subscription["id"])


def _customer(dice: Dice, scene: Scene, company: Company, at: datetime) -> Row:
    payer = company.people[0]
    return {
        "id": company.stripe_id,
        "email": payer.email,
        "name": company.name,
        "created": epoch(at - timedelta(days=dice.number(900, 1200))),
        "currency": scene.currency,
        "balance": 0,
        "delinquent": False,
        "tax_exempt": "none",
        "address__country": dice.pick(("US", "GB", "DE", "CA", "NL")),
        "metadata": {},
    }


def _subscription(dice: Dice, company: Company, at: datetime) -> Row:
    start = epoch(at - dice.number(8, 30) * _MONTH)
    return {
        "id": dice.stripe_id("sub"),
        "customer": company.stripe_id,
        "status": "active",
        "created": start,
        "start_date": start,
        "current_period_start": epoch(at),
        "current_period_end": epoch(at + _MONTH),
        "cancel_at_period_end": False,
        "price__nickname": company.plan,
        "price__unit_amount": company.price_minor,
        "price__interval": "month",
        "quantity": 1,
        "metadata": {},
    }


def _charge(dice: Dice, scene: Scene, company: Company, intent: str, at: datetime) -> Row:
    payer = company.people[0]
    return {
        "id": dice.stripe_id("ch"),
        "amount": company.price_minor,
        "amount_captured": company.price_minor,
        "amount_refunded": 0,
        "currency": scene.currency,
        "customer": company.stripe_id,
        "payment_intent": intent,
        "description": "Subscription update",
        "disputed": False,
        "refunded": False,
        "paid": True,
        "captured": True,
        "status": "succeeded",
        "created": epoch(at),
        "receipt_email": payer.email,
        "billing_details__email": payer.email,
        "billing_details__name": payer.name,
        "outcome__risk_level": "normal",
        "outcome__risk_score": dice.number(2, 48),
        "outcome__seller_message": "Payment complete.",
        "payment_method_details__type": "card",
        "payment_method_details__card__brand": dice.pick(("visa", "mastercard", "amex")),
        "payment_method_details__card__last4": dice.digits(4),
        "payment_method_details__card__checks__cvc_check": "pass",
        "metadata": {},
    }


def _invoice(dice: Dice, company: Company, key: str, subscription: str, at: datetime) -> Row:
    amount = company.price_minor
    return {
        "id": key,
        "number": f"{dice.hexadecimal(8).upper()}-{dice.number(1, 40):04d}",
        "customer_email": company.people[0].email,
        "status": "paid",
        "total": amount,
        "subtotal": amount,
        "amount_due": amount,
        "amount_paid": amount,
        "amount_remaining": 0,
        "period_start": epoch(at - _MONTH),
        "period_end": epoch(at),
        "attempt_count": 1,
        "billing_reason": "subscription_cycle",
        "subscription": subscription,
        "parent__subscription_details__subscription": subscription,
        "status_transitions__finalized_at": epoch(at),
        "status_transitions__paid_at": epoch(at),
    }


def _legacy_charge(dice: Dice, scene: Scene, company: Company) -> Row:
    at = dice.moment(400, 150)
    return {
        "id": dice.digits(7, prefix="LB-"),
        "customer_email": company.people[0].email,
        "company": company.name,
        "amount": company.price_minor,
        "currency": scene.currency,
        "created_at": iso(at),
        "period_start": iso(at),
        "period_end": iso(at + _MONTH),
        "status": "paid",
        "system": "legacy",
    }
