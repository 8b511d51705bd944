"""What only the embedded kill switch and trace have to hold: other processes, a bounded table, a closed database."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from infra.local import trace as trace_module
from infra.local.database import Database
from infra.local.switch import SqliteSwitch
from infra.local.trace import SqliteTrace
from tests.contract.factories import ORG
from tests.unit.local.conftest import StillClock


@pytest.fixture
def switch(database: Database, clock: StillClock) -> SqliteSwitch:
    return SqliteSwitch(database, clock)


@pytest.fixture
def trace(database: Database, clock: StillClock) -> SqliteTrace:
    return SqliteTrace(database, clock)


def test_another_process_sees_a_stop_at_once(database: Database, switch: SqliteSwitch, clock: StillClock) -> None:
    with Database(database.path) as other:
        switch.stop(ORG, by="ada")
        assert SqliteSwitch(other, clock).effects_stopped(ORG)


def _settled(database: Database) -> None:
    database.write(lambda connection: None, durable=False)


def test_the_trace_of_a_case_is_bounded_and_keeps_the_latest_lines(
    database: Database, trace: SqliteTrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_module, "LINES_PER_CASE", 150)
    for number in range(1, 401):
        trace.say(ORG, "case_1", "payments", f"step {number}")
    trace.say(ORG, "case_2", "payments", "elsewhere")
    _settled(database)
    lines = trace.list(ORG, "case_1")
    assert [line.seq for line in lines] == list(range(251, 401))
    assert len(trace.list(ORG, "case_2")) == 1


def test_saying_something_never_fails(tmp_path: Path, clock: StillClock, caplog: pytest.LogCaptureFixture) -> None:
    with Database(tmp_path / "trace.db") as database, caplog.at_level(logging.WARNING):
        trace = SqliteTrace(database, clock)
        trace.say(ORG, "case_1", "la\udfffne", "lone \ud800 surrogate", text="\ud800", long="x" * 100_000)
        _settled(database)
        (line,) = trace.list(ORG, "case_1")
    assert (line.what, line.lane) == ("lone ? surrogate", "la?ne")
    assert len(str(line.details["long"])) < 5000
    trace.say(ORG, "case_1", "payments", "after the end")
    assert caplog.records == []
