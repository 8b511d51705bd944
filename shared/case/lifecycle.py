"""The states of a case and the legal moves between them; anything else is an error, not a shrug."""

from __future__ import annotations

from enum import StrEnum

from shared.errors import IllegalTransition


class State(StrEnum):
    """Where a case stands."""

    RECEIVED = "received"
    INVESTIGATING = "investigating"
    DRAFTED = "drafted"
    AWAITING_APPROVAL = "awaiting_approval"
    ACTING = "acting"
    AWAITING_OUTCOME = "awaiting_outcome"
    RESOLVED = "resolved"
    AWAITING_ANSWER = "awaiting_answer"
    MANUAL_REVIEW = "manual_review"
    REJECTED = "rejected"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    FAILED = "failed"


TERMINAL = frozenset({State.RESOLVED, State.REJECTED, State.EXPIRED, State.WITHDRAWN, State.FAILED})

WAITING_FOR_PEOPLE = frozenset({State.AWAITING_APPROVAL, State.AWAITING_ANSWER, State.MANUAL_REVIEW})

_S = State
_SIDEWAYS = {_S.MANUAL_REVIEW, _S.WITHDRAWN, _S.FAILED}

LEGAL: dict[State, frozenset[State]] = {
    _S.RECEIVED: frozenset({_S.INVESTIGATING, *_SIDEWAYS}),
    # Acting and resolved: an outcome came while a later round was running, after something had been done already.
    _S.INVESTIGATING: frozenset(
        {
            _S.INVESTIGATING,
            _S.DRAFTED,
            _S.AWAITING_ANSWER,
            _S.AWAITING_APPROVAL,
            _S.ACTING,
            _S.AWAITING_OUTCOME,
            _S.RESOLVED,
            *_SIDEWAYS,
        }
    ),
    _S.DRAFTED: frozenset(
        {_S.AWAITING_APPROVAL, _S.ACTING, _S.AWAITING_OUTCOME, _S.RESOLVED, _S.INVESTIGATING, *_SIDEWAYS}
    ),
    _S.AWAITING_APPROVAL: frozenset(
        {
            _S.ACTING,
            _S.AWAITING_OUTCOME,
            _S.DRAFTED,
            _S.REJECTED,
            _S.EXPIRED,
            _S.INVESTIGATING,
            _S.RESOLVED,
            *_SIDEWAYS,
        }
    ),
    # Back to drafted: a person edits an action that was approved but has not begun.
    _S.ACTING: frozenset(
        {_S.AWAITING_OUTCOME, _S.AWAITING_APPROVAL, _S.DRAFTED, _S.RESOLVED, _S.INVESTIGATING, *_SIDEWAYS}
    ),
    _S.AWAITING_OUTCOME: frozenset(
        {_S.ACTING, _S.AWAITING_APPROVAL, _S.DRAFTED, _S.RESOLVED, _S.INVESTIGATING, *_SIDEWAYS}
    ),
    _S.AWAITING_ANSWER: frozenset(
        {
            _S.INVESTIGATING,
            _S.DRAFTED,
            _S.AWAITING_APPROVAL,
            _S.ACTING,
            _S.AWAITING_OUTCOME,
            _S.RESOLVED,
            *_SIDEWAYS,
        }
    ),
    # A person decides: take it up again, take the draft, or settle it elsewhere.
    _S.MANUAL_REVIEW: frozenset(
        {
            _S.INVESTIGATING,
            _S.DRAFTED,
            _S.AWAITING_APPROVAL,
            _S.ACTING,
            _S.AWAITING_OUTCOME,
            _S.RESOLVED,
            _S.REJECTED,
            _S.WITHDRAWN,
            _S.FAILED,
        }
    ),
    # The outside world can reopen what looked settled: a refund that fails later, lost -> won, an escalation.
    _S.RESOLVED: frozenset({_S.MANUAL_REVIEW, _S.INVESTIGATING}),
    _S.REJECTED: frozenset({_S.INVESTIGATING, _S.MANUAL_REVIEW}),
    _S.EXPIRED: frozenset({_S.INVESTIGATING, _S.MANUAL_REVIEW}),
    _S.WITHDRAWN: frozenset({_S.INVESTIGATING, _S.MANUAL_REVIEW}),
    _S.FAILED: frozenset({_S.INVESTIGATING, _S.MANUAL_REVIEW}),
}


def check_move(current: State, to: State) -> None:
    """Raise IllegalTransition unless the table lists the move."""
    if to not in LEGAL[current]:
        raise IllegalTransition(f"a case that is {current.value} cannot become {to.value}")
