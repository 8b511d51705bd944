"""Where a dispute stands at Stripe, from its status."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """What may be done about a dispute depends on this alone."""

    OPEN = "an open chargeback"
    FILED = "a chargeback under review"
    INQUIRY = "an open inquiry"
    INQUIRY_FILED = "an inquiry under review"
    WON = "a won dispute"
    LOST = "a lost dispute"
    PREVENTED = "a prevented dispute"
    INQUIRY_CLOSED = "a closed inquiry"
    UNKNOWN = "a dispute in an unknown state"


OF_STATUS: dict[str, Stage] = {
    "needs_response": Stage.OPEN,
    "under_review": Stage.FILED,
    "warning_needs_response": Stage.INQUIRY,
    "warning_under_review": Stage.INQUIRY_FILED,
    "won": Stage.WON,
    "lost": Stage.LOST,
    "prevented": Stage.PREVENTED,
    "warning_closed": Stage.INQUIRY_CLOSED,
}

TERMINAL_STATUSES = frozenset({"won", "lost", "prevented", "warning_closed"})

PROGRESS = {"warning_needs_response": 0, "warning_under_review": 1, "needs_response": 2, "under_review": 3}
"""The order in which the open statuses follow each other; it settles which of two events of one second is the later."""


def stage_of(status: object) -> Stage:
    """The stage of a status as Stripe writes it."""
    return OF_STATUS.get(status, Stage.UNKNOWN) if isinstance(status, str) else Stage.UNKNOWN
