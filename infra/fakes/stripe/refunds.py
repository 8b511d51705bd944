"""`/v1/refunds`: giving money back, what refuses it, and how a refund settles later.

Sources of the refusals: recorded test-mode sessions (API version 2026-08-26.dahlia) for codes and messages.
"""

from __future__ import annotations

from . import agenda, charges, clock, effects, events, ledger, lifecycle, params
from .currency import shown
from .errors import Invalid, Refused, missing
from .forms import Form
from .session import Session
from .wire import JsonObject

REASONS = ("duplicate", "fraudulent", "requested_by_customer")
_SLOW_CARDS = {"pm_card_pendingRefund": "pending", "pm_card_refundFail": "fails"}
"""Stripe's test payment methods whose refunds do not settle at once."""


def create(session: Session, form: Form) -> JsonObject:
    """Refunds a charge, named itself or by its payment intent; without an amount, all that is left."""
    params.only(form, "amount", "charge", "metadata", "payment_intent", "reason")
    amount = params.integer(form, "amount", minimum=1)
    reason = params.choice(form, "reason", REASONS)
    metadata = params.merged_metadata({}, params.metadata(form))
    if not form.get("charge") and not form.get("payment_intent"):
        raise Invalid("One of the following params should be provided for this request: payment_intent or charge.")

    return give(session, _target(session, form), amount, reason=reason, metadata=metadata)


def give(
    session: Session, charge: JsonObject, amount: int | None, *, reason: str | None, metadata: dict[str, str]
) -> JsonObject:
    """Refunds `amount` in minor units of a charge, or all that is left. Raises Refused when that cannot be."""
    _check_refundable(session, charge)
    remaining = charges.remaining(session, charge)
    if remaining <= 0:
        raise Refused(f"Charge {charge['id']} has already been refunded.", code="charge_already_refunded")
    if amount is not None and amount > remaining:
        asked, left = shown(amount, charge["currency"]), shown(remaining, charge["currency"])
        raise Refused(f"Refund amount ({asked}) is greater than unrefunded amount on charge ({left})", param="amount")
    refund = _new(session, charge, amount or remaining, reason, metadata)
    if reason == "fraudulent":
        session.put({**charge, "fraud_details": {"user_report": "fraudulent"}})
    effects.record(session, "refund", refund)
    return _begin(session, refund)


def update(session: Session, id: str, form: Form) -> JsonObject:
    """Changes a refund's metadata; nothing else of a refund can be changed."""
    params.only(form, "metadata")
    changes = params.metadata(form)
    refund = session.get("refund", id)
    if refund is None:
        raise missing("refund", id, param="refund")
    updated = {**refund, "metadata": params.merged_metadata(refund["metadata"], changes)}
    if updated != refund:
        _save(session, updated, refund)
    return updated


def settle(session: Session, entry: agenda.Entry) -> None:
    """Carries out what a refund was waiting for: it succeeds, or fails and the money comes back."""
    refund = session.get("refund", entry.ref)
    if refund is None:
        raise LookupError(f"the agenda names a refund that does not exist: {entry.ref}")
    settled = {name: value for name, value in refund.items() if name != "pending_reason"} | entry.body
    if settled["status"] == "succeeded":
        _pay(session, settled)
        _save(session, settled, refund)
        _tell_charge(session, settled)
        return
    if refund["status"] == "succeeded":
        _take_back(session, settled)
    _save(session, settled, refund, "refund.failed")


def expect(session: Session, refund: JsonObject) -> None:
    """Schedules the settling of a refund that is pending, or bound to fail."""
    outcome: JsonObject = {"status": "succeeded"}
    if _course(session, refund) in ("fails", "pending_fails"):
        outcome = {"status": "failed", "failure_reason": session.settings.refund_failure}
    at = session.now + session.settings.refund_days * clock.DAY
    agenda.put(session, agenda.Entry(at, "refund", refund["id"], outcome))


def take_over(session: Session, incoming: JsonObject) -> None:
    """Brings a refund up to date with what a scripted event says of it, and moves the money of a known one.

    The money of a refund that was not known is told of by `charge.refunded`.
    """
    before = session.get("refund", incoming["id"])
    if before is not None:
        incoming = {**before, **incoming, "metadata": before["metadata"] or incoming["metadata"]}
        course = (before["status"], incoming["status"])
        if course == ("pending", "succeeded"):
            _pay(session, incoming)
        if course == ("succeeded", "failed"):
            _take_back(session, incoming)
    session.put(incoming)
    if incoming["status"] == "pending":
        expect(session, incoming)
    else:
        agenda.drop(session, "refund", incoming["id"])


def _target(session: Session, form: Form) -> JsonObject:
    """The charge to refund. Raises Refused when it does not exist or never succeeded."""
    charge_id, intent_id = params.text(form, "charge"), params.text(form, "payment_intent")
    if charge_id is not None:
        charge = session.get("charge", charge_id)
        if charge is None:
            raise missing("charge", charge_id, param="id")
        if intent_id is not None and charge["payment_intent"] != intent_id:
            raise Refused("The charge does not belong to the payment_intent.", param="charge")
        return charge
    intent = session.get("payment_intent", intent_id)
    if intent is None:
        raise missing("payment_intent", str(intent_id), param="payment_intent")
    charge = session.get("charge", intent.get("latest_charge"))
    if charge is None:
        raise Refused(f"This PaymentIntent ({intent_id}) does not have a successful charge to refund.")
    return charge


def _check_refundable(session: Session, charge: JsonObject) -> None:
    intent = charge["payment_intent"]
    if charge["status"] == "failed" or not charge["paid"]:
        named = f"This PaymentIntent ({intent})" if intent else f"Charge {charge['id']}"
        raise Refused(f"{named} does not have a successful charge to refund.")
    if not charge["captured"]:
        if intent is None:
            raise Refused(f"Charge {charge['id']} has not been captured and cannot be refunded.")
        raise Refused(
            f"This uncaptured Charge was created by a PaymentIntent ({intent}). You must cancel the PaymentIntent to "
            "reverse the authorization instead of refunding the Charge directly."
        )
    if charges.is_charged_back(session, charge):
        message = f"Charge {charge['id']} has been charged back; cannot issue a refund."
        raise Refused(message, code="charge_disputed")


def _new(session: Session, charge: JsonObject, amount: int, reason: str | None, metadata: dict[str, str]) -> JsonObject:
    method = (charge.get("payment_method_details") or {}).get("type", "card")
    card = {"reference_status": "pending", "reference_type": "acquirer_reference_number", "type": "refund"}
    return {
        "id": session.new_id("re"),
        "object": "refund",
        "amount": amount,
        "balance_transaction": None,
        "charge": charge["id"],
        "created": session.now,
        "currency": charge["currency"],
        "customer": charge["customer"],
        "customer_account": None,
        "destination_details": {method: card if method == "card" else {}, "type": method},
        "metadata": metadata,
        "payment_intent": charge["payment_intent"],
        "payment_method": charge["payment_method"],
        "reason": reason,
        "receipt_number": None,
        "source_transfer_reversal": None,
        "status": "succeeded",
        "transfer_reversal": None,
    }


def _begin(session: Session, refund: JsonObject) -> JsonObject:
    """Starts a new refund on its course: settled at once, pending, or bound to fail later."""
    course = _course(session, refund)
    if course is not None:
        expect(session, refund)
    if course in ("pending", "pending_fails"):
        refund |= {"status": "pending", "pending_reason": "processing"}
        session.put(refund)
        events.emit(session, "refund.created", refund)
        return refund
    _pay(session, refund)
    session.put(refund)
    events.emit(session, "refund.created", refund)
    _tell_charge(session, refund)
    return refund


def _course(session: Session, refund: JsonObject) -> str | None:
    return session.settings.refunds.get(refund["charge"]) or _SLOW_CARDS.get(refund["payment_method"])


def _pay(session: Session, refund: JsonObject) -> None:
    """Moves the money of a refund and shows it on the charge. Changes the given refund."""
    charge = _charge(session, refund)
    refund["balance_transaction"] = ledger.refund_paid(session, refund, charge)
    charge["amount_refunded"] += refund["amount"]
    charge["refunded"] = charge["amount_refunded"] >= charge["amount_captured"]
    session.put(charge)


def _take_back(session: Session, refund: JsonObject) -> None:
    """Undoes `_pay` for a refund that failed after all. Changes the given refund."""
    charge = _charge(session, refund)
    refund["failure_balance_transaction"] = ledger.refund_returned(session, refund, charge)
    charge["amount_refunded"] -= refund["amount"]
    charge["refunded"] = False
    session.put(charge)
    charges.refresh(session, charge["id"])


def _tell_charge(session: Session, refund: JsonObject) -> None:
    """Tells of a refund on its charge, and of what a full refund settles."""
    charge = _charge(session, refund)
    events.emit(session, "charge.refunded", charge)
    if charge["refunded"]:
        lifecycle.close_inquiries(session, charge)
    charges.refresh(session, charge["id"])


def _save(session: Session, refund: JsonObject, before: JsonObject, *types: str) -> None:
    session.put(refund)
    for type in ("refund.updated", "charge.refund.updated", *types):
        events.emit(session, type, refund, before=before if type.endswith(".updated") else None)


def _charge(session: Session, refund: JsonObject) -> JsonObject:
    charge = session.get("charge", refund["charge"])
    if charge is None:
        raise LookupError(f"the charge of a refund does not exist: {refund['charge']}")
    return charge
