"""The adapters that the contract is held against: every test here runs once for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import pytest

from infra.google.firestore import open_firestore
from infra.local.claims import SqliteClaims
from infra.local.database import Database
from infra.local.directory import SqliteDirectory
from infra.local.entropy import SystemEntropy
from infra.local.inbox import SqliteInbox
from infra.local.store import SqliteStore
from infra.local.switch import SqliteSwitch
from infra.local.trace import SqliteTrace
from infra.simulation.memory import MemoryClaims, MemoryInbox, MemoryState, MemoryStore
from shared.ports import Directory, Org, Switch, Trace
from shared.ports.effects import Stop
from shared.ports.store import CaseStore, Claims, Inbox
from shared.ports.trace import TraceReader
from tests.support.clock import StillClock


class Registry(Directory, Protocol):
    """The registry, and how orgs get into it."""

    def put_org(self, org: Org) -> None: ...

    def register_endpoint(self, endpoint: str, secret_name: str, account: str | None, org: str) -> None: ...


class KillSwitch(Switch, Protocol):
    """The kill switch, and how it is thrown."""

    def status(self, org: str | None) -> Stop | None: ...

    def stop(self, org: str | None, *, by: str, reason: str = "") -> None: ...

    def start(self, org: str | None) -> bool: ...


class WatchedTrace(Trace, TraceReader, Protocol):
    """The trace, written and read."""


@dataclass(frozen=True)
class Stores:
    """The ports of one adapter, over one and the same storage."""

    cases: CaseStore
    inbox: Inbox
    claims: Claims
    directory: Registry
    switch: KillSwitch
    trace: WatchedTrace
    settle_trace: Callable[[], object]
    """Return once what was said can be read."""
    clock: StillClock


def _sqlite(request: pytest.FixtureRequest) -> Iterator[Stores]:
    folder: Path = request.getfixturevalue("tmp_path")
    clock = StillClock()
    with Database(folder / "manthan.db") as database:
        yield Stores(
            SqliteStore(database),
            SqliteInbox(database),
            SqliteClaims(database),
            SqliteDirectory(database),
            SqliteSwitch(database, clock),
            SqliteTrace(database, clock),
            lambda: database.write(lambda connection: None, durable=False),
            clock,
        )


def _simulated(request: pytest.FixtureRequest) -> Iterator[Stores]:
    """The memory that simulations run on, so that they prove something about the others; the rest is SQLite's."""
    state = MemoryState()
    for stores in _sqlite(request):
        yield replace(stores, cases=MemoryStore(state), inbox=MemoryInbox(state), claims=MemoryClaims(state))


def _firestore(request: pytest.FixtureRequest) -> Iterator[Stores]:
    request.getfixturevalue("firestore_host")
    clock = StillClock()
    opened = open_firestore(request.getfixturevalue("fresh_project"), clock, SystemEntropy())
    yield Stores(
        opened.store,
        opened.inbox,
        opened.claims,
        opened.directory,
        opened.switch,
        opened.trace,
        opened.trace.flush,
        clock,
    )
    opened.close()


ADAPTERS: dict[str, Callable[[pytest.FixtureRequest], Iterator[Stores]]] = {
    "sqlite": _sqlite,
    "firestore": _firestore,
    "simulated": _simulated,
}


@pytest.fixture(params=sorted(ADAPTERS))
def stores(request: pytest.FixtureRequest) -> Iterator[Stores]:
    """An adapter's ports over an empty storage."""
    yield from ADAPTERS[request.param](request)


@pytest.fixture
def store(stores: Stores) -> CaseStore:
    """The case store over an empty storage."""
    return stores.cases


@pytest.fixture
def inbox(stores: Stores) -> Inbox:
    """The inbox over an empty storage."""
    return stores.inbox


@pytest.fixture
def claims(stores: Stores) -> Claims:
    """The claims over an empty storage."""
    return stores.claims
