"""One writer, many waiting: group commit, its durability, and what a failing write does to its neighbours (nothing)."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from infra.local.database import Database, Synchronous
from infra.local.faults import StoreBroken, StoreUnavailable

FULL, NORMAL = 2, 1


@pytest.fixture
def table(database: Database) -> Database:
    """The database with a table of numbers."""
    database.write(lambda connection: connection.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)"))
    return database


def insert(number: int) -> Callable[[sqlite3.Connection], int]:
    """A write that adds one number and returns it."""

    def run(connection: sqlite3.Connection) -> int:
        connection.execute("INSERT INTO numbers VALUES (?)", (number,))
        return number

    return run


def numbers(database: Database) -> list[int]:
    return database.read(
        lambda connection: [n for (n,) in connection.execute("SELECT n FROM numbers ORDER BY n").fetchall()]
    )


def level(connection: sqlite3.Connection) -> int:
    found: int = connection.execute("PRAGMA synchronous").fetchone()[0]
    return found


@contextmanager
def gathering(database: Database, writes: int) -> Iterator[ThreadPoolExecutor]:
    """Hold the writer until so many writes wait, so that they share its next transaction."""
    held, go = threading.Event(), threading.Event()

    def hold(connection: sqlite3.Connection) -> None:
        held.set()
        assert go.wait(30)

    with ThreadPoolExecutor(writes + 1) as threads:
        holding = threads.submit(database.write, hold)
        assert held.wait(30)
        yield threads
        deadline = time.monotonic() + 30
        while database.backlog < writes:
            assert time.monotonic() < deadline, "the writes never arrived"
        go.set()
        holding.result()


def test_a_write_returns_what_its_function_returned_and_is_then_visible(table: Database) -> None:
    assert table.write(insert(7)) == 7
    assert numbers(table) == [7]


def test_a_failed_write_raises_here_and_leaves_nothing_behind(table: Database) -> None:
    def half(connection: sqlite3.Connection) -> None:
        insert(1)(connection)
        raise LookupError("changed my mind")

    with pytest.raises(LookupError, match="changed my mind"):
        table.write(half)
    with pytest.raises(sqlite3.IntegrityError):
        table.write(lambda connection: (insert(2)(connection), insert(2)(connection)))
    assert numbers(table) == []
    table.write(insert(3))
    assert numbers(table) == [3]


def test_writes_that_wait_together_share_one_transaction(table: Database) -> None:
    statements: list[str] = []
    table.write(lambda connection: connection.set_trace_callback(statements.append))
    with gathering(table, 8) as threads:
        statements.clear()
        done = [threads.submit(table.write, insert(n)) for n in range(8)]
    assert [future.result() for future in done] == list(range(8))
    # One for the write that held the others up, one for the eight.
    assert statements.count("COMMIT") == 2
    assert numbers(table) == list(range(8))


def test_one_failing_write_does_not_hurt_those_that_share_its_transaction(table: Database) -> None:
    def fail(connection: sqlite3.Connection) -> int:
        insert(100)(connection)
        raise LookupError("mine alone")

    with gathering(table, 5) as threads:
        done: list[Future[int]] = [threads.submit(table.write, fail if n in (1, 3) else insert(n)) for n in range(5)]
    failed = [n for n, future in enumerate(done) if future.exception() is not None]
    assert failed == [1, 3]
    assert isinstance(done[1].exception(), LookupError)
    assert numbers(table) == [0, 2, 4]


def test_even_a_signal_that_is_no_exception_ends_one_write_only(table: Database) -> None:
    class Crash(BaseException):
        """What a simulator throws."""

    def crash(connection: sqlite3.Connection) -> None:
        raise Crash

    with pytest.raises(Crash):
        table.write(crash)
    assert table.write(insert(1)) == 1


def test_a_write_is_flushed_and_bookkeeping_is_not(table: Database) -> None:
    soon: list[int] = []
    assert table.write(level) == FULL
    assert table.write(level, durable=False) == NORMAL
    table.write_soon(lambda connection: soon.append(level(connection)))
    assert table.write(level, durable=False) == NORMAL
    assert soon == [NORMAL]
    assert table.write(level) == FULL


def test_bookkeeping_that_shares_a_transaction_with_a_write_is_flushed_with_it(table: Database) -> None:
    with gathering(table, 2) as threads:
        cheap = threads.submit(table.write, level, durable=False)
        threads.submit(table.write, level)
    assert cheap.result() == FULL


@pytest.mark.parametrize(("synchronous", "expected"), [("OFF", 0), ("NORMAL", NORMAL)])
def test_flushing_less_can_be_chosen(tmp_path: Path, synchronous: Synchronous, expected: int) -> None:
    with Database(tmp_path / "fast.db", synchronous=synchronous) as database:
        assert database.write(level) == expected
        assert database.write(level, durable=False) == expected


def test_bookkeeping_keeps_its_place_among_the_writes(table: Database) -> None:
    seen: list[list[int]] = []
    table.write_soon(insert(1))
    table.write(lambda c: seen.append([n for (n,) in c.execute("SELECT n FROM numbers").fetchall()]))
    assert seen == [[1]]


def test_an_idle_writer_commits_bookkeeping_without_being_asked(table: Database) -> None:
    table.write_soon(insert(1))
    deadline = time.monotonic() + 30
    while not numbers(table):
        assert time.monotonic() < deadline, "the bookkeeping was never committed"


def test_bookkeeping_that_fails_is_logged_and_forgotten(table: Database, caplog: pytest.LogCaptureFixture) -> None:
    table.write(insert(1))
    with caplog.at_level(logging.WARNING):
        table.write_soon(insert(1))
        table.write(insert(2))
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert numbers(table) == [1, 2]


def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_ever(table: Database) -> None:
    with pytest.raises(RuntimeError):
        table.write(lambda connection: table.write(insert(1)))
    assert table.write(insert(2)) == 2


def test_a_reader_cannot_write(table: Database) -> None:
    with pytest.raises(StoreBroken, match="read-only"):
        table.read(insert(1))
    assert numbers(table) == []


def test_a_reader_does_not_wait_for_the_writer_and_sees_no_half_written_state(table: Database) -> None:
    table.write(insert(1))
    inside, go = threading.Event(), threading.Event()

    def slow(connection: sqlite3.Connection) -> None:
        insert(2)(connection)
        inside.set()
        assert go.wait(30)

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(table.write, slow)
        assert inside.wait(30)
        assert numbers(table) == [1]
        go.set()
        writing.result()
    assert numbers(table) == [1, 2]


def test_a_read_that_left_a_transaction_open_does_not_freeze_the_next_one(table: Database) -> None:
    def careless(connection: sqlite3.Connection) -> None:
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM numbers").fetchall()

    table.read(careless)
    table.write(insert(1))
    assert numbers(table) == [1]


def test_many_threads_can_read_at_once(table: Database) -> None:
    table.write(insert(1))
    together = threading.Barrier(24, timeout=30)

    def read(connection: sqlite3.Connection) -> int:
        together.wait()
        found: int = connection.execute("SELECT n FROM numbers").fetchone()[0]
        return found

    with ThreadPoolExecutor(24) as threads:
        assert [f.result() for f in [threads.submit(table.read, read) for _ in range(24)]] == [1] * 24


def test_closing_commits_what_waits_and_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    database = Database(tmp_path / "closing.db")
    database.write(lambda connection: connection.execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY)"))
    for number in range(500):
        database.write_soon(insert(number))
    database.close()
    database.close()
    assert threading.active_count() == before
    with Database(tmp_path / "closing.db") as again:
        assert len(numbers(again)) == 500


def test_a_closed_database_says_so(tmp_path: Path) -> None:
    database = Database(tmp_path / "closed.db")
    database.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        database.write(level)
    with pytest.raises(StoreUnavailable, match="closed"):
        database.write_soon(level)
    with pytest.raises(StoreUnavailable, match="closed"):
        database.read(level)


def test_a_reader_that_outlives_the_database_closes_its_connection(tmp_path: Path) -> None:
    database = Database(tmp_path / "outlived.db")
    kept: list[sqlite3.Connection] = []

    def read(connection: sqlite3.Connection) -> None:
        kept.append(connection)
        database.close()

    database.read(read)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        kept[0].execute("SELECT 1")
