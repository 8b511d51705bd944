"""The tables of the embedded store, in one place, with the version that says who may read them.

Instants are integer microseconds since 1970 (infra.local.instants); `version` columns are raised by every write.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from infra.local.faults import StoreBroken
from infra.local.queue_rows import DDL as QUEUE

VERSION: Final = 2
"""Stored in the file as PRAGMA user_version. Raise it with every change of a table, and add the step that migrates."""

CASES: Final = """
CREATE TABLE IF NOT EXISTS cases (
    org TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, state TEXT NOT NULL,
    seq INTEGER NOT NULL, head_hash TEXT NOT NULL,
    wake_at INTEGER, generation INTEGER NOT NULL, backoff INTEGER NOT NULL,
    updated_at INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (org, id)
) STRICT;
CREATE INDEX IF NOT EXISTS cases_by_wake ON cases (wake_at, org, id) WHERE wake_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS cases_by_change ON cases (org, updated_at, id);

CREATE TABLE IF NOT EXISTS commits (
    org TEXT NOT NULL, case_id TEXT NOT NULL, first_seq INTEGER NOT NULL,
    commit_id TEXT NOT NULL, entries TEXT NOT NULL, hashes TEXT NOT NULL,
    PRIMARY KEY (org, case_id, first_seq)
) STRICT;

CREATE TABLE IF NOT EXISTS charges (
    org TEXT NOT NULL, account TEXT NOT NULL, charge TEXT NOT NULL,
    version INTEGER NOT NULL, reservations TEXT NOT NULL,
    PRIMARY KEY (org, account, charge)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS episodes (
    org TEXT NOT NULL, case_id TEXT NOT NULL, customer TEXT NOT NULL, decided_at INTEGER NOT NULL,
    kind TEXT NOT NULL, decision TEXT NOT NULL, amount_minor INTEGER, currency TEXT,
    outcome TEXT NOT NULL, rationale TEXT NOT NULL,
    PRIMARY KEY (org, case_id)
) STRICT;
CREATE INDEX IF NOT EXISTS episodes_by_customer ON episodes (org, customer, decided_at, case_id);
"""

REPORTS: Final = """
CREATE TABLE IF NOT EXISTS reports (
    org TEXT NOT NULL, case_id TEXT NOT NULL, round INTEGER NOT NULL, specialist TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (org, case_id, round, specialist)
) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
    org TEXT NOT NULL, case_id TEXT NOT NULL, sha256 TEXT NOT NULL, expires_at INTEGER, body TEXT NOT NULL,
    PRIMARY KEY (org, case_id, sha256)
) STRICT;
CREATE TABLE IF NOT EXISTS texts (
    org TEXT NOT NULL, case_id TEXT NOT NULL, sha256 TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (org, case_id, sha256)
) STRICT;
CREATE INDEX IF NOT EXISTS chunks_by_expiry ON chunks (expires_at) WHERE expires_at IS NOT NULL;
"""

INBOX: Final = """
CREATE TABLE IF NOT EXISTS inbox (
    arrival INTEGER PRIMARY KEY, org TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    received_at INTEGER NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL,
    case_id TEXT, reason TEXT NOT NULL, expires_at INTEGER, look_at INTEGER,
    UNIQUE (org, id)
) STRICT;
CREATE INDEX IF NOT EXISTS inbox_by_arrival ON inbox (org, received_at);
CREATE INDEX IF NOT EXISTS inbox_unsettled ON inbox (look_at) WHERE status = 'received';
CREATE INDEX IF NOT EXISTS inbox_waiting ON inbox (org, case_id, received_at) WHERE status = 'received';
CREATE INDEX IF NOT EXISTS inbox_by_expiry ON inbox (expires_at) WHERE expires_at IS NOT NULL;
"""

REGISTRY: Final = """
CREATE TABLE IF NOT EXISTS claims (
    org TEXT NOT NULL, key TEXT NOT NULL, owner TEXT NOT NULL, generation INTEGER NOT NULL, retry INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, process TEXT NOT NULL,
    PRIMARY KEY (org, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS orgs (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS endpoints (
    endpoint TEXT NOT NULL, secret_name TEXT NOT NULL, account TEXT NOT NULL, org TEXT NOT NULL,
    PRIMARY KEY (endpoint, secret_name, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settings (
    org TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (org, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trace (
    org TEXT NOT NULL, case_id TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
    lane TEXT NOT NULL, what TEXT NOT NULL, details TEXT NOT NULL,
    PRIMARY KEY (org, case_id, seq)
) STRICT, WITHOUT ROWID;
"""
SCHEMAS: Final = (CASES, REPORTS, INBOX, REGISTRY, QUEUE)


def prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Create the tables in a new file. Raises StoreBroken for a file that a newer release has written."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > VERSION:
        raise StoreBroken(
            f"the database {path} has schema version {found}, this release knows {VERSION}: use the newer release"
        )
    if found < VERSION:
        connection.executescript(f"BEGIN IMMEDIATE; {' '.join(SCHEMAS)} PRAGMA user_version={VERSION}; COMMIT;")
