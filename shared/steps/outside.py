"""What the outside world says about a case: facts first, then what they make of actions and state."""

from __future__ import annotations

from datetime import datetime

from shared.case.actions import ENDED, IN_FLIGHT, ActionState, DependencyKind
from shared.case.case import Case, QuestionKind
from shared.case.events import ActionMoved, Moved, OutsideChanged, Rescheduled
from shared.case.lifecycle import State
from shared.steps.planning import plan_round
from shared.steps.settle import (
    Unfolding,
    cascade,
    close_questions,
    reflect,
    remember,
    settle,
    to_people,
    void_open_actions,
)
from shared.team.contract import Observation, Playbook

_REFUND_FAILED = frozenset({"refund.failed", "refund.canceled"})
REFUND_FINAL = "refund.succeeded"


def take_note(unfolding: Unfolding, playbook: Playbook, event_id: str, event_type: str, news: Observation) -> None:
    """Record an outside event and what follows from it, whatever lease is held."""
    known = unfolding.case
    observation = playbook.observe(known, news)
    already = observation.outcome is not None and observation.outcome.name in known.outcomes
    unfolding.add(
        OutsideChanged(
            event_id=event_id, event_type=event_type, facts=dict(observation.facts), outcome=observation.outcome
        )
    )
    _follow_deadline(unfolding, known)
    if observation.reopens:
        _reopened(unfolding, playbook, observation.why)
    elif observation.outcome is not None and observation.outcome.name in _REFUND_FAILED:
        _refund_failed(unfolding, observation.outcome.detail)
    elif observation.outcome is not None and observation.outcome.name == REFUND_FINAL:
        _refund_final(unfolding, playbook, observation.outcome.detail)
    elif observation.outcome is not None and not already:
        _outcome(unfolding, playbook, observation.outcome.name, settled_before=playbook.settled_by(known))
    elif known.state is State.AWAITING_OUTCOME:
        settle(unfolding, playbook)
    _look_back(unfolding, playbook)


def _follow_deadline(unfolding: Unfolding, known: Case) -> None:
    """People have until the object's own deadline, also when that is moved while they are asked."""
    case, told = unfolding.case, unfolding.case.text_fact("due_by")
    asked = case.state is State.AWAITING_APPROVAL or case.open_question is not None
    if told is not None and told != known.text_fact("due_by") and asked:
        unfolding.add(Rescheduled(decide_by=datetime.fromisoformat(told)))


def _look_back(unfolding: Unfolding, playbook: Playbook) -> None:
    """What is told of an object that is over belongs into its post-mortem, and into what we remember of the case."""
    remembered = unfolding.case.post_mortem is not None
    settled = unfolding.case.terminal or unfolding.case.state is State.MANUAL_REVIEW
    if settled and reflect(unfolding, playbook) and remembered:
        remember(unfolding, playbook)


def _outcome(unfolding: Unfolding, playbook: Playbook, outcome: str, *, settled_before: str | None) -> None:
    case = unfolding.case
    settled_by = playbook.settled_by(case)
    if case.terminal:
        if settled_before is not None and settled_by != settled_before:
            to_people(unfolding, f"the outside world has changed its mind: {settled_by}")
        return
    if settled_by is None:
        if case.state in (State.AWAITING_OUTCOME, State.ACTING, State.AWAITING_APPROVAL):
            settle(unfolding, playbook)
        return
    keep = _waiting_for(case, outcome)
    _skip_impossible(unfolding, outcome, settled_by)
    cascade(unfolding)
    void_open_actions(unfolding, settled_by, keep=keep)
    settle(unfolding, playbook, by_outcome=True)


def _waiting_for(case: Case, outcome: str) -> frozenset[str]:
    """The open actions that depend on exactly this outcome, and those that depend on them."""
    kept: set[str] = set()
    grew = True
    while grew:
        grew = False
        for action in case.actions:
            if action.id in kept or action.state in ENDED:
                continue
            refs = {d.ref for d in action.depends_on if d.kind is not DependencyKind.APPROVAL}
            if outcome in refs or refs & kept:
                kept.add(action.id)
                grew = True
    return frozenset(kept)


def _skip_impossible(unfolding: Unfolding, outcome: str, settled_by: str) -> None:
    """Actions that wait for an outcome which this one excludes are skipped: that settles them."""
    subject = outcome.partition(".")[0]
    for action in unfolding.case.actions:
        others = {d.ref for d in action.depends_on if d.kind is DependencyKind.OUTCOME}
        excluded = any(ref != outcome and ref.partition(".")[0] == subject for ref in others)
        if action.state not in ENDED and action.state not in IN_FLIGHT and excluded:
            unfolding.add(ActionMoved(action_id=action.id, to=ActionState.SKIPPED, reason=settled_by))


def _refund_final(unfolding: Unfolding, playbook: Playbook, action_id: str) -> None:
    action = unfolding.case.action(action_id)
    if action is not None and action.pending:
        unfolding.add(ActionMoved(action_id=action_id, to=ActionState.SUCCEEDED, reason="Stripe says it is final"))
        settle(unfolding, playbook)


def _refund_failed(unfolding: Unfolding, action_id: str) -> None:
    case = unfolding.case
    action = case.action(action_id)
    if action is None or action.state is ActionState.FAILED:
        return
    reason = "Stripe reports that the refund failed"
    unfolding.add(ActionMoved(action_id=action_id, to=ActionState.FAILED, reason=reason, error=reason))
    cascade(unfolding)
    to_people(unfolding, f"{reason}; what was told to the customer must be corrected")


def _reopened(unfolding: Unfolding, playbook: Playbook, why: str) -> None:
    """From any state, a new round; what was drafted before is void."""
    start_round(unfolding, playbook, why)


def start_round(unfolding: Unfolding, playbook: Playbook, reason: str) -> None:
    """Plan a round of specialists, or ask a person where the playbook has none for this case."""
    void_open_actions(unfolding, reason)
    close_questions(unfolding, QuestionKind.ASK_HUMAN, reason)
    planned = plan_round(unfolding.case, playbook, unfolding.now)
    if planned is None:
        to_people(unfolding, f"{reason}; no round of specialists can be planned for it, so a person decides")
        return
    unfolding.add(Moved(to=State.INVESTIGATING, reason=reason), planned)
