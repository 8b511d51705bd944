"""The clock of a dispute that is not over: when it must be answered, when that is planned, and how near it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from infra.cli.archive import Archive
from infra.cli.output import Screen
from infra.cli.result import instant
from infra.cli.text import wrapped
from infra.cli.worldtime import present
from shared.case.case import Case
from shared.playbooks.disputes.deadlines import Deadline, deadline_of

Clock = tuple[Deadline, datetime]
"""A deadline and the present instant of its world."""


def clock_of(archive: Archive, case: Case) -> Clock | None:
    """The clock of a case; None once it is over, and where nothing can or need be answered by a date."""
    deadline = deadline_of(case.facts.get("dispute.due_by"))
    return None if deadline is None or case.terminal else (deadline, present(archive.folder))


def clock_json(clock: Clock | None) -> dict[str, Any] | None:
    """The clock for other programs."""
    if clock is None:
        return None
    deadline, now = clock
    return {
        "due_by": instant(deadline.due_by),
        "submit_by": instant(deadline.submit_by),
        "urgency": deadline.urgency(now).name.lower(),
    }


def show_clock(screen: Screen, clock: Clock | None) -> None:
    """The clock for people."""
    if clock is not None:
        deadline, now = clock
        screen.show(wrapped(f"Stripe takes an answer {deadline.in_words(now)}", 0, 2))
