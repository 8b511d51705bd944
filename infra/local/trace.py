"""What the specialists are doing right now, for watching: best effort, bounded, never in anybody's way."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from infra.local.database import Database
from infra.local.faults import StoreUnavailable
from infra.local.instants import from_micros, to_micros
from shared.ports.clock import Clock
from shared.ports.trace import LINES_PER_CASE, LONGEST, TraceLine, abridged

_TRIM_EVERY: Final = 100
_TOO_BUSY: Final = 1000

_INSERT: Final = """
INSERT INTO trace (org, case_id, seq, at, lane, what, details)
SELECT :org, :case_id, coalesce(max(seq), 0) + 1, :at, :lane, :what, :details
FROM trace WHERE org = :org AND case_id = :case_id RETURNING seq"""


class SqliteTrace:
    """The trace on SQLite; implements shared.ports.trace.Trace."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def say(self, org: str, case_id: str, lane: str, what: str, **details: str | int) -> None:
        """One line of what is happening. Dropped when the writer is far behind or the database is closed."""
        if self._database.backlog > _TOO_BUSY:
            return
        line: dict[str, str | int] = {
            "org": org,
            "case_id": case_id,
            "at": to_micros(self._clock.now()),
            "lane": abridged(lane),
            "what": abridged(what),
            "details": json.dumps({name: _short(value) for name, value in details.items()}),
        }
        with suppress(StoreUnavailable):
            self._database.write_soon(lambda connection: _append(connection, line))

    def list(self, org: str, case_id: str, after: int = 0, limit: int = LINES_PER_CASE) -> Sequence[TraceLine]:
        """The lines of a case behind this seq, in order."""
        statement = """SELECT seq, at, lane, what, details FROM trace
        WHERE org = ? AND case_id = ? AND seq > ? ORDER BY seq LIMIT ?"""
        found = self._database.read(
            lambda connection: connection.execute(statement, (org, case_id, after, limit)).fetchall()
        )
        return tuple(
            TraceLine(seq, from_micros(at), lane, what, json.loads(details)) for seq, at, lane, what, details in found
        )


def _append(connection: sqlite3.Connection, line: Mapping[str, str | int]) -> None:
    (seq,) = connection.execute(_INSERT, line).fetchone()
    if seq % _TRIM_EVERY == 0:
        connection.execute(
            "DELETE FROM trace WHERE org = ? AND case_id = ? AND seq <= ?",
            (line["org"], line["case_id"], seq - LINES_PER_CASE),
        )


def _short(value: str | int) -> str | int:
    return value if isinstance(value, int) else value[:LONGEST]
