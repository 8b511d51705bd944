"""A fault of ours that redelivery does not cure: the case is shown to operators instead of being tried for ever."""

from __future__ import annotations

from datetime import datetime

from shared.case.actions import IN_FLIGHT
from shared.case.case import Case
from shared.case.events import Moved
from shared.case.lifecycle import LEGAL, State
from shared.steps.commit import Change, commit
from shared.steps.context import Ports, RequestContext
from shared.steps.settle import Unfolding, void_open_actions


def mark_failed(ports: Ports, context: RequestContext, case_id: str, step: str, fault: str) -> None:
    """Mark a case as failed after `step` ended in the unexpected error `fault` too often.

    What has not begun is voided. A case that is settled, or has an action under way, stays as it is.
    """

    def decide(case: Case | None, now: datetime) -> Change:
        if case is None or case.terminal or State.FAILED not in LEGAL[case.state]:
            return Change()
        if any(action.state in IN_FLIGHT for action in case.actions):
            return Change()  # what became of it must be found out first
        unfolding = Unfolding(case, now)
        reason = f"{step} failed with {fault} in every attempt"
        void_open_actions(unfolding, reason)
        unfolding.add(Moved(to=State.FAILED, reason=reason))
        return Change(unfolding.events)

    commit(ports, context, case_id, decide)
