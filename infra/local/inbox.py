"""Events as they arrived: stored once and durably, before whoever sent them gets an answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from infra.local.database import Database
from infra.local.instants import from_micros, from_micros_or_none, to_micros, to_micros_or_none
from shared.errors import NotFound
from shared.ports.store import InboxChange, InboxEntry, InboxStatus

_COLUMNS: Final = "org, id, type, received_at, body, status, case_id, reason, expires_at, look_at"
_Row = tuple[str, str, str, int, str, str, str | None, str, int | None, int | None]


def change_entry(connection: sqlite3.Connection, org: str, change: InboxChange) -> bool:
    """Say what became of an entry; False when there is no such entry."""
    changed = connection.execute(
        "UPDATE inbox SET status = ?, case_id = ?, reason = ?, look_at = ? WHERE org = ? AND id = ?",
        (change.status.value, change.case_id, change.reason, to_micros_or_none(change.look_at), org, change.id),
    )
    return changed.rowcount == 1


class SqliteInbox:
    """The inbox on SQLite; implements shared.ports.store.Inbox."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, entry: InboxEntry) -> bool:
        """Store an event once, durably, before answering. False: it was already there and is unchanged."""
        row = (
            entry.org,
            entry.id,
            entry.type,
            to_micros(entry.received_at),
            entry.body,
            entry.status.value,
            entry.case_id,
            entry.reason,
            to_micros_or_none(entry.expires_at),
            to_micros_or_none(entry.look_at),
        )
        statement = f"INSERT INTO inbox ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        return self._database.write(lambda connection: connection.execute(statement, row).rowcount == 1)

    def get(self, org: str, entry_id: str) -> InboxEntry | None:
        """An entry by the sender's event id."""
        found = self._select("WHERE org = ? AND id = ?", (org, entry_id))
        return found[0] if found else None

    def settle(self, org: str, change: InboxChange) -> None:
        """Change an entry that causes no commit: ignored, quarantined, or received and waiting for a case.

        An entry that a commit has attached stays attached: a late duplicate must not undo what a case rests on. Nor
        does looking at an entry again reopen one that was settled meanwhile. Raises NotFound when there is no such
        entry.
        """

        def settle(connection: sqlite3.Connection) -> None:
            found = connection.execute("SELECT status FROM inbox WHERE org = ? AND id = ?", (org, change.id)).fetchone()
            if found is None:
                raise NotFound(f"the inbox has no event {change.id}")
            reopens = change.status is InboxStatus.RECEIVED and found[0] != InboxStatus.RECEIVED
            if found[0] != InboxStatus.ATTACHED and not reopens:
                change_entry(connection, org, change)

        self._database.write(settle)

    def waiting_for(self, org: str, case_id: str) -> Sequence[InboxEntry]:
        """Entries still received that wait for this case to be opened, in the order they arrived."""
        return self._select(
            "WHERE org = ? AND case_id = ? AND status = 'received' ORDER BY received_at, arrival", (org, case_id)
        )

    def unsettled(self, now: datetime | None, limit: int) -> Sequence[InboxEntry]:
        """Entries of every org still received whose `look_at` has come, earliest first; `now` None: all received."""
        return self._select(
            "WHERE status = 'received' AND (? IS NULL OR look_at <= ?) ORDER BY look_at, arrival LIMIT ?",
            (to_micros_or_none(now), to_micros_or_none(now), limit),
        )

    def next_look(self) -> datetime | None:
        """The earliest `look_at` of any entry still received; None when none waits."""
        statement = "SELECT min(look_at) FROM inbox WHERE status = 'received'"
        earliest: int | None = self._database.read(lambda connection: connection.execute(statement).fetchone()[0])
        return from_micros_or_none(earliest)

    def list_entries(self, org: str, status: InboxStatus | None = None, limit: int = 200) -> Sequence[InboxEntry]:
        """Entries of an org, oldest first."""
        return self._select(
            "WHERE org = ? AND status = coalesce(?, status) ORDER BY received_at, arrival LIMIT ?",
            (org, None if status is None else status.value, limit),
        )

    def purge_expired(self, now: datetime) -> int:
        """Delete settled entries past their expiry; how many there were. An unsettled event is never thrown away."""
        return self._database.write(
            lambda connection: (
                connection.execute(
                    "DELETE FROM inbox WHERE expires_at <= ? AND status <> 'received'", (to_micros(now),)
                ).rowcount
            )
        )

    def _select(self, where: str, values: tuple[str | int | None, ...]) -> tuple[InboxEntry, ...]:
        found: list[_Row] = self._database.read(
            lambda connection: connection.execute(f"SELECT {_COLUMNS} FROM inbox {where}", values).fetchall()
        )
        return tuple(_entry(row) for row in found)


def _entry(row: _Row) -> InboxEntry:
    org, entry_id, kind, received_at, body, status, case_id, reason, expires_at, look_at = row
    return InboxEntry(
        org=org,
        id=entry_id,
        type=kind,
        received_at=from_micros(received_at),
        body=body,
        status=InboxStatus(status),
        case_id=case_id,
        reason=reason,
        expires_at=from_micros_or_none(expires_at),
        look_at=from_micros_or_none(look_at),
    )
