"""Exhaustive: a process dies before and after every single port call of the main flows, and every run ends well.

Alone, and with every message and task delivered twice; and once without the sweeper, so that it is seen that each
delivery that finds its work done drives the case on by itself.
"""

from __future__ import annotations

import pytest

from infra.simulation.audit import audit
from infra.simulation.drafts import Flow
from infra.simulation.journal import Played
from infra.simulation.run import play
from infra.simulation.scenario import of_flow
from infra.simulation.weather import CrashPoint

QUICK = ((Flow.CREDIT_AFTER_WIN, "alone"), (Flow.REFUND, "duplicates"), (Flow.REFUND, "without sweeper"))
MODES: dict[str, dict[str, bool]] = {
    "alone": {},
    "duplicates": {"duplicates": True},
    "without sweeper": {"sweeps": False},
}


def ends(played: Played) -> dict[str, tuple[str, list[str]]]:
    """How every case has ended, and what has been done for it."""
    return {
        case_id: (record.case.state.value, sorted(f"{a.kind.value} {a.state.value}" for a in record.case.actions))
        for (_, case_id), record in played.state.cases.items()
    }


def check(flow: Flow, *, after: bool, **mode: bool) -> None:
    undisturbed = play(of_flow(flow, **mode))
    calls = undisturbed.journal.port_calls
    assert calls >= 60, "too short to be the real thing"
    for call in range(1, calls + 1):
        played = play(of_flow(flow, crash=CrashPoint(call, after), **mode))
        assert played.journal.faults_of_ours == []
        assert audit(played) == [], f"a death {'after' if after else 'before'} port call {call}"
        assert ends(played) == ends(undisturbed), f"a death {'after' if after else 'before'} port call {call}"


@pytest.mark.timeout(900)  # every port call of a flow, and measuring coverage slows them down
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("flow", "mode"), QUICK)
def test_a_death_at_any_port_call_of_a_main_flow_changes_nothing_about_its_end(
    flow: Flow, mode: str, after: bool
) -> None:
    check(flow, after=after, **MODES[mode])


@pytest.mark.soak
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("flow", Flow)
def test_a_death_at_any_port_call_of_any_flow_changes_nothing_about_its_end(flow: Flow, mode: str, after: bool) -> None:
    check(flow, after=after, **MODES[mode])
