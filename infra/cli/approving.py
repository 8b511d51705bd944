"""Who approves in a run that nobody watches: the people who were named, or as many eligible ones as are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.case.actions import Action, ActionState
from shared.case.case import Case
from shared.case.lifecycle import State
from shared.policy.approvals import eligible, missing
from shared.ports.directory import Org


@dataclass(frozen=True, slots=True)
class Turn:
    """One person's approvals of one case, by action id."""

    email: str
    actions: tuple[str, ...]


class Approvers:
    """Whose turn it is. Nobody gets a second turn at the same content.

    With `named` people, each in order approves what they may; who may nothing of it is tried all the same, so that the
    refusal says why. Without, members of the org in their order, as many as each action still needs.
    """

    def __init__(self, named: Sequence[str] = ()) -> None:
        self._named = tuple(named)
        self._had: set[tuple[str, str, str]] = set()

    def next_turn(self, case: Case, org: Org) -> Turn | None:
        """Who approves next and what; None when nobody is left to ask."""
        if case.state is not State.AWAITING_APPROVAL:
            return None
        waiting = [action for action in case.actions if action.state is ActionState.AWAITING_APPROVAL]
        people = self._named or tuple(member.email for member in org.members)
        for email in people:
            mine = [action for action in waiting if (email, action.id, action.hash) not in self._had]
            wanted = _as_named(org, email, mine) if self._named else [a for a in mine if _is_needed(org, email, a)]
            if wanted:
                return Turn(email, tuple(action.id for action in wanted))
        return None

    def had(self, turn: Turn, case: Case) -> None:
        """This turn was taken, whatever came of it."""
        for action in case.actions:
            if action.id in turn.actions:
                self._had.add((turn.email, action.id, action.hash))


def _as_named(org: Org, email: str, actions: list[Action]) -> list[Action]:
    member = org.member(email)
    allowed = [action for action in actions if member is not None and member in eligible(org, action)]
    return allowed or actions


def _is_needed(org: Org, email: str, action: Action) -> bool:
    given = {approval.email for approval in action.approvals if approval.hash == action.hash}
    fresh = [member.email for member in eligible(org, action) if member.email not in given]
    return bool(fresh) and email in fresh[: missing(action, org)]
