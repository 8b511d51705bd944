"""A running dev notices what other processes write, and asks for nothing when nobody has written."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.dev.changes import Changes
from infra.local.clock import SystemClock
from infra.local.database import Database
from infra.local.switch import SqliteSwitch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "manthan.db"


def test_the_first_look_finds_something_new(path: Path) -> None:
    with Database(path), Changes(path) as changes:
        assert changes.any()


def test_nothing_is_new_until_somebody_writes(path: Path) -> None:
    with Database(path) as database, Changes(path) as changes:
        changes.any()
        assert [changes.any(), changes.any()] == [False, False]
        SqliteSwitch(database, SystemClock()).stop("acme", by="a@acme.test")
        assert [changes.any(), changes.any()] == [True, False]


def test_reading_is_nothing_new(path: Path) -> None:
    with Database(path) as database, Changes(path) as changes:
        changes.any()
        SqliteSwitch(database, SystemClock()).status("acme")
        assert not changes.any()
