"""The numbers that alerts are about: their names, units and meanings, and how a case contributes to them.

Each tick of the sweeper reports the gauges, as one structured log record: jsonPayload.metrics.<name>. A count is
reported when it happens, in a record of the same shape. Terraform makes a metric of each (`python -m
shared.steps.metrics` prints them as JSON); `manthan health` computes the same from the store.

A case that does not move is looked at ever less often, but at least every half hour: a gauge that stays at zero for
longer than that is zero.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from shared.case.actions import ActionState
from shared.case.case import Case
from shared.case.due import SEND_BUDGET, due_steps
from shared.steps.budgets import SWEEP_HORIZON_S


@dataclass(frozen=True, slots=True)
class Metric:
    """One number. A gauge is what a tick of the sweeper found; a count is what happened just now. `unit`: UCUM."""

    name: str
    kind: Literal["gauge", "count"]
    unit: str
    meaning: str


DUE_STEPS_OVERDUE: Final = "due_steps_overdue"
CASES_STUCK: Final = "cases_stuck"
OUTCOMES_UNKNOWN: Final = "outcomes_unknown"
DEAD_LETTERS: Final = "dead_letters"
APPROVALS_REFUSED: Final = "approvals_refused"

METRICS: Final = (
    Metric(
        DUE_STEPS_OVERDUE,
        "gauge",
        "{step}",
        f"Due steps that nobody has taken up within {SEND_BUDGET.total_seconds():g} s and that are sent again.",
    ),
    Metric(
        CASES_STUCK,
        "gauge",
        "{case}",
        f"Cases with something due that have not changed for {SWEEP_HORIZON_S:g} s, or that the sweeper failed on.",
    ),
    Metric(
        OUTCOMES_UNKNOWN,
        "gauge",
        "{action}",
        "Actions whose call had no answer: each may or may not have had its effect, and is looked up.",
    ),
    Metric(
        DEAD_LETTERS,
        "gauge",
        "{letter}",
        "Deliveries that wait for operators: nobody else tries them again (to 200).",
    ),
    Metric(
        APPROVALS_REFUSED, "count", "{refusal}", "Somebody tried to approve what they may not, or too late: once each."
    ),
)


@dataclass(frozen=True, slots=True)
class Pulse:
    """What one case, or several, contribute to the gauges."""

    overdue: int = 0
    stuck: int = 0
    unknown: int = 0

    def __add__(self, other: Pulse) -> Pulse:
        return Pulse(self.overdue + other.overdue, self.stuck + other.stuck, self.unknown + other.unknown)


def pulse_of(case: Case, now: datetime) -> Pulse:
    """How a case is doing. Whoever holds a living lease is at work: its step is not overdue."""
    quiet_for = now - case.updated_at
    leased = any(action.lease_until is not None and action.lease_until > now for action in case.actions)
    due = [step for step in due_steps(case, now) if step.at is None or step.at <= now]
    overdue = len(due) if quiet_for >= SEND_BUDGET and not leased else 0
    return Pulse(
        overdue=overdue,
        stuck=int(overdue > 0 and quiet_for >= timedelta(seconds=SWEEP_HORIZON_S)),
        unknown=sum(action.state is ActionState.UNKNOWN for action in case.actions),
    )


def gauges(pulse: Pulse, dead_letters: int) -> dict[str, int]:
    """The gauges by name."""
    return {
        DUE_STEPS_OVERDUE: pulse.overdue,
        CASES_STUCK: pulse.stuck,
        OUTCOMES_UNKNOWN: pulse.unknown,
        DEAD_LETTERS: dead_letters,
    }


def description(dumps: Callable[[object], str] = json.dumps) -> str:
    """The table as JSON, as Terraform reads it."""
    return dumps({"log_field": "metrics", "metrics": [asdict(metric) for metric in METRICS]})


if __name__ == "__main__":
    print(description(lambda table: json.dumps(table, indent=2)))
