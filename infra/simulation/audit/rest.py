"""Where everything has come to once faults have stopped: at its end, or waiting for somebody who is named."""

from __future__ import annotations

from datetime import datetime, timedelta

from infra.simulation.audit.findings import Found
from infra.simulation.journal import Played
from shared.case.actions import ActionState
from shared.case.case import Case
from shared.ports.directory import Role


def judge_rest(played: Played, found: Found) -> None:
    """Every case, claim and lease."""
    now = played.started_at + timedelta(seconds=played.seconds)
    for (_, case_id), record in played.state.cases.items():
        problem = _restless(record.case, played, now)
        if problem is not None:
            found.add("comes_to_rest", case_id, problem)
        wake = record.bookkeeping.wake_at
        forgotten = not record.case.terminal and wake is None and record.case.state.value != "manual_review"
        found.unless(not forgotten, "nothing_is_forgotten", case_id, "nobody will ever look at it again")
        for action in record.case.actions:
            leased = action.lease_until is not None and action.lease_until > now
            found.unless(not leased, "nothing_outlives_its_lease", case_id, f"{action.id} is leased at the end")
            ended = record.case.terminal and action.state in (ActionState.INTENDED, ActionState.UNKNOWN)
            found.unless(not ended, "no_effect_while_terminal", case_id, f"{action.id} is {action.state.value}")
    for claim in played.state.claims.values():
        found.unless(
            claim.expires_at <= now, "nothing_outlives_its_lease", "", f"claim {claim.key} is alive at the end"
        )


def _restless(case: Case, played: Played, now: datetime) -> str | None:
    """Why a case is not at rest; None when it is."""
    state = case.state.value
    question = case.open_question
    if case.terminal:
        return None
    if state == "awaiting_approval":
        waiting = [action for action in case.actions if action.state is ActionState.AWAITING_APPROVAL]
        named = any(member.role in (Role.ADMIN, Role.APPROVER) for member in played.journal.orgs[-1][1].members)
        in_time = case.decide_by is not None and case.decide_by > now
        return None if waiting and named and in_time else f"it awaits approval of {waiting}, until {case.decide_by}"
    if state == "awaiting_answer":
        asked = question is not None and question.due_by is not None and question.due_by > now
        return None if asked else "it awaits an answer to nothing"
    if state == "manual_review":
        asked = question is not None and question.kind.value == "manual_review" and bool(question.options)
        return None if asked else "it is with people, who are asked nothing"
    if state == "awaiting_outcome":
        known = case.waiting is not None and case.waiting.until is not None and case.waiting.until > now
        return None if known else f"it waits for {case.waiting}"
    return f"it is still {state} ({case.state_reason}) since {case.state_since}"
