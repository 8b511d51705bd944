"""Sending hints for due steps. Losing one costs time, never work: the sweeper sends what is overdue."""

from __future__ import annotations

from collections.abc import Iterable

from shared.case.canonical import short_hash
from shared.case.case import Case
from shared.case.due import Due, Step, due_steps
from shared.ports.queue import Message, Task
from shared.steps.budgets import ACTIONS, SPECIALISTS, WATCHDOGS, Budget
from shared.steps.commit import Committed
from shared.steps.context import Ports, RequestContext


def send_new(ports: Ports, context: RequestContext, committed: Committed) -> None:
    """Send only what the commit made due."""
    if committed.after is None:
        return
    now = ports.clock.now()
    known = set(due_steps(committed.before, now)) if committed.before else set()
    new = [due for due in due_steps(committed.after, now) if due not in known]
    send(ports, context, committed.after, new, committed.generation)


def send_all(ports: Ports, context: RequestContext, committed: Committed) -> None:
    """Send all that is due: what a delivery does that finds its own work done."""
    if committed.after is not None:
        send(ports, context, committed.after, due_steps(committed.after, ports.clock.now()), committed.generation)


def drive(ports: Ports, context: RequestContext, committed: Committed) -> None:
    """Drive the case on: what this commit made due or, when it changed nothing, all that is due."""
    if committed.changed:
        send_new(ports, context, committed)
    else:
        send_all(ports, context, committed)


def send(ports: Ports, context: RequestContext, case: Case, dues: Iterable[Due], generation: int) -> None:
    """Publish or enqueue a hint for each due step."""
    for due in dues:
        if due.step in (Step.SYNTHESIZE, Step.POLICY_CHECK):
            body: dict[str, str | int] = {"org": case.org, "case_id": case.id}
            ports.messages.publish(Message(topic=due.step.value, body=body, attributes=_attributes(context, case)))
        else:
            ports.tasks.enqueue(_task(context, case, due, generation))


def _task(context: RequestContext, case: Case, due: Due, generation: int) -> Task:
    budget: Budget
    body: dict[str, str | int] = {"org": case.org, "case_id": case.id, "generation": generation}
    if due.step is Step.ACT:
        budget, function = ACTIONS, "act"
        body["action_id"] = due.key
    else:
        budget, function = (SPECIALISTS if due.step is Step.SPECIALIST else WATCHDOGS), "specialist"
        body["round"] = due.round
        body["specialist" if due.step is Step.SPECIALIST else "deadline"] = due.key
    return Task(
        queue=budget.queue,
        # A hash, so that names spread; the generation, because a name that was used stays blocked for up to a day.
        name=short_hash(case.org, case.id, due.step.value, str(due.round), due.key, str(generation), length=40),
        function=function,
        body=body,
        deadline_s=budget.dispatch_s,
        retry=budget.retry,
        schedule_at=due.at,
        attributes=_attributes(context, case),
    )


def _attributes(context: RequestContext, case: Case) -> dict[str, str]:
    return {"org": case.org, "ordering_key": case.id, "trace": case.trace or context.trace}
