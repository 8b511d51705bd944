"""Orgs and their endpoints, the kill switch, and the trace."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from infra.local import trace as trace_module
from infra.local.database import Database
from infra.local.directory import SqliteDirectory
from infra.local.switch import SqliteSwitch
from infra.local.trace import SqliteTrace
from shared.errors import Conflict, NotFound
from shared.ports.directory import Member, Org, Role
from shared.ports.effects import Stop
from tests.contract.factories import ORG, OTHER_ORG, START, at
from tests.unit.local.conftest import StillClock

ACME = Org(
    id=ORG,
    currency="usd",
    timezone="Europe/Berlin",
    fx={"eur": "1.08"},
    members=(Member(email="ada@acme.example", name="Ada", role=Role.APPROVER, limit_minor=50_000),),
    approval_policy="tiers: []\n",
)


@pytest.fixture
def directory(database: Database) -> SqliteDirectory:
    registry = SqliteDirectory(database)
    registry.put_org(ACME)
    registry.put_org(Org(id=OTHER_ORG, currency="eur"))
    return registry


@pytest.fixture
def switch(database: Database, clock: StillClock) -> SqliteSwitch:
    return SqliteSwitch(database, clock)


@pytest.fixture
def trace(database: Database, clock: StillClock) -> SqliteTrace:
    return SqliteTrace(database, clock)


def test_an_org_is_read_back_as_it_was_registered(directory: SqliteDirectory) -> None:
    assert directory.org(ORG) == ACME


def test_an_org_can_be_replaced(directory: SqliteDirectory) -> None:
    changed = ACME.model_copy(update={"members": ()})
    directory.put_org(changed)
    assert directory.org(ORG) == changed


def test_an_unknown_org_is_not_found(directory: SqliteDirectory) -> None:
    with pytest.raises(NotFound):
        directory.org("initech")


def test_an_event_belongs_to_the_org_of_its_endpoint_secret_and_account(directory: SqliteDirectory) -> None:
    directory.register_endpoint("/stripe/a", "whsec-a", None, ORG)
    directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", OTHER_ORG)
    assert directory.org_of_event("/stripe/a", "whsec-a", None) == ORG
    assert directory.org_of_event("/stripe/a", "whsec-a", "acct_1") == OTHER_ORG
    assert directory.org_of_event("/stripe/a", "whsec-a", "acct_2") is None
    assert directory.org_of_event("/stripe/a", "whsec-b", None) is None
    assert directory.org_of_event("/stripe/b", "whsec-a", None) is None


def test_an_endpoint_never_changes_its_owner_silently(directory: SqliteDirectory) -> None:
    directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", ORG)
    directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", ORG)
    with pytest.raises(Conflict):
        directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", OTHER_ORG)
    assert directory.org_of_event("/stripe/a", "whsec-a", "acct_1") == ORG


def test_an_endpoint_of_an_unknown_org_is_refused(directory: SqliteDirectory) -> None:
    with pytest.raises(NotFound):
        directory.register_endpoint("/stripe/a", "whsec-a", None, "initech")
    assert directory.org_of_event("/stripe/a", "whsec-a", None) is None


def test_effects_may_happen_until_someone_stops_them(switch: SqliteSwitch) -> None:
    assert not switch.effects_stopped(ORG)
    assert switch.status(ORG) is None
    switch.stop(ORG, by="ada@acme.example", reason="two\nlines")
    assert switch.effects_stopped(ORG)
    assert switch.status(ORG) == Stop(ORG, "ada@acme.example", "two\nlines", START)
    assert not switch.effects_stopped(OTHER_ORG)
    assert switch.start(ORG)
    assert not switch.effects_stopped(ORG)
    assert not switch.start(ORG)


def test_a_stop_for_all_holds_for_every_org_whatever_is_started_for_one(switch: SqliteSwitch) -> None:
    switch.stop(None, by="operator")
    assert switch.effects_stopped(ORG)
    assert not switch.start(ORG)
    assert switch.effects_stopped(ORG)
    switch.stop(ORG, by="ada", reason="ours")
    assert switch.start(None)
    assert switch.effects_stopped(ORG)
    assert not switch.effects_stopped(OTHER_ORG)


def test_another_process_sees_a_stop_at_once(database: Database, switch: SqliteSwitch, clock: StillClock) -> None:
    with Database(database.path) as other:
        switch.stop(ORG, by="ada")
        assert SqliteSwitch(other, clock).effects_stopped(ORG)


def _settled(database: Database) -> None:
    database.write(lambda connection: None, durable=False)


def test_the_trace_of_a_case_is_read_in_order_and_from_where_one_left_off(
    database: Database, trace: SqliteTrace, clock: StillClock
) -> None:
    for number in range(3):
        trace.say(ORG, "case_1", "payments", f"step {number}", rows=number, query="SELECT 1")
        clock.instant = at(number + 1)
    trace.say(ORG, "case_2", "payments", "elsewhere")
    trace.say(OTHER_ORG, "case_1", "payments", "another org")
    _settled(database)
    lines = trace.list(ORG, "case_1")
    assert [(line.seq, line.what, line.at) for line in lines] == [
        (1, "step 0", at(0)),
        (2, "step 1", at(1)),
        (3, "step 2", at(2)),
    ]
    assert lines[1].details == {"rows": 1, "query": "SELECT 1"}
    assert [line.what for line in trace.list(ORG, "case_1", after=2)] == ["step 2"]
    assert trace.list(ORG, "case_1", after=3) == ()


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
