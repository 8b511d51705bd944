"""The queue's durable copy, written behind: changes gather in memory, and the writer commits them within moments.

A message is only a hint, so a row is worth no disk flush of its own and no waiting. The death of the process loses at
most the changes of those moments: a hint that was never written (the sweep at start sends it again) or an
acknowledgement (it is delivered again). What is acknowledged before it was written is never written at all.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import TYPE_CHECKING, Final

from infra.local import queue_rows
from infra.local.queued import Queued

if TYPE_CHECKING:  # the database creates the queue's tables, so it imports the queue
    from infra.local.database import Database

_LOST_AFTER_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class _Change:
    """What a row is to become; None: nothing. `fresh`: the file does not hold it yet."""

    row: Queued | None
    owner: str | None
    fresh: bool


@dataclass(frozen=True, slots=True)
class _Burial:
    row: Queued
    reason: str
    died_at: datetime


class Journal:
    """Gathers changes and writes them in one statement each. Thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._changes: dict[int, _Change] = {}
        self._burials: list[_Burial] = []
        self._ordered_at = -inf

    def keep(self, row: Queued, owner: str | None, *, fresh: bool = False) -> None:
        """Write the row as it is now. Raises Retryable when the database is closed; then nothing is kept."""
        with self._lock:
            self._order()
            before = self._changes.get(row.id)
            self._changes[row.id] = _Change(row, owner, fresh or (before is not None and before.fresh))

    def forget(self, row: Queued) -> None:
        """Remove the row. Raises Retryable when the database is closed."""
        with self._lock:
            self._order()
            before = self._changes.pop(row.id, None)
            if before is None or not before.fresh:
                self._changes[row.id] = _Change(None, None, fresh=False)

    def bury(self, row: Queued, reason: str, died_at: datetime) -> None:
        """List the row among the dead letters. Raises Retryable when the database is closed."""
        with self._lock:
            self._order()
            self._burials.append(_Burial(row, reason, died_at))

    def flush(self) -> None:
        """Return when every change so far is committed, also those that the writer has taken and not yet committed."""
        self._database.write(self._write, durable=False)

    def _order(self) -> None:
        """Have the changes written, unless that is ordered. Orders get lost while another process locks the file."""
        now = time.monotonic()
        if now - self._ordered_at > _LOST_AFTER_S:
            self._database.write_soon(self._write)
            self._ordered_at = now

    def _write(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            changes, self._changes = self._changes, {}
            burials, self._burials = self._burials, []
            self._ordered_at = -inf
        kept = [(change.row, change.owner) for change in changes.values() if change.row is not None]
        gone = [row_id for row_id, change in changes.items() if change.row is None]
        try:
            queue_rows.keep(connection, kept)
            queue_rows.forget(connection, gone)
            queue_rows.bury(connection, [(burial.row, burial.reason, burial.died_at) for burial in burials])
        except sqlite3.Error:
            self._take_back(changes, burials)
            raise

    def _take_back(self, changes: dict[int, _Change], burials: list[_Burial]) -> None:
        """The file refused. Keep what it did not take, for when something changes next."""
        with self._lock:
            self._burials[:0] = burials
            for row_id, change in changes.items():
                newer = self._changes.get(row_id, change)
                self._changes[row_id] = _Change(newer.row, newer.owner, change.fresh or newer.fresh)
