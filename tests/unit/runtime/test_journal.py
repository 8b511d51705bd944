"""The durable copy: written behind, at most once per message, and kept when the file refuses."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable

import pytest

from infra.local import queue_rows
from infra.local.journal import Journal
from infra.local.queue_rows import LaneCounts
from infra.local.queued import Kind, Queued
from tests.unit.runtime.house import PATIENCE_S, RETRY, START, House


class Later:
    """A database that writes when told to, or refuses."""

    def __init__(self, home: House) -> None:
        self.real = home.database
        self.ordered: list[Callable[[sqlite3.Connection], object]] = []

    def write_soon(self, fn: Callable[[sqlite3.Connection], object]) -> None:
        self.ordered.append(fn)

    def carry_out(self) -> None:
        ordered, self.ordered = self.ordered, []
        for fn in ordered:
            self.real.write(fn)

    def refuse(self) -> None:
        def into_nothing(connection: sqlite3.Connection) -> None:
            connection.execute("ALTER TABLE queue_deliveries RENAME TO elsewhere")
            for fn in self.ordered:
                fn(connection)

        with pytest.raises(sqlite3.OperationalError):
            self.real.write(into_nothing)
        self.ordered.clear()


@pytest.fixture
def later(home: House) -> Later:
    return Later(home)


@pytest.fixture
def journal(later: Later) -> Journal:
    return Journal(later)  # type: ignore[arg-type]


def _row(row_id: int = 1) -> Queued:
    return Queued(row_id, Kind.MESSAGE, "triage", "{}", 60.0, RETRY, START, START)


def _counts(later: Later) -> dict[str, LaneCounts]:
    return later.real.read(lambda connection: queue_rows.count(connection, START))


def test_many_changes_are_one_order_to_the_writer(journal: Journal, later: Later) -> None:
    for row_id in range(100):
        journal.keep(_row(row_id), None, fresh=True)
        journal.keep(_row(row_id).started(START), None)
    assert len(later.ordered) == 1
    later.carry_out()
    assert _counts(later) == {"triage": LaneCounts(in_flight=100)}


def test_a_message_acknowledged_before_it_was_written_is_never_written(journal: Journal, later: Later) -> None:
    journal.keep(_row(), None, fresh=True)
    journal.keep(_row().started(START), None)
    journal.forget(_row())
    statements: list[str] = []

    def traced(connection: sqlite3.Connection) -> None:
        connection.set_trace_callback(statements.append)
        for fn in later.ordered:
            fn(connection)
        connection.set_trace_callback(None)

    later.real.write(traced)
    assert statements == []


def test_a_message_acknowledged_after_it_was_written_is_removed(journal: Journal, later: Later) -> None:
    journal.keep(_row(), None, fresh=True)
    later.carry_out()
    journal.forget(_row())
    later.carry_out()
    assert _counts(later) == {}


def test_what_the_file_refused_is_written_with_the_next_change(journal: Journal, later: Later) -> None:
    journal.keep(_row(1), None, fresh=True)
    journal.bury(_row(9), "given up", START)
    later.refuse()
    journal.keep(_row(2), None, fresh=True)
    later.carry_out()
    assert _counts(later) == {"triage": LaneCounts(ready=2, dead=1)}


def test_what_was_acknowledged_while_the_file_refused_is_not_brought_back(
    journal: Journal, later: Later, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.keep(_row(1), None, fresh=True)

    def refuse(connection: sqlite3.Connection, rows: object) -> None:
        journal.forget(_row(1))
        raise sqlite3.OperationalError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(queue_rows, "keep", refuse)
        with pytest.raises(sqlite3.OperationalError):
            later.carry_out()
    later.carry_out()
    assert _counts(later) == {}


def test_a_flush_waits_for_what_the_writer_has_taken_and_not_yet_committed(home: House) -> None:
    journal = Journal(home.database)
    busy, taken, commit = threading.Event(), threading.Event(), threading.Event()
    seen: list[dict[str, LaneCounts]] = []

    def hold_the_transaction_open(connection: sqlite3.Connection) -> None:
        taken.set()
        commit.wait(PATIENCE_S)

    def flush_and_look() -> None:
        journal.flush()
        seen.append(home.database.read(lambda connection: queue_rows.count(connection, START)))

    home.database.write_soon(lambda connection: busy.wait(PATIENCE_S))
    journal.keep(_row(), None, fresh=True)
    home.database.write_soon(hold_the_transaction_open)
    busy.set()
    assert taken.wait(PATIENCE_S)
    flushing = threading.Thread(target=flush_and_look)
    flushing.start()
    flushing.join(0.1)
    commit.set()
    flushing.join()
    assert seen == [{"triage": LaneCounts(ready=1)}]
