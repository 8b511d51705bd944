"""The adapters that the contract is held against: every test here runs once for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from infra.google.firestore import FirestoreStores
from infra.local.claims import SqliteClaims
from infra.local.database import Database
from infra.local.inbox import SqliteInbox
from infra.local.store import SqliteStore
from shared.ports.store import CaseStore, Claims, Inbox


@dataclass(frozen=True)
class Stores:
    """The ports of one adapter, over one and the same storage."""

    cases: CaseStore
    inbox: Inbox
    claims: Claims


def _sqlite(request: pytest.FixtureRequest) -> Iterator[Stores]:
    folder: Path = request.getfixturevalue("tmp_path")
    with Database(folder / "manthan.db") as database:
        yield Stores(SqliteStore(database), SqliteInbox(database), SqliteClaims(database))


def _firestore(request: pytest.FixtureRequest) -> Iterator[Stores]:
    opened: FirestoreStores = request.getfixturevalue("firestore")
    yield Stores(opened.store, opened.inbox, opened.claims)


ADAPTERS: dict[str, Callable[[pytest.FixtureRequest], Iterator[Stores]]] = {"sqlite": _sqlite, "firestore": _firestore}


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
