"""`/v1/charges/{id}`, and what a charge's refunds and disputes mean for it: what is left, what follows."""

from __future__ import annotations

from . import events, params
from .errors import missing
from .forms import Form
from .session import Session
from .wire import JsonObject

_REFUNDABLE = ("warning_needs_response", "warning_under_review", "warning_closed", "won")
"""Statuses of a dispute that leave its charge refundable: inquiries, and what the issuer gave back."""


def update(session: Session, id: str, form: Form) -> JsonObject:
    """Changes a charge's metadata or description."""
    params.only(form, "description", "metadata")
    changes = params.metadata(form)
    charge = session.get("charge", id)
    if charge is None:
        raise missing("charge", id, param="id")
    updated = {**charge, "metadata": params.merged_metadata(charge["metadata"], changes)}
    if "description" in form:
        updated["description"] = params.text(form, "description")
    if updated != charge:
        session.put(updated)
        events.emit(session, "charge.updated", updated, before=charge)
    return updated


def remaining(session: Session, charge: JsonObject) -> int:
    """What can still be refunded, in minor units: captured, less refunded, less refunds that are pending."""
    pending = session.db.execute(
        "SELECT coalesce(sum(json_extract(body, '$.amount')), 0) FROM objects WHERE kind = 'refund' "
        "AND json_extract(body, '$.charge') = ? AND json_extract(body, '$.status') = 'pending'",
        (charge["id"],),
    ).fetchone()[0]
    return int(charge["amount_captured"] - charge["amount_refunded"] - pending)


def is_charged_back(session: Session, charge: JsonObject) -> bool:
    """Whether an open or lost chargeback keeps the charge from being refunded."""
    return any(dispute["status"] not in _REFUNDABLE for dispute in session.find("dispute", "charge", charge["id"]))


def is_settled(session: Session, charge_id: str) -> bool:
    """Whether an early fraud warning about the charge comes too late: it is disputed or refunded in full."""
    charge = session.get("charge", charge_id)
    return bool((charge and charge["refunded"]) or session.find("dispute", "charge", charge_id))


def refresh(session: Session, charge_id: str) -> None:
    """Brings what is derived from a charge in line with it.

    `disputed` of the charge, `is_charge_refundable` of its disputes, `actionable` of its early fraud warnings. Only the
    last is told of by an event.
    """
    charge = session.get("charge", charge_id)
    if charge is None:
        return
    disputes = session.find("dispute", "charge", charge_id)
    if disputes and not charge["disputed"]:
        charge["disputed"] = True
        session.put(charge)
    refundable = not is_charged_back(session, charge) and not charge["refunded"]
    for dispute in disputes:
        if dispute["is_charge_refundable"] != refundable:
            session.put({**dispute, "is_charge_refundable": refundable})
    for warning in session.find("radar.early_fraud_warning", "charge", charge_id):
        if warning["actionable"] and is_settled(session, charge_id):
            settled = {**warning, "actionable": False}
            session.put(settled)
            events.emit(session, "radar.early_fraud_warning.updated", settled, before=warning)
