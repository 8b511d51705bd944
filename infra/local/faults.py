"""What can go wrong with the file, told apart from what can go wrong with a request.

ManthanError
├── StoreBroken            the file cannot be used until a person acts: corrupt, read-only, newer than this release
└── Retryable
    └── StoreUnavailable   the same call may succeed later: locked too long, disk full, I/O error, closing
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shared.errors import InvalidInput, ManthanError, Retryable


class StoreUnavailable(Retryable):
    """The database file could not be read or written just now. After a write: it may or may not have happened."""

    code = "store_unavailable"


class StoreBroken(ManthanError):
    """The database file cannot be used as it is; the message says why. Never acknowledged, never retried blindly."""

    code = "store_broken"


_TRANSIENT = {
    sqlite3.SQLITE_BUSY: "another process holds the lock",
    sqlite3.SQLITE_LOCKED: "another connection holds the lock",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reported an input/output error",
    sqlite3.SQLITE_NOMEM: "there is no memory left",
    sqlite3.SQLITE_INTERRUPT: "the operation was interrupted",
}
_BROKEN = {
    sqlite3.SQLITE_CORRUPT: "its content is damaged: restore a copy",
    sqlite3.SQLITE_NOTADB: "it is not a SQLite database",
    sqlite3.SQLITE_READONLY: "it is read-only: check the permissions of the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: check that the folder exists and may be written to",
    sqlite3.SQLITE_PERM: "access is not permitted",
}


def translated(error: BaseException, path: Path) -> BaseException:
    """The error that a caller should see: faults of the file and unstorable text by name, anything else as it is."""
    known: ManthanError
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if isinstance(error, UnicodeEncodeError):
        known = InvalidInput("text with a lone surrogate is not valid Unicode and cannot be stored")
    elif primary in _TRANSIENT:
        known = StoreUnavailable(f"the database {path} is not available: {_TRANSIENT[primary]}", after=1.0)
    elif primary in _BROKEN:
        known = StoreBroken(f"the database {path} cannot be used: {_BROKEN[primary]}")
    else:
        return error
    known.__cause__ = error
    return known


@contextmanager
def translating(path: Path) -> Iterator[None]:
    """Raise faults of the file in our own words; anything else passes."""
    try:
        yield
    except (sqlite3.Error, UnicodeEncodeError) as error:
        raise translated(error, path)  # noqa: B904  it carries its cause
