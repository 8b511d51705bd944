"""Planning a round: all specialists in one commit, each with its own deadline."""

from __future__ import annotations

from datetime import datetime, timedelta

from shared.case.case import Assignment, Case
from shared.case.events import RoundPlanned
from shared.team.contract import Playbook

MAX_ROUNDS = 20
"""A case that so many rounds have not settled is for people; and its document stays small, whoever keeps asking."""


def plan_round(case: Case, playbook: Playbook, now: datetime) -> RoundPlanned | None:
    """The next round of this case; None when its playbook has no specialists for it, or it has had its last round."""
    team = playbook.team(case)
    if not team or len(case.rounds) >= MAX_ROUNDS:
        return None
    return RoundPlanned(
        round=len(case.rounds) + 1,
        assignments=tuple(
            Assignment(specialist=member.name, deadline_at=now + timedelta(seconds=member.deadline_s))
            for member in team
        ),
    )
