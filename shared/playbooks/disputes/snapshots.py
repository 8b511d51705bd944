"""The fields of a dispute that an action is decided on; they are read again right before the call."""

from __future__ import annotations

from shared.case.actions import Json
from shared.playbooks.disputes.matter import Matter


def dispute_snapshot(matter: Matter) -> dict[str, Json]:
    """Where the dispute stands, as the action expects to find it."""
    fields = matter.dispute.row.fields
    return {
        "dispute.status": matter.now_at["status"],
        "dispute.amount": fields.get("amount"),
        "dispute.currency": fields.get("currency"),
        "dispute.charge": fields.get("charge"),
        "dispute.submission_count": matter.submissions,
    }
