"""What is due for a case follows from its stored state alone: the state is the outbox."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from shared.case.actions import IN_FLIGHT, Action, ActionState, DependencyKind, Effect
from shared.case.case import Case, QuestionKind
from shared.case.lifecycle import State


class Step(StrEnum):
    """A piece of work that a message or a task can start."""

    SPECIALIST = "specialist"
    WATCHDOG = "watchdog"
    SYNTHESIZE = "synthesize"
    POLICY_CHECK = "policy_check"
    ACT = "act"


@dataclass(frozen=True, slots=True)
class Due:
    """One due step. `key` tells apart steps of one kind: a specialist of a round, an action; `at` is not before."""

    step: Step
    round: int
    key: str
    at: datetime | None = None


SEND_BUDGET = timedelta(seconds=60)
"""How long a due step may take to start before the sweeper sends it again."""

REMIND_BEFORE = (timedelta(hours=48), timedelta(hours=24))
"""When people are reminded of a deadline; evidence should be in 48 hours before it is due."""

_APPROVED_STATES = frozenset({ActionState.APPROVED, ActionState.DEFERRED, *IN_FLIGHT, ActionState.SUCCEEDED})
_ACTING_STATES = frozenset({State.AWAITING_APPROVAL, State.ACTING, State.AWAITING_OUTCOME})


def due_steps(case: Case, now: datetime) -> tuple[Due, ...]:
    """Every step that is due for this case, and the watchdogs that stand behind a running round."""
    return tuple(_due(case, now))


def _due(case: Case, now: datetime) -> Iterator[Due]:
    current = case.round
    number = current.number if current else 0
    if case.state is State.INVESTIGATING and current is not None:
        if current.joined:
            yield Due(Step.SYNTHESIZE, number, f"{number}")
        else:
            yield from _round_due(case, now)
    elif case.state is State.AWAITING_ANSWER and case.open_question is None:
        # One synthesis per answer: the count of questions tells the answers apart.
        yield Due(Step.SYNTHESIZE, number, f"{number}/{len(case.questions)}")
    elif case.state is State.DRAFTED and not case.checked:
        yield Due(Step.POLICY_CHECK, number, f"{number}/{case.events}")
    for action in case.actions:
        if runnable(case, action):
            yield Due(Step.ACT, number, action.id)


def _round_due(case: Case, now: datetime) -> Iterator[Due]:
    current = case.round
    assert current is not None
    for assignment in current.assignments:
        if now < assignment.deadline_at:
            yield Due(Step.SPECIALIST, current.number, assignment.specialist)
    for deadline in sorted({assignment.deadline_at for assignment in current.assignments}):
        yield Due(Step.WATCHDOG, current.number, deadline.isoformat(), at=deadline)


def runnable(case: Case, action: Action) -> bool:
    """Whether `act` has work with this action now: to carry it out, or to find out what became of it."""
    if action.state in IN_FLIGHT:
        return True
    if action.state not in (ActionState.APPROVED, ActionState.DEFERRED) or not dependencies_met(case, action):
        return False
    if case.state is State.MANUAL_REVIEW:
        # People decide about the case; telling them so inside the org needs nobody's approval.
        return action.effect is Effect.INTERNAL
    return case.state in _ACTING_STATES


def dependencies_met(case: Case, action: Action) -> bool:
    """Whether everything the action waits for is true."""
    return all(_is_met(case, dependency.kind, dependency.ref) for dependency in action.depends_on)


def _is_met(case: Case, kind: DependencyKind, ref: str) -> bool:
    if kind is DependencyKind.OUTCOME:
        return ref in case.outcomes
    other = case.action(ref)
    if other is None:
        return False
    if kind is DependencyKind.APPROVAL:
        return other.state in _APPROVED_STATES
    return other.state is ActionState.SUCCEEDED and not other.pending


def wake_at(case: Case, now: datetime, *, resend_after: timedelta = SEND_BUDGET) -> datetime | None:
    """The next instant at which anything is due, overdue or expires; None when nothing ever will by itself.

    What is due now counts as overdue after `resend_after`: the sweeper waits ever longer for a case that does not move.
    """
    instants = list(_instants(case, now, now + resend_after))
    return min(instants) if instants else None


def _instants(case: Case, now: datetime, overdue: datetime) -> Iterator[datetime]:
    current = case.round
    if case.state is State.INVESTIGATING and current is not None and not current.joined:
        yield from _round_instants(case, now, overdue)
    elif any(due.step in (Step.SYNTHESIZE, Step.POLICY_CHECK) for due in due_steps(case, now)):
        yield overdue
    for action in case.actions:
        if runnable(case, action):
            lease = action.lease_until
            yield lease if lease is not None and lease > now else overdue
    if case.state is State.AWAITING_APPROVAL and case.decide_by is not None:
        yield max(case.decide_by, now)
    question = case.open_question
    if case.state is State.AWAITING_ANSWER and question is not None and question.due_by is not None:
        yield max(question.due_by, now)
    if case.state is State.AWAITING_OUTCOME and case.waiting is not None and case.waiting.until is not None:
        yield max(case.waiting.until, now)
    yield from (at for _, at in reminders(case) if at > now)


def _round_instants(case: Case, now: datetime, overdue: datetime) -> Iterator[datetime]:
    current = case.round
    assert current is not None
    send_budget = current.planned_at + SEND_BUDGET
    deadlines = [assignment.deadline_at for assignment in current.assignments]
    ahead = [instant for instant in (send_budget, *deadlines) if instant > now]
    yield min(ahead) if ahead else overdue


def reminders(case: Case) -> tuple[tuple[str, datetime], ...]:
    """Reminders not yet given about the deadline that a person's inaction would miss: (name, when)."""
    deadline = _deadline(case)
    if deadline is None:
        return ()
    marks = (
        (f"{deadline.isoformat()} -{int(before.total_seconds() // 3600)}h", deadline - before)
        for before in REMIND_BEFORE
    )
    return tuple((name, at) for name, at in marks if name not in case.reminded)


def _deadline(case: Case) -> datetime | None:
    if case.state is State.AWAITING_APPROVAL:
        return case.decide_by
    question = case.open_question
    if case.state is State.AWAITING_ANSWER and question is not None:
        return question.due_by
    if case.state is State.MANUAL_REVIEW and question is not None and question.kind is QuestionKind.MANUAL_REVIEW:
        return question.due_by
    return None
