"""A file that cannot be used is named as such, and never mistaken for a request that can be retried blindly."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

import infra.local.database
from infra.local.database import Database
from infra.local.faults import StoreBroken, StoreUnavailable
from infra.local.schema import VERSION

NOBODY = 65534


def _put(connection: sqlite3.Connection, org: str, body: str = "{}") -> None:
    connection.execute("INSERT INTO orgs VALUES (?, ?)", (org, body))


@contextmanager
def _without_root() -> Iterator[None]:
    # Root may write anywhere, so permissions show only to somebody else.
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_of_a_newer_release_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    Database(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute(f"PRAGMA user_version={VERSION + 1}")
    raw.close()
    with pytest.raises(StoreBroken, match=f"version {VERSION + 1}.*knows {VERSION}"):
        Database(path)
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)
    raw.close()


def test_a_file_is_opened_again_with_its_content(tmp_path: Path) -> None:
    for number in range(3):
        with Database(tmp_path / "again.db") as database:
            database.write(partial(_put, org=f"org-{number}"))
            assert database.read(lambda c: c.execute("SELECT count(*) FROM orgs").fetchone()) == (number + 1,)


def test_a_folder_that_may_not_be_written_to_is_a_clear_error() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        with _without_root(), pytest.raises(StoreBroken, match=r"manthan\.db cannot be used: .*folder"):
            Database(Path(folder) / "manthan.db")


def test_a_file_that_may_only_be_read_is_a_clear_error() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "manthan.db"
        Database(path).close()
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        with _without_root(), pytest.raises(StoreBroken, match="cannot be used"):
            Database(path)


@pytest.mark.parametrize("path", ["missing/manthan.db", "."])
def test_a_path_where_no_file_can_be_is_a_clear_error(tmp_path: Path, path: str) -> None:
    with pytest.raises(StoreBroken, match="cannot be opened"):
        Database(tmp_path / path)


def test_a_file_that_is_no_database_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_text("these are my notes " * 500)
    with pytest.raises(StoreBroken, match="not a SQLite database"):
        Database(path)
    assert path.read_text().startswith("these are my notes")


def test_a_damaged_file_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "damaged.db"
    with Database(path) as database:
        for number in range(200):
            database.write_soon(partial(_put, org=f"org-{number}", body="x" * 900))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + b"\xff" * (len(content) - len(content) // 2))
    with Database(path) as database:
        with pytest.raises(StoreBroken, match="damaged"):
            database.read(lambda c: c.execute("SELECT id, body FROM orgs").fetchall())


def test_a_full_disk_is_worth_a_retry_and_loses_nothing(tmp_path: Path) -> None:
    with Database(tmp_path / "full.db") as database:
        database.write(lambda c: c.execute("INSERT INTO orgs VALUES ('kept', '{}')"))
        pages = database.read(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
        database.write(lambda c: c.execute(f"PRAGMA max_page_count={pages + 1}").fetchone())
        with pytest.raises(StoreUnavailable, match="the disk is full"):
            database.write(lambda c: c.execute("INSERT INTO orgs VALUES ('big', ?)", ("x" * 100_000,)))
        database.write(lambda c: c.execute("PRAGMA max_page_count=1000000").fetchone())
        database.write(lambda c: c.execute("INSERT INTO orgs VALUES ('later', '{}')"))
        found = database.read(lambda c: c.execute("SELECT id FROM orgs ORDER BY id").fetchall())
    assert found == [("kept",), ("later",)]


def test_a_lock_that_another_process_holds_too_long_is_worth_a_retry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infra.local.database, "BUSY_TIMEOUT_S", 0.01)
    path = tmp_path / "locked.db"
    with Database(path) as database:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="holds the lock"):
            database.write(lambda c: c.execute("INSERT INTO orgs VALUES ('a', '{}')"))
        assert database.read(lambda c: c.execute("SELECT count(*) FROM orgs").fetchone()) == (0,)
        other.execute("COMMIT")
        other.close()
        database.write(lambda c: c.execute("INSERT INTO orgs VALUES ('a', '{}')"))


def test_a_fault_of_ours_in_a_statement_stays_what_it_is(database: Database) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        database.write(lambda c: c.execute("INSERT INTO nowhere VALUES (1)"))
