"""Where a case goes once its actions or the outside world have changed: one pure function for all who ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from shared.case.actions import (
    ENDED,
    ENDED_WITHOUT_EFFECT,
    IN_FLIGHT,
    Action,
    ActionState,
    DependencyKind,
    Effect,
)
from shared.case.brief import Option
from shared.case.canonical import short_hash
from shared.case.case import Answer, Case, Question, QuestionKind, Waiting
from shared.case.due import dependencies_met
from shared.case.events import (
    ActionMoved,
    EpisodeRecorded,
    Event,
    Moved,
    PostMortemWritten,
    QuestionAnswered,
    QuestionAsked,
)
from shared.case.evolve import evolve
from shared.case.lifecycle import State
from shared.steps.budgets import DECIDE_WITHIN, OUTCOME_AT_MOST, PENDING_AT_MOST
from shared.team.contract import Playbook

REINVESTIGATE = Option(id="reinvestigate", label="Investigate again", effect="a new round of specialists starts")
TAKE_DRAFT = Option(id="take_draft", label="Take the draft", effect="the drafted actions go to the policy check again")
HANDLED_OUTSIDE = Option(
    id="handled_outside", label="Handled outside", effect="the case is closed; nothing more is done"
)

CLOSED = "closed"
"""The answer of a question that was overtaken."""

_MOVES_BY_ITSELF = frozenset({State.DRAFTED, State.AWAITING_APPROVAL, State.ACTING, State.AWAITING_OUTCOME})


class Unfolding:
    """A case and the events added to it so far; each addition is folded at once."""

    def __init__(self, case: Case | None, now: datetime) -> None:
        self._case = case
        self.now = now
        self.events: list[Event] = []

    @property
    def case(self) -> Case:
        """The case with everything added so far."""
        assert self._case is not None
        return self._case

    def add(self, *events: Event) -> None:
        """Fold events. Raises IllegalTransition."""
        for event in events:
            self._case = evolve(self._case, event, self.now)
            self.events.append(event)


def settle(unfolding: Unfolding, playbook: Playbook, *, by_outcome: bool = False) -> None:
    """Add what follows from the present state of the actions and outcomes, up to the next state of the case.

    A case that people hold, or that is being investigated, moves only when the outside world settled it (`by_outcome`).
    """
    cascade(unfolding)
    case = unfolding.case
    if case.state not in _MOVES_BY_ITSELF and not by_outcome:
        return
    if case.state is State.DRAFTED and not case.checked and _has_drafts(case):
        return  # nothing moves past the policy check
    failed = next((a for a in case.actions if a.needed and a.state is ActionState.FAILED), None)
    if any(action.state is ActionState.AWAITING_APPROVAL for action in case.actions):
        _move(unfolding, State.AWAITING_APPROVAL, "people must approve", decide_by=decide_by(case, unfolding.now))
    elif any(action.state in IN_FLIGHT for action in case.actions):
        _move(unfolding, State.ACTING, "an action is under way")
    elif failed is not None:
        to_people(unfolding, f"{failed.kind.value} failed: {failed.error or failed.reason or 'no reason given'}")
    else:
        _settle_quiet(unfolding, playbook)


def _settle_quiet(unfolding: Unfolding, playbook: Playbook) -> None:
    case = unfolding.case
    settled_by = playbook.settled_by(case)
    drifted = next(
        (a for a in case.actions if a.needed and a.state is ActionState.VOIDED and a.reason != settled_by), None
    )
    if drifted is not None:
        to_people(unfolding, f"{drifted.kind.value} may no longer run as approved: {drifted.reason}")
    elif any(_is_ready(case, action) for action in case.actions):
        _move(unfolding, State.ACTING, "approved actions are due")
    elif _waits(case) or playbook.awaits(case) is not None:
        what, until = playbook.awaits(case) or _own_wait(case, unfolding.now)
        _move(unfolding, State.AWAITING_OUTCOME, f"waits for {what}", waiting=Waiting(what=what, until=until))
    else:
        close(unfolding, playbook)


def _has_drafts(case: Case) -> bool:
    return any(action.state is ActionState.DRAFTED for action in case.actions)


def _waits(case: Case) -> bool:
    waiting = (ActionState.DEFERRED, ActionState.APPROVED)
    return any(action.state in waiting or action.pending for action in case.actions)


def _own_wait(case: Case, now: datetime) -> tuple[str, datetime | None]:
    pending = next((action for action in case.actions if action.pending), None)
    if pending is not None:
        return f"{pending.kind.value} to become final", now + PENDING_AT_MOST
    return "an outcome that an approved action depends on", now + OUTCOME_AT_MOST


def _is_ready(case: Case, action: Action) -> bool:
    return action.state in (ActionState.APPROVED, ActionState.DEFERRED) and dependencies_met(case, action)


def close(unfolding: Unfolding, playbook: Playbook) -> None:
    """End a case of which nothing more is expected: withdrawn when the world settled it before we did anything."""
    case = unfolding.case
    settled_by = playbook.settled_by(case)
    acted = any(a.state is ActionState.SUCCEEDED and a.effect is not Effect.INTERNAL for a in case.actions)
    if settled_by is not None and not acted:
        _move(unfolding, State.WITHDRAWN, settled_by)
        reflect(unfolding, playbook)
        return
    reflect(unfolding, playbook)
    written = unfolding.case.post_mortem
    _move(unfolding, State.RESOLVED, written.in_words if written else settled_by or "every action is done")
    remember(unfolding, playbook)


def reflect(unfolding: Unfolding, playbook: Playbook) -> bool:
    """Write the post-mortem of an object that the outside world has settled; whether it says anything new."""
    written = playbook.post_mortem(unfolding.case)
    if written is None or written == unfolding.case.post_mortem:
        return False
    unfolding.add(PostMortemWritten(post_mortem=written))
    return True


def remember(unfolding: Unfolding, playbook: Playbook) -> None:
    """Commit the case to memory, if every needed action succeeded or was settled by an outcome."""
    case = unfolding.case
    settled = (ActionState.SUCCEEDED, ActionState.SKIPPED)
    if case.brief is None or any(action.needed and action.state not in settled for action in case.actions):
        return
    decision = case.brief.decision
    unfolding.add(
        EpisodeRecorded(
            customer=case.text_fact("customer.id") or case.text_fact("customer.email") or "",
            decision=decision.kind.value,
            amount_minor=decision.amount_minor,
            currency=decision.currency,
            outcome=playbook.outcome_of(case),
            lesson=case.post_mortem.lesson if case.post_mortem else "",
        )
    )


def cascade(unfolding: Unfolding) -> None:
    """Skip actions whose dependencies can no longer come true, and say so; note what waits for an outcome."""
    moved = True
    while moved:
        moved = False
        for action in unfolding.case.actions:
            event = _follow(unfolding.case, action)
            if event is not None:
                unfolding.add(event)
                moved = True


def _follow(case: Case, action: Action) -> ActionMoved | None:
    if action.state in ENDED or action.state in IN_FLIGHT:
        return None
    for dependency in action.depends_on:
        other = case.action(dependency.ref) if dependency.kind is not DependencyKind.OUTCOME else None
        if other is not None and other.state in ENDED_WITHOUT_EFFECT:
            reason = f"skipped because {other.kind.value} was {other.state.value}: {other.error or other.reason or ''}"
            return ActionMoved(action_id=action.id, to=ActionState.SKIPPED, reason=reason.rstrip(": "))
    waits = action.depends_on_outcome() and not dependencies_met(case, action)
    if action.state is ActionState.APPROVED and waits:
        return ActionMoved(action_id=action.id, to=ActionState.DEFERRED, reason="waits for its outcome")
    return None


def to_people(unfolding: Unfolding, reason: str, extra: Sequence[Option] = ()) -> None:
    """Send the case to manual review with a question that carries its ways out."""
    case = unfolding.case
    options = [REINVESTIGATE, *extra, HANDLED_OUTSIDE]
    if can_take_draft(case):
        options.insert(1, TAKE_DRAFT)
    if case.state is not State.MANUAL_REVIEW:
        unfolding.add(Moved(to=State.MANUAL_REVIEW, reason=reason))
    close_questions(unfolding, QuestionKind.ASK_HUMAN, "the case went to manual review")
    open_question = unfolding.case.open_question
    if open_question is not None and open_question.kind is QuestionKind.MANUAL_REVIEW and open_question.text == reason:
        return
    unfolding.add(QuestionAsked(question=question(case, QuestionKind.MANUAL_REVIEW, reason, options, unfolding.now)))


def close_questions(unfolding: Unfolding, kind: QuestionKind, why: str) -> None:
    """Questions of this kind that nobody answered are over: an old one must not hide what is asked now."""
    for asked in unfolding.case.questions:
        if asked.kind is kind and asked.answer is None:
            answer = Answer(option=CLOSED, note=why, by="system", at=unfolding.now)
            unfolding.add(QuestionAnswered(question_id=asked.id, answer=answer))


def question(case: Case, kind: QuestionKind, text: str, options: Iterable[Option], now: datetime) -> Question:
    """A question with an id of its own, due when the business object's own deadline is, else after 72 hours."""
    return Question(
        id=f"q{len(case.questions) + 1}-{short_hash(case.id, kind.value, text, length=8)}",
        kind=kind,
        text=text,
        options=tuple(options),
        asked_at=now,
        due_by=decide_by(case, now),
    )


def can_take_draft(case: Case) -> bool:
    """Whether there is a draft of which nothing has failed, been voided or begun."""
    fresh = (
        ActionState.DRAFTED,
        ActionState.AWAITING_APPROVAL,
        ActionState.APPROVED,
        ActionState.DEFERRED,
        ActionState.SUCCEEDED,
    )
    return case.brief is not None and bool(case.actions) and all(a.state in fresh for a in case.actions if a.needed)


def decide_by(case: Case, now: datetime) -> datetime:
    """When the time to decide ends: the object's own deadline if it lies ahead, else 72 hours from now."""
    due_by = case.text_fact("due_by")
    if due_by is not None:
        deadline = datetime.fromisoformat(due_by)
        if deadline > now:
            return deadline
    return now + DECIDE_WITHIN


def void_open_actions(unfolding: Unfolding, reason: str, *, keep: frozenset[str] = frozenset()) -> None:
    """Void every action that has not begun, except those named."""
    for action in unfolding.case.actions:
        if action.state not in ENDED and action.state not in IN_FLIGHT and action.id not in keep:
            unfolding.add(ActionMoved(action_id=action.id, to=ActionState.VOIDED, reason=reason))


def _move(
    unfolding: Unfolding,
    to: State,
    reason: str,
    *,
    waiting: Waiting | None = None,
    decide_by: datetime | None = None,
) -> None:
    if unfolding.case.state is not to:
        unfolding.add(Moved(to=to, reason=reason, waiting=waiting, decide_by=decide_by))
