"""Documents that were signed with a customer: whether one is in effect at an instant."""

from __future__ import annotations

from datetime import datetime

from shared.case.evidence import Evidence
from shared.team.moments import moment


def in_effect(document: Evidence, at: datetime, *, signed: bool = True) -> bool:
    """Whether a document holds at an instant. `signed`: both sides must have signed it by then.

    One without a first day holds from its signature on; one without a last day until further notice.
    """
    fields = document.row.fields
    theirs, ours = moment(fields.get("signed_at")), moment(fields.get("countersigned_at"))
    if signed and (theirs is None or ours is None or max(theirs, ours) > at):
        return False
    since, until = moment(fields.get("effective_from")) or theirs, moment(fields.get("effective_until"))
    return since is not None and since <= at and (until is None or at < until)
