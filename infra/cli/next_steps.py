"""What a person can do about a case that waits for one: who may, how many are missing, and the command to type."""

from __future__ import annotations

from infra.cli.output import Screen
from shared.case.actions import Action, ActionState
from shared.case.case import Case
from shared.errors import Refused
from shared.policy.approvals import eligible, missing
from shared.ports.directory import Org


def show_next_steps(screen: Screen, case: Case, org: Org, data: str) -> None:
    """The commands for a case that waits for people; nothing for any other. `data`: the option that finds it."""
    for action in case.actions:
        if action.state is ActionState.AWAITING_APPROVAL:
            screen.show(f"Waits for approval:         {action.id}: {_who(org, action)}")
    if any(action.state is ActionState.AWAITING_APPROVAL for action in case.actions):
        screen.show(f"Approve all:                manthan cases approve {case.id} --as EMAIL{data}")
        screen.show(f"Turn it down:               manthan cases reject {case.id} --as EMAIL --reason TEXT{data}")
    question = case.open_question
    if question is not None:
        options = "|".join(option.id for option in question.options)
        screen.show(f"Answer:                     manthan cases answer {case.id} {options} --as EMAIL{data}")


def _who(org: Org, action: Action) -> str:
    try:
        wanted = missing(action, org)
    except Refused as error:
        return str(error)
    given = [approval.email for approval in action.approvals if approval.hash == action.hash]
    people = [member.email for member in eligible(org, action) if member.email not in given]
    already = f", approved by {', '.join(given)}" if given else ""
    return f"{wanted} more of {', '.join(people) or 'nobody who may'}{already}"
