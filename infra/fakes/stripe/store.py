"""The double's state: one SQLite file, one connection, one writer at a time.

A transaction holds everything that one request or one scheduled step changes: objects, events, deliveries, effects, the
idempotency record and the request log. The journal is written before an answer leaves, and a killed process loses only
what it never answered. (Losing power is another matter: the file is not synced at every commit.)
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from . import clock
from .session import Session
from .settings import Settings

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS objects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, created INTEGER NOT NULL,
    changed INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (kind, id));
CREATE INDEX IF NOT EXISTS objects_by_time ON objects (kind, created, seq);
CREATE INDEX IF NOT EXISTS objects_by_charge ON objects (kind, json_extract(body, '$.charge'));
CREATE INDEX IF NOT EXISTS objects_by_intent ON objects (kind, json_extract(body, '$.payment_intent'));
CREATE INDEX IF NOT EXISTS objects_by_customer ON objects (kind, json_extract(body, '$.customer'));
CREATE INDEX IF NOT EXISTS objects_by_invoice ON objects (kind, json_extract(body, '$.invoice'));
CREATE INDEX IF NOT EXISTS objects_by_source ON objects (kind, json_extract(body, '$.source'));
CREATE TABLE IF NOT EXISTS idempotency (
    key TEXT PRIMARY KEY, path TEXT NOT NULL, parameters TEXT NOT NULL, status INTEGER NOT NULL, body TEXT NOT NULL,
    request TEXT NOT NULL, created INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS agenda (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, ref TEXT NOT NULL,
    body TEXT NOT NULL, UNIQUE (kind, ref));
CREATE TABLE IF NOT EXISTS endpoints (
    id INTEGER PRIMARY KEY AUTOINCREMENT, url TEXT NOT NULL UNIQUE, secrets TEXT NOT NULL, events TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS deliveries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL, type TEXT NOT NULL, endpoint INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, last_status INTEGER, delivered INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS deliveries_pending ON deliveries (not_before, seq) WHERE delivered = 0;
CREATE TABLE IF NOT EXISTS requests (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, at INTEGER NOT NULL, method TEXT NOT NULL,
    path TEXT NOT NULL, key_kind TEXT NOT NULL, idempotency_key TEXT, status INTEGER NOT NULL,
    replayed INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS faults (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, method TEXT, path TEXT, left INTEGER NOT NULL,
    hold_s REAL NOT NULL);
CREATE TABLE IF NOT EXISTS fault_hits (request TEXT PRIMARY KEY, kind TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS effects (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, object TEXT NOT NULL, charge TEXT,
    amount INTEGER, currency TEXT, idempotency_key TEXT, request TEXT);
"""


class Store:
    """The open file. Whoever opens it owns it: a second process is refused with `database is locked`."""

    def __init__(self, path: Path, *, now: int) -> None:
        """Opens or creates the file at `path`; `now` (epoch seconds) starts the clock of a new one."""
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0.5)
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.executescript(_SCHEMA)
        with self._lock:
            clock.start(self._db, now)
            # A restarted receiver is tried at once, whatever back-off its predecessor had earned.
            self._db.execute("UPDATE deliveries SET not_before = 0 WHERE delivered = 0")

    @contextmanager
    def transaction(self, *, request: str | None = None, idempotency_key: str | None = None) -> Iterator[Session]:
        """One atomic change; `request` and `idempotency_key` are what its events and effects are attributed to."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield Session(self._db, clock.read(self._db), self._settings(), request, idempotency_key)
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def close(self) -> None:
        """Closes the file; later use raises sqlite3.ProgrammingError."""
        with self._lock:
            self._db.close()

    def _settings(self) -> Settings:
        row = self._db.execute("SELECT value FROM meta WHERE name = 'settings'").fetchone()
        return Settings.from_json(json.loads(row["value"])) if row else Settings()
