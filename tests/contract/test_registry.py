"""Orgs and their endpoints, the kill switch, and the trace: the same wherever they are stored."""

from __future__ import annotations

import pytest

from shared.errors import Conflict, NotFound
from shared.ports.directory import Member, Org, Role
from shared.ports.effects import Stop
from tests.contract.conftest import KillSwitch, Registry, Stores
from tests.contract.factories import ORG, OTHER_ORG, START, at

ACME = Org(
    id=ORG,
    currency="usd",
    timezone="Europe/Berlin",
    fx={"eur": "1.08"},
    members=(Member(email="ada@acme.example", name="Ada", role=Role.APPROVER, limit_minor=50_000),),
    approval_policy="tiers: []\n",
)


@pytest.fixture
def directory(stores: Stores) -> Registry:
    """A registry that knows two orgs."""
    stores.directory.put_org(ACME)
    stores.directory.put_org(Org(id=OTHER_ORG, currency="eur"))
    return stores.directory


@pytest.fixture
def switch(stores: Stores) -> KillSwitch:
    """A kill switch that nobody has touched."""
    return stores.switch


def test_an_org_is_read_back_as_it_was_registered(directory: Registry) -> None:
    assert directory.org(ORG) == ACME


def test_an_org_can_be_replaced(directory: Registry) -> None:
    changed = ACME.model_copy(update={"members": ()})
    directory.put_org(changed)
    assert directory.org(ORG) == changed


def test_an_unknown_org_is_not_found(directory: Registry) -> None:
    with pytest.raises(NotFound):
        directory.org("initech")


def test_an_event_belongs_to_the_org_of_its_endpoint_secret_and_account(directory: Registry) -> None:
    directory.register_endpoint("/stripe/a", "whsec-a", None, ORG)
    directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", OTHER_ORG)
    assert directory.org_of_event("/stripe/a", "whsec-a", None) == ORG
    assert directory.org_of_event("/stripe/a", "whsec-a", "acct_1") == OTHER_ORG
    assert directory.org_of_event("/stripe/a", "whsec-a", "acct_2") is None
    assert directory.org_of_event("/stripe/a", "whsec-b", None) is None
    assert directory.org_of_event("/stripe/b", "whsec-a", None) is None


def test_an_endpoint_never_changes_its_owner_silently(directory: Registry) -> None:
    directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", ORG)
    directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", ORG)
    with pytest.raises(Conflict):
        directory.register_endpoint("/stripe/a", "whsec-a", "acct_1", OTHER_ORG)
    assert directory.org_of_event("/stripe/a", "whsec-a", "acct_1") == ORG


def test_an_endpoint_of_an_unknown_org_is_refused(directory: Registry) -> None:
    with pytest.raises(NotFound):
        directory.register_endpoint("/stripe/a", "whsec-a", None, "initech")
    assert directory.org_of_event("/stripe/a", "whsec-a", None) is None


def test_effects_may_happen_until_someone_stops_them(switch: KillSwitch) -> None:
    assert not switch.effects_stopped(ORG)
    assert switch.status(ORG) is None
    switch.stop(ORG, by="ada@acme.example", reason="two\nlines")
    assert switch.effects_stopped(ORG)
    assert switch.status(ORG) == Stop(ORG, "ada@acme.example", "two\nlines", START)
    assert not switch.effects_stopped(OTHER_ORG)
    assert switch.start(ORG)
    assert not switch.effects_stopped(ORG)
    assert not switch.start(ORG)


def test_a_stop_for_all_holds_for_every_org_whatever_is_started_for_one(switch: KillSwitch) -> None:
    switch.stop(None, by="operator")
    assert switch.effects_stopped(ORG)
    assert not switch.start(ORG)
    assert switch.effects_stopped(ORG)
    switch.stop(ORG, by="ada", reason="ours")
    assert switch.start(None)
    assert switch.effects_stopped(ORG)
    assert not switch.effects_stopped(OTHER_ORG)


def test_the_trace_of_a_case_is_read_in_order_and_from_where_one_left_off(stores: Stores) -> None:
    trace = stores.trace
    for number in range(3):
        trace.say(ORG, "case_1", "payments", f"step {number}", rows=number, query="SELECT 1")
        stores.clock.instant = at(number + 1)
    trace.say(ORG, "case_2", "payments", "elsewhere")
    trace.say(OTHER_ORG, "case_1", "payments", "another org")
    stores.settle_trace()
    lines = trace.list(ORG, "case_1")
    assert [(line.what, line.at) for line in lines] == [("step 0", at(0)), ("step 1", at(1)), ("step 2", at(2))]
    assert sorted(line.seq for line in lines) == [line.seq for line in lines]
    assert lines[1].details == {"rows": 1, "query": "SELECT 1"}
    assert [line.what for line in trace.list(ORG, "case_1", after=lines[1].seq)] == ["step 2"]
    assert trace.list(ORG, "case_1", after=lines[2].seq) == ()


def test_saying_something_never_fails_whatever_it_is(stores: Stores) -> None:
    stores.trace.say(ORG, "case_1", "la\udfffne", "lone \ud800 surrogate", text="\ud800", long="x" * 100_000)
    stores.settle_trace()
    (line,) = stores.trace.list(ORG, "case_1")
    assert (line.what, line.lane) == ("lone ? surrogate", "la?ne")
    assert len(str(line.details["long"])) < 5000
