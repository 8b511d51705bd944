"""The numbers that alerts are about: reported by each tick of the sweeper, or when they happen."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from shared.case.case import Case
from shared.errors import Refused
from shared.ports import Message
from shared.ports.effects import EffectUnknown
from shared.steps import people
from shared.steps.budgets import SWEEP_HORIZON_S
from shared.steps.health import health_of
from shared.steps.metrics import METRICS, Pulse, description, pulse_of
from tests.support.rig import ALICE, BOB, CAROL, VERA, Rig
from tests.unit.telemetry.conftest import Recorded

GAUGES = {metric.name for metric in METRICS if metric.kind == "gauge"}


def reported(rig: Rig, recorded: Recorded) -> dict[str, int]:
    """What the next tick reports."""
    rig.sweep()
    metrics: dict[str, int] = recorded.about("metrics")[-1]["metrics"]
    return metrics


def lost(rig: Rig) -> Case:
    """A case whose specialists were never started: their hints are gone."""
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: isinstance(sent, Message) and sent.topic == "triage")
    rig.out.tasks.clear()
    return rig.case()


def unanswered(*_: object) -> Any:
    raise EffectUnknown("no answer")


def test_a_tick_that_finds_nothing_reports_every_gauge_as_zero(rig: Rig, recorded: Recorded) -> None:
    assert reported(rig, recorded) == dict.fromkeys(GAUGES, 0)
    (line,) = recorded.about("metrics")
    assert (line["severity"], line["step"]) == ("INFO", "sweep")


def test_steps_that_nobody_took_up_are_overdue_after_their_send_budget(rig: Rig, recorded: Recorded) -> None:
    lost(rig)
    assert reported(rig, recorded)["due_steps_overdue"] == 0
    rig.advance(seconds=61)
    assert reported(rig, recorded)["due_steps_overdue"] == 5


def test_a_case_that_stands_still_beyond_the_sweepers_horizon_is_stuck(rig: Rig, recorded: Recorded) -> None:
    rig.post(rig.event("test.created"))
    rig.pump(only=lambda sent: not (isinstance(sent, Message) and sent.topic == "policy_check"))
    rig.out.messages.clear()
    rig.advance(seconds=SWEEP_HORIZON_S - 1)
    assert reported(rig, recorded)["cases_stuck"] == 0
    rig.out.messages.clear()
    rig.advance(minutes=30)
    assert reported(rig, recorded)["cases_stuck"] == 1


def test_a_case_that_the_sweeper_fails_on_is_stuck_too(rig: Rig, recorded: Recorded) -> None:
    lost(rig)
    rig.advance(seconds=61)
    rig.database.write(
        lambda connection: connection.execute(
            'UPDATE cases SET body = replace(body, \'"playbook":"disputes"\', \'"playbook":"gone"\')'
        )
    )
    assert reported(rig, recorded)["cases_stuck"] == 1


def test_an_action_whose_call_had_no_answer_is_counted_until_it_is_known(rig: Rig, recorded: Recorded) -> None:
    case = rig.to_approval()
    rig.effects.after = rig.effects.finding = unanswered
    for email in (ALICE, BOB):
        people.approve(rig.all_ports(), rig.context(email), case.id)
    rig.pump()
    rig.advance(minutes=31)
    rig.out.tasks.clear()
    assert reported(rig, recorded)["outcomes_unknown"] >= 1
    rig.effects.after = rig.effects.finding = lambda action: None
    rig.pump()
    rig.advance(minutes=31)
    assert reported(rig, recorded)["outcomes_unknown"] == 0


def test_a_dead_letter_is_counted_while_it_waits_for_operators(rig: Rig, recorded: Recorded) -> None:
    rig._call("triage", b"not json", {})
    assert reported(rig, recorded)["dead_letters"] == 1


@pytest.mark.parametrize("email", [CAROL, VERA, "stranger@elsewhere.test"])
def test_a_refused_approval_is_counted_when_it_happens_and_told_in_the_cases_trace(
    rig: Rig, recorded: Recorded, email: str
) -> None:
    case = rig.to_approval()
    with pytest.raises(Refused):
        people.approve(rig.all_ports(), rig.context(email), case.id)
    assert [line["metrics"] for line in recorded.about("metrics")] == [{"approvals_refused": 1}]
    rig.database.write(lambda connection: None)  # what was said before is written by then
    assert health_of([rig.case()], rig.inbox, rig.trace, rig.clock.now())["approvals_refused"] == 1


def test_health_computes_every_metric_there_is_from_what_is_stored(rig: Rig) -> None:
    case = lost(rig)
    rig._call("triage", b"not json", {})
    found = health_of([case], rig.inbox, rig.trace, rig.clock.now() + timedelta(seconds=SWEEP_HORIZON_S))
    assert set(found) == {metric.name for metric in METRICS}
    # By then the assignments' deadline is over: what is due is their watchdog.
    assert (found["due_steps_overdue"], found["cases_stuck"], found["dead_letters"]) == (1, 1, 1)


def test_a_case_that_waits_for_people_or_the_issuer_is_never_overdue(rig: Rig) -> None:
    case = rig.to_approval()
    assert pulse_of(case, case.updated_at + timedelta(days=2)) == Pulse()


def test_terraform_reads_the_table_that_the_records_are_made_from() -> None:
    ran = subprocess.run([sys.executable, "-m", "shared.steps.metrics"], capture_output=True, check=True)
    printed = json.loads(ran.stdout)
    assert printed == json.loads(description())
    assert {metric["name"]: metric["kind"] for metric in printed["metrics"]} == {m.name: m.kind for m in METRICS}
    assert all(set(metric) == {"name", "kind", "unit", "meaning"} for metric in printed["metrics"])
    assert printed["log_field"] == "metrics"


def test_the_page_lists_every_metric_as_the_table_does() -> None:
    page = (Path(__file__).parents[3] / "docs" / "telemetry.md").read_text(encoding="utf-8")
    rows = [f"| `{metric.name}` | {metric.kind} | `{metric.unit}` | {metric.meaning} |" for metric in METRICS]
    assert page.rstrip().endswith("\n".join(rows))
