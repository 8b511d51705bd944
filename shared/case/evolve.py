"""Folding events into the case: a pure function, so that the log can always be replayed into the state."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from shared.case.actions import (
    ENDED,
    ENDED_WITHOUT_EFFECT,
    IN_FLIGHT,
    TIER_ORDER,
    Action,
    ActionState,
    Approval,
)
from shared.case.case import Case, Outcome, Round
from shared.case.events import (
    ActionApproved,
    ActionEdited,
    ActionIntended,
    ActionMoved,
    BriefDrafted,
    CaseOpened,
    EpisodeRecorded,
    Event,
    Moved,
    OutsideChanged,
    PolicyChecked,
    PostMortemWritten,
    QuestionAnswered,
    QuestionAsked,
    Reminded,
    Rescheduled,
    RoundJoined,
    RoundPlanned,
)
from shared.case.lifecycle import State, check_move
from shared.errors import IllegalTransition


def evolve(case: Case | None, event: Event, at: datetime) -> Case:
    """The case after one event recorded at `at`. Raises IllegalTransition for an event that cannot follow."""
    if isinstance(event, CaseOpened):
        if case is not None:
            raise IllegalTransition(f"case {case.id} is already open")
        return _opened(event, at)
    if case is None:
        raise IllegalTransition(f"{event.type} before the case was opened")
    changes = _CHANGES[type(event)](case, event, at)
    return case.model_copy(update={**changes, "events": case.events + 1, "updated_at": max(at, case.updated_at)})


def _opened(event: CaseOpened, at: datetime) -> Case:
    return Case(
        id=event.case_id,
        org=event.org,
        subject=event.subject,
        playbook=event.playbook,
        state=State.RECEIVED,
        trigger=event.trigger,
        opened_at=at,
        updated_at=at,
        facts=event.facts,
        trace=event.trace,
        state_since=at,
        events=1,
    )


def _moved(case: Case, event: Moved, at: datetime) -> dict[str, Any]:
    check_move(case.state, event.to)
    return {
        "state": event.to,
        "state_since": at if event.to is not case.state else case.state_since,
        "state_reason": event.reason,
        "waiting": event.waiting,
        "decide_by": event.decide_by if event.to is State.AWAITING_APPROVAL else case.decide_by,
        # A draft that comes back, edited or taken by a person, is checked again.
        "checked": case.checked and event.to is not State.DRAFTED,
    }


def _round_planned(case: Case, event: RoundPlanned, at: datetime) -> dict[str, Any]:
    if event.round != len(case.rounds) + 1:
        raise IllegalTransition(f"round {event.round} cannot follow {len(case.rounds)} rounds")
    planned = Round(number=event.round, assignments=event.assignments, planned_at=at, base=case.evidence_count)
    # A new round starts over: what ended without an effect is up to be proposed again, and no longer needed as it was.
    return {"rounds": (*case.rounds, planned), "actions": tuple(_superseded(action) for action in case.actions)}


def _round_joined(case: Case, event: RoundJoined, at: datetime) -> dict[str, Any]:
    current = case.round
    if current is None or current.number != event.round or current.joined:
        raise IllegalTransition(f"round {event.round} is not open")
    ended = {pointer.specialist: pointer.ended for pointer in event.reports}
    assignments = tuple(item.model_copy(update={"ended": ended[item.specialist]}) for item in current.assignments)
    joined = current.model_copy(update={"joined": True, "reports": event.reports, "assignments": assignments})
    return {"rounds": (*case.rounds[:-1], joined)}


def _brief_drafted(case: Case, event: BriefDrafted, at: datetime) -> dict[str, Any]:
    # What has happened, or may have, stays; everything else is replaced by the new draft.
    kept = {action.id: _superseded(action) for action in case.actions if action.state in IN_FLIGHT | ENDED}
    drafted = tuple(kept.pop(action.id, action) for action in event.actions)
    return {
        "brief": event.brief,
        "brief_hash": event.brief_hash,
        "checked": False,
        "actions": (*kept.values(), *drafted),
        "facts": {**case.facts, **event.facts},
    }


def _superseded(action: Action) -> Action:
    if action.state not in ENDED_WITHOUT_EFFECT:
        return action
    return action.model_copy(update={"superseded": True, "needed": False})


def _question_asked(case: Case, event: QuestionAsked, at: datetime) -> dict[str, Any]:
    return {"questions": (*case.questions, event.question)}


def _question_answered(case: Case, event: QuestionAnswered, at: datetime) -> dict[str, Any]:
    return {
        "questions": tuple(
            question.model_copy(update={"answer": event.answer}) if question.id == event.question_id else question
            for question in case.questions
        )
    }


def _policy_checked(case: Case, event: PolicyChecked, at: datetime) -> dict[str, Any]:
    actions = []
    for action in case.actions:
        verdict = event.verdicts.get(action.id)
        if verdict is not None:
            stricter = action.verdict is not None and TIER_ORDER[verdict.tier] > TIER_ORDER[action.verdict.tier]
            action = action.model_copy(update={"verdict": verdict})
            if stricter and action.state in (ActionState.APPROVED, ActionState.DEFERRED):
                action = action.model_copy(update={"state": ActionState.AWAITING_APPROVAL})
        actions.append(action)
    return {
        "actions": tuple(actions),
        "checked": case.checked or event.complete,
        "policy_version": event.policy_version,
    }


def _action_approved(case: Case, event: ActionApproved, at: datetime) -> dict[str, Any]:
    approval = Approval(email=event.email, role=event.role, at=at, hash=event.hash)
    return _with_action(case, event.action_id, lambda action: {"approvals": (*action.approvals, approval)})


def _action_edited(case: Case, event: ActionEdited, at: datetime) -> dict[str, Any]:
    return _with_action(
        case,
        event.action_id,
        lambda action: {
            "payload": event.payload,
            "amount_minor": event.amount_minor,
            "hash": event.hash,
            "editors": tuple(dict.fromkeys((*action.editors, event.by))),
            "approvals": (),
            "state": ActionState.DRAFTED,
        },
    ) | {"checked": False}


def _action_intended(case: Case, event: ActionIntended, at: datetime) -> dict[str, Any]:
    return _with_action(
        case,
        event.action_id,
        lambda action: {
            "state": ActionState.INTENDED,
            "attempt": event.attempt,
            "intended_at": at,
            "idempotency_key": event.idempotency_key,
            "lease_until": event.lease_until,
            "lease_owner": event.lease_owner,
        },
    )


def _action_moved(case: Case, event: ActionMoved, at: datetime) -> dict[str, Any]:
    def change(action: Action) -> dict[str, Any]:
        return {
            "state": event.to,
            "reason": event.reason or action.reason,
            "external_ref": event.external_ref or action.external_ref,
            "error": event.error,
            "pending": event.pending,
            "approvals": () if event.approvals_fall else action.approvals,
            "unknowns": action.unknowns + (1 if event.to is ActionState.UNKNOWN and event.error else 0),
            "lease_until": None,
            "lease_owner": None,
        }

    return _with_action(case, event.action_id, change)


def _outside_changed(case: Case, event: OutsideChanged, at: datetime) -> dict[str, Any]:
    outcomes: dict[str, Outcome] = dict(case.outcomes)
    if event.outcome is not None:
        outcomes[event.outcome.name] = event.outcome
    return {"facts": {**case.facts, **event.facts}, "outcomes": outcomes}


def _reminded(case: Case, event: Reminded, at: datetime) -> dict[str, Any]:
    return {"reminded": (*case.reminded, event.what)}


def _rescheduled(case: Case, event: Rescheduled, at: datetime) -> dict[str, Any]:
    questions = tuple(
        question.model_copy(update={"due_by": event.decide_by}) if question.answer is None else question
        for question in case.questions
    )
    decide_by = event.decide_by if case.state is State.AWAITING_APPROVAL else case.decide_by
    return {"decide_by": decide_by, "questions": questions}


def _post_mortem_written(case: Case, event: PostMortemWritten, at: datetime) -> dict[str, Any]:
    return {"post_mortem": event.post_mortem}


def _episode_recorded(case: Case, event: EpisodeRecorded, at: datetime) -> dict[str, Any]:
    return {}


def _with_action(case: Case, action_id: str, change: Callable[[Action], dict[str, Any]]) -> dict[str, Any]:
    if case.action(action_id) is None:
        raise IllegalTransition(f"case {case.id} has no action {action_id}")
    return {
        "actions": tuple(
            action.model_copy(update=change(action)) if action.id == action_id else action for action in case.actions
        )
    }


_CHANGES: dict[type, Callable[[Case, Any, datetime], dict[str, Any]]] = {
    Moved: _moved,
    RoundPlanned: _round_planned,
    RoundJoined: _round_joined,
    BriefDrafted: _brief_drafted,
    QuestionAsked: _question_asked,
    QuestionAnswered: _question_answered,
    PolicyChecked: _policy_checked,
    ActionApproved: _action_approved,
    ActionEdited: _action_edited,
    ActionIntended: _action_intended,
    ActionMoved: _action_moved,
    OutsideChanged: _outside_changed,
    Reminded: _reminded,
    Rescheduled: _rescheduled,
    PostMortemWritten: _post_mortem_written,
    EpisodeRecorded: _episode_recorded,
}
