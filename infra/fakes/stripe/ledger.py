"""Balance transactions: every movement of money, in the currency it settles in."""

from __future__ import annotations

from typing import Literal

from .currency import converted
from .session import Session
from .wire import JsonObject

Fee = Literal["received", "countered", "compliance"]
_FEE_TEXT: dict[Fee, str] = {
    "received": "Dispute fee",
    "countered": "Dispute countered fee",
    "compliance": "Compliance dispute countered fee",
}


def charge_paid(session: Session, charge: JsonObject) -> str:
    """Books a charge that was paid, in its own currency and without Stripe's fee; returns the transaction's id."""
    text = charge["description"] or "Payment"
    return str(_book(session, charge["amount"], charge["currency"], charge, "charge", "charge", text)["id"])


def refund_paid(session: Session, refund: JsonObject, charge: JsonObject) -> str:
    """Books a refund that left the balance; returns the transaction's id."""
    text = f"REFUND FOR CHARGE ({charge['id']})"
    return str(_settled(session, charge, -refund["amount"], refund, "refund", "refund", text)["id"])


def refund_returned(session: Session, refund: JsonObject, charge: JsonObject) -> str:
    """Books a refund that came back because it failed; returns the transaction's id."""
    text = f"REFUND FAILURE FOR CHARGE ({charge['id']})"
    entry = _settled(session, charge, refund["amount"], refund, "refund_failure", "refund_failure", text)
    return str(entry["id"])


def withdraw(session: Session, dispute: JsonObject, charge: JsonObject | None) -> JsonObject:
    """Books the withdrawal of a disputed amount with the received fee; returns the transaction."""
    text = f"Chargeback withdrawal for {dispute['charge']}"
    entry = _settled(session, charge, -dispute["amount"], dispute, "adjustment", "dispute", text)
    fee = session.settings.received_fee
    if not fee:
        return entry
    if entry["currency"] != session.settings.fee_currency:
        _fee(session, dispute, "received", fee)
        return entry
    detail = {"amount": fee, "application": None, "currency": entry["currency"], "type": "stripe_fee"}
    entry["fee"] = fee
    entry["fee_details"] = [{**detail, "description": _FEE_TEXT["received"]}]
    entry["net"] = entry["amount"] - fee
    session.put(entry)
    return entry


def reinstate(session: Session, dispute: JsonObject, withdrawal: JsonObject) -> JsonObject:
    """Books the return of what a withdrawal took, without the received fee; returns the transaction."""
    text = f"Chargeback reversal for {dispute['charge']}"
    amount, currency = -withdrawal["amount"], withdrawal["currency"]
    return _book(session, amount, currency, dispute, "adjustment", "dispute_reversal", text)


def take_contest_fees(session: Session, dispute: JsonObject) -> None:
    """Books what contesting costs; a compliance dispute costs more."""
    _fee(session, dispute, "countered", session.settings.countered_fee)
    if dispute["reason"] == "noncompliant":
        _fee(session, dispute, "compliance", session.settings.compliance_fee)


def return_contest_fees(session: Session, dispute: JsonObject) -> None:
    """Books the return of every countered fee that was taken and is still kept."""
    contest = (_FEE_TEXT["countered"], _FEE_TEXT["compliance"])
    booked = session.find("balance_transaction", "source", dispute["id"])
    fees = [entry for entry in booked if entry["type"] == "stripe_fee" and entry["description"].startswith(contest)]
    for text in contest:
        owed = -sum(entry["amount"] for entry in fees if entry["description"].startswith(text))
        if owed:
            _book(session, owed, session.settings.fee_currency, dispute, "stripe_fee", "fee", f"{text} returned")


def _fee(session: Session, dispute: JsonObject, fee: Fee, amount: int) -> None:
    if amount:
        _book(session, -amount, session.settings.fee_currency, dispute, "stripe_fee", "fee", _FEE_TEXT[fee])


def _settled(
    session: Session,
    charge: JsonObject | None,
    amount: int,
    source: JsonObject,
    type: str,
    category: str,
    text: str,
) -> JsonObject:
    """Books an amount in the currency that the charge itself settled in, at the charge's own rate."""
    booked = session.get("balance_transaction", charge.get("balance_transaction")) if charge else None
    currency = source["currency"]
    if charge and booked and currency == charge["currency"] != booked["currency"] and charge["amount"]:
        size = converted(abs(amount), booked["amount"], charge["amount"])
        amount, currency = size if amount > 0 else -size, booked["currency"]
    return _book(session, amount, currency, source, type, category, text)


def _book(
    session: Session, amount: int, currency: str, source: JsonObject, type: str, category: str, text: str
) -> JsonObject:
    entry: JsonObject = {
        "id": session.new_id("txn"),
        "object": "balance_transaction",
        "amount": amount,
        "available_on": session.now,
        "balance_type": "payments",
        "created": session.now,
        "currency": currency,
        "description": text,
        "exchange_rate": None,
        "fee": 0,
        "fee_details": [],
        "net": amount,
        "reporting_category": category,
        "source": source["id"],
        "status": "available",
        "type": type,
    }
    session.put(entry)
    return entry
