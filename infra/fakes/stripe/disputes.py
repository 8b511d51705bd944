"""`/v1/disputes/{id}`: staging and submitting evidence, and closing. One shot: evidence goes in once per answer."""

from __future__ import annotations

from . import effects, evidence, files, ledger, lifecycle, params
from .errors import Invalid, Refused, missing
from .forms import Form
from .session import Session
from .wire import JsonObject


def update(session: Session, id: str, form: Form) -> JsonObject:
    """Stages or submits evidence, changes metadata.

    Evidence is submitted unless `submit=false`; a request that brings no evidence submits what is staged only with
    `submit=true`. Staging changes neither status nor `submission_count`.
    """
    params.only(form, "evidence", "metadata", "submit")
    submit = params.boolean(form, "submit")
    changes = evidence.read(form)
    metadata = params.metadata(form)

    dispute = _open(session, id)
    submitting = submit is True or (submit is None and bool(changes))
    updated = {**dispute, "metadata": params.merged_metadata(dispute["metadata"], metadata)}
    if changes or submitting:
        _check_not_submitted(dispute)
        if not dispute["evidence_details"]["due_by"]:
            raise Refused("This dispute cannot be responded to.")
        updated["evidence"] = {**dispute["evidence"], **changes}
        evidence.check_total(updated["evidence"])
        files.check_given(session, evidence.files(changes))
        files.check_total(session, updated, evidence.files(updated["evidence"]))
        staged = bool(evidence.filled(updated["evidence"]))
        updated["evidence_details"] = {**dispute["evidence_details"], "has_evidence": staged}
    if submitting:
        _submit(session, updated)
    elif changes:
        effects.record(session, "staging", updated)
    if updated == dispute:
        return dispute
    return lifecycle.save(session, updated, dispute, "charge.dispute.updated")


def close(session: Session, id: str, form: Form) -> JsonObject:
    """Accepts a chargeback: it is lost, irreversibly. An inquiry cannot be closed, only answered or refunded."""
    params.only(form)
    dispute = _open(session, id)
    if lifecycle.is_inquiry(dispute):
        raise Refused("This dispute is an inquiry and cannot be closed; respond to it or refund the charge.")
    _check_not_submitted(dispute)
    closed = lifecycle.close(session, dispute, "lost")
    effects.record(session, "close", closed)
    return closed


def _open(session: Session, id: str) -> JsonObject:
    dispute = session.get("dispute", id)
    if dispute is None:
        raise missing("dispute", id, param="dispute")
    if dispute["status"] in lifecycle.CLOSED:
        raise Refused("This dispute is already closed")
    return dispute


def _check_not_submitted(dispute: JsonObject) -> None:
    if str(dispute["status"]).endswith("under_review"):
        raise Refused("This dispute is under review; its evidence has already been submitted.")


def _submit(session: Session, dispute: JsonObject) -> None:
    """Sends the staged evidence to the bank: status, count, fees. Changes the given dispute."""
    if not dispute["evidence_details"]["has_evidence"]:
        raise Invalid("This dispute has no evidence to submit.", param="evidence")
    if dispute["reason"] == "noncompliant" and not evidence.fee_acknowledged(dispute["evidence"]):
        raise Refused("The network fee for countering this dispute has not been acknowledged.", param="evidence")
    count = dispute["evidence_details"]["submission_count"] + 1
    dispute["evidence_details"] = {**dispute["evidence_details"], "submission_count": count, "past_due": False}
    if lifecycle.is_inquiry(dispute):
        dispute["status"] = "warning_under_review"
    else:
        dispute["status"] = "under_review"
        ledger.take_contest_fees(session, dispute)
    effects.record(session, "submission", dispute)
