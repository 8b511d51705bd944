"""The clock of a dispute: only Stripe's due_by counts, and evidence is planned to be in two days before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from shared.playbooks.disputes.figures import figure
from shared.team.moments import moment
from shared.team.words import minute

SUBMIT_AHEAD = timedelta(hours=figure("window.submit_ahead"))
_CRITICAL, _SOON = timedelta(hours=24), timedelta(days=7)


class Urgency(StrEnum):
    """How near the date is. `late`: what was planned has passed, and the answer itself is still possible."""

    CALM = "more than a week is left"
    SOON = "less than a week is left"
    LATE = "the planned date has passed"
    CRITICAL = "less than a day is left"
    PASSED = "the date has passed"


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a dispute has to be answered, and when we plan to have answered it."""

    due_by: datetime

    @property
    def submit_by(self) -> datetime:
        """When the answer should be in, so that a failure can still be repaired."""
        return self.due_by - SUBMIT_AHEAD

    def has_passed(self, now: datetime) -> bool:
        """Whether Stripe takes no answer any more."""
        return now >= self.due_by

    def urgency(self, now: datetime) -> Urgency:
        """How near it is."""
        left = self.due_by - now
        if self.has_passed(now):
            return Urgency.PASSED
        if left < _CRITICAL:
            return Urgency.CRITICAL
        if now >= self.submit_by:
            return Urgency.LATE
        return Urgency.SOON if left < _SOON else Urgency.CALM

    def in_words(self, now: datetime) -> str:
        """For people: the date, the planned one where it lies ahead, and how near it is."""
        plan = f", planned by {minute(self.submit_by)}" if now < self.submit_by else ""
        return f"by {minute(self.due_by)}{plan} ({self.urgency(now).value})"


def deadline_of(due_by: object) -> Deadline | None:
    """The deadline of a due_by in epoch seconds; None where there is none.

    0 and null mean that nothing can be answered; what lies beyond the calendar is no date.
    """
    if isinstance(due_by, bool) or not isinstance(due_by, int) or due_by <= 0:
        return None
    at = moment(due_by)
    return Deadline(at) if at is not None else None
