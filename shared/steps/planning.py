"""Planning a round: all specialists in one commit, each with its own deadline."""

from __future__ import annotations

from datetime import datetime, timedelta

from shared.case.case import Assignment, Case
from shared.case.events import RoundPlanned
from shared.team.contract import Playbook


def plan_round(case: Case, playbook: Playbook, now: datetime) -> RoundPlanned | None:
    """The next round of this case; None when its playbook has no specialists for it."""
    team = playbook.team(case)
    if not team:
        return None
    return RoundPlanned(
        round=len(case.rounds) + 1,
        assignments=tuple(
            Assignment(specialist=member.name, deadline_at=now + timedelta(seconds=member.deadline_s))
            for member in team
        ),
    )
