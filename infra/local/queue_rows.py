"""The queue's tables, and every statement on them. Functions take a connection inside a transaction of the database.

A row belongs to the process that has promised to deliver it (`owner`). It carries no lease: what a living process has
in flight is its own affair, and what a dead one had becomes everybody's at once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from infra.local.instants import from_micros, from_micros_or_none, to_micros, to_micros_or_none
from infra.local.processes import is_alive
from infra.local.queued import Kind, Queued
from shared.ports.queue import Retry

TOMBSTONE: Final = timedelta(hours=24)
"""How long the name of a task that is gone stays taken."""

DDL: Final = """
CREATE TABLE IF NOT EXISTS queue_deliveries (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, lane TEXT NOT NULL, body TEXT NOT NULL, deadline_s REAL NOT NULL,
    max_attempts INTEGER NOT NULL, min_backoff_s REAL NOT NULL, max_backoff_s REAL NOT NULL,
    max_duration_s REAL NOT NULL, enqueued_at INTEGER NOT NULL, due_at INTEGER NOT NULL,
    name TEXT NOT NULL, function TEXT NOT NULL, attributes TEXT NOT NULL,
    attempts INTEGER NOT NULL, executions INTEGER NOT NULL, last_status INTEGER,
    first_attempt_at INTEGER, in_flight INTEGER NOT NULL, gone_at INTEGER, owner TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS queue_by_owner ON queue_deliveries (owner) WHERE gone_at IS NULL;
CREATE INDEX IF NOT EXISTS queue_by_name ON queue_deliveries (name, lane) WHERE name <> '';
CREATE INDEX IF NOT EXISTS queue_tombstones ON queue_deliveries (gone_at) WHERE gone_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS dead_letters (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, lane TEXT NOT NULL, name TEXT NOT NULL, function TEXT NOT NULL,
    body TEXT NOT NULL, attributes TEXT NOT NULL, attempts INTEGER NOT NULL, last_status INTEGER,
    enqueued_at INTEGER NOT NULL, died_at INTEGER NOT NULL, reason TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS queue_paused (lane TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
"""

_COLUMNS: Final = (
    "id, kind, lane, body, deadline_s, max_attempts, min_backoff_s, max_backoff_s, max_duration_s, enqueued_at, due_at,"
    " name, function, attributes, attempts, executions, last_status, first_attempt_at, in_flight, gone_at"
)
_KEEP: Final = f"INSERT OR REPLACE INTO queue_deliveries ({_COLUMNS}, owner) VALUES (?{', ?' * 20})"
_BURY: Final = f"INSERT OR REPLACE INTO dead_letters VALUES (?{', ?' * 11})"
_ADOPT: Final = f"""
UPDATE queue_deliveries
SET owner = ?1, in_flight = 0, due_at = CASE WHEN in_flight THEN min(due_at, ?2) ELSE due_at END
WHERE gone_at IS NULL AND owner IS ?3 RETURNING {_COLUMNS}
"""
_COUNT: Final = """
SELECT lane, sum(in_flight), sum(NOT in_flight AND due_at <= ?1), sum(NOT in_flight AND due_at > ?1)
FROM queue_deliveries WHERE gone_at IS NULL GROUP BY lane
"""

_Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message or task that was given up: what it said, and why nobody tries again."""

    kind: Kind
    lane: str
    name: str
    function: str
    body: str
    attributes: dict[str, str]
    attempts: int
    last_status: int | None
    enqueued_at: datetime
    died_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class LaneCounts:
    """What one topic or queue holds: ready to be delivered, delayed or backing off, under way, and given up."""

    ready: int = 0
    delayed: int = 0
    in_flight: int = 0
    dead: int = 0
    paused: bool = False


def keep(connection: sqlite3.Connection, rows: Iterable[tuple[Queued, str | None]]) -> None:
    """Write each row as it is, with its owner."""
    connection.executemany(_KEEP, [(*_cells(row), owner) for row, owner in rows])


def forget(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Remove these rows."""
    connection.executemany("DELETE FROM queue_deliveries WHERE id = ?", [(row_id,) for row_id in ids])


def bury(connection: sqlite3.Connection, letters: Iterable[tuple[Queued, str, datetime]]) -> None:
    """List (row, reason, instant) among the dead letters."""
    connection.executemany(_BURY, [_letter_cells(*letter) for letter in letters])


def orphaned(connection: sqlite3.Connection) -> list[str | None]:
    """The owners of waiting rows that are not going to deliver them: nobody, and the dead."""
    owners = connection.execute("SELECT DISTINCT owner FROM queue_deliveries WHERE gone_at IS NULL").fetchall()
    return [owner for (owner,) in owners if owner is None or not is_alive(owner)]


def adopt(connection: sqlite3.Connection, owner: str, now: datetime) -> list[Queued]:
    """Make every orphaned row this owner's and return them. What was in flight in a dead process is due now."""
    rows: list[Queued] = []
    for gone in orphaned(connection):
        rows.extend(_queued(cells) for cells in connection.execute(_ADOPT, (owner, to_micros(now), gone)).fetchall())
    return rows


def release(connection: sqlite3.Connection, owner: str) -> None:
    """Leave this owner's rows to whoever adopts them."""
    connection.execute(
        "UPDATE queue_deliveries SET owner = NULL, in_flight = 0 WHERE owner = ? AND gone_at IS NULL", (owner,)
    )


def purge(connection: sqlite3.Connection, now: datetime) -> None:
    """Remove the tombstones that have expired."""
    connection.execute("DELETE FROM queue_deliveries WHERE gone_at <= ?", (to_micros(now - TOMBSTONE),))


def name_is_taken(connection: sqlite3.Connection, lane: str, name: str, now: datetime) -> bool:
    """Whether a task of this name waits, or was there within the last 24 hours."""
    found = connection.execute(
        "SELECT 1 FROM queue_deliveries WHERE name = ? AND name <> '' AND lane = ?"
        " AND (gone_at IS NULL OR gone_at > ?)",
        (name, lane, to_micros(now - TOMBSTONE)),
    )
    return found.fetchone() is not None


def set_paused(connection: sqlite3.Connection, lane: str, paused: bool) -> None:
    """Pause or resume a topic or queue, for every process."""
    statement = "INSERT OR IGNORE INTO queue_paused VALUES (?)" if paused else "DELETE FROM queue_paused WHERE lane = ?"
    connection.execute(statement, (lane,))


def paused(connection: sqlite3.Connection) -> set[str]:
    """The topics and queues that are paused."""
    return {lane for (lane,) in connection.execute("SELECT lane FROM queue_paused")}


def count(connection: sqlite3.Connection, now: datetime) -> dict[str, LaneCounts]:
    """Counts of every topic and queue that holds something, by name."""
    waiting = {lane: numbers for lane, *numbers in connection.execute(_COUNT, (to_micros(now),))}
    dead = dict(connection.execute("SELECT lane, count(*) FROM dead_letters GROUP BY lane").fetchall())
    stopped = paused(connection)
    counts: dict[str, LaneCounts] = {}
    for lane in sorted({*waiting, *dead, *stopped}):
        in_flight, ready, delayed = waiting.get(lane, (0, 0, 0))
        counts[lane] = LaneCounts(ready, delayed, in_flight, dead.get(lane, 0), lane in stopped)
    return counts


def dead_letters(connection: sqlite3.Connection, limit: int) -> list[DeadLetter]:
    """The latest dead letters first."""
    rows = connection.execute("SELECT * FROM dead_letters ORDER BY died_at DESC, id DESC LIMIT ?", (limit,))
    return [_dead_letter(cells[1:]) for cells in rows.fetchall()]


def _cells(row: Queued) -> tuple[_Cell, ...]:
    retry = row.retry
    limits = (retry.max_attempts, retry.min_backoff_s, retry.max_backoff_s, retry.max_duration_s)
    first = to_micros_or_none(row.first_attempt_at)
    return (
        *(row.id, row.kind, row.lane, row.body, row.deadline_s),
        *limits,
        *(to_micros(row.enqueued_at), to_micros(row.due_at), row.name, row.function),
        *(json.dumps(dict(row.attributes)), row.attempts, row.executions, row.last_status),
        *(first, int(row.in_flight), to_micros_or_none(row.gone_at)),
    )


def _letter_cells(row: Queued, reason: str, died_at: datetime) -> tuple[_Cell, ...]:
    attributes = json.dumps(dict(row.attributes))
    return (
        *(row.id, row.kind, row.lane, row.name, row.function, row.body, attributes),
        *(row.attempts, row.last_status, to_micros(row.enqueued_at), to_micros(died_at), reason),
    )


def _queued(cells: tuple[Any, ...]) -> Queued:
    row_id, kind, lane, body, deadline_s, *rest = cells
    limits, (enqueued_at, due_at, name, function, attributes, attempts, executions, *rest) = rest[:4], rest[4:]
    last_status, first_attempt_at, _, _ = rest
    return Queued(
        id=row_id,
        kind=Kind(kind),
        lane=lane,
        body=body,
        deadline_s=deadline_s,
        retry=Retry(*limits),
        enqueued_at=from_micros(enqueued_at),
        due_at=from_micros(due_at),
        name=name,
        function=function,
        attributes=json.loads(attributes),
        attempts=attempts,
        executions=executions,
        last_status=last_status,
        first_attempt_at=from_micros_or_none(first_attempt_at),
    )


def _dead_letter(cells: tuple[Any, ...]) -> DeadLetter:
    kind, lane, name, function, body, attributes, attempts, last_status, enqueued_at, died_at, reason = cells
    return DeadLetter(
        kind=Kind(kind),
        lane=lane,
        name=name,
        function=function,
        body=body,
        attributes=json.loads(attributes),
        attempts=attempts,
        last_status=last_status,
        enqueued_at=from_micros(enqueued_at),
        died_at=from_micros(died_at),
        reason=reason,
    )
