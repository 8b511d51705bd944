"""What will happen by itself, and when: one row per thing that is due at an instant of the double's clock."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .session import Session
from .wire import JsonObject

Kind: TypeAlias = Literal["script", "dispute", "refund", "subscription"]


@dataclass(frozen=True)
class Entry:
    """Due at `at` (epoch seconds): the next step of the object named by `ref`, or a scripted event."""

    at: int
    kind: Kind
    ref: str
    body: JsonObject


def put(session: Session, entry: Entry) -> None:
    """Schedules an entry in place of an earlier one for the same thing."""
    drop(session, entry.kind, entry.ref)
    session.db.execute(
        "INSERT INTO agenda (at, kind, ref, body) VALUES (?, ?, ?, ?)",
        (entry.at, entry.kind, entry.ref, json.dumps(entry.body)),
    )


def drop(session: Session, kind: Kind, ref: str) -> None:
    """Forgets what was scheduled for this thing, if anything was."""
    session.db.execute("DELETE FROM agenda WHERE kind = ? AND ref = ?", (kind, ref))


def holds(session: Session, kind: Kind, ref: str) -> bool:
    """Whether something is scheduled for this thing."""
    sql = "SELECT 1 FROM agenda WHERE kind = ? AND ref = ?"
    return session.db.execute(sql, (kind, ref)).fetchone() is not None


def next_at(session: Session) -> int | None:
    """The earliest instant at which something is scheduled."""
    value = session.db.execute("SELECT min(at) FROM agenda").fetchone()[0]
    return None if value is None else int(value)


def take(session: Session, until: int) -> Entry | None:
    """Removes and returns the earliest entry due at or before `until`; entries of one instant come in their order."""
    sql = "SELECT seq, at, kind, ref, body FROM agenda WHERE at <= ? ORDER BY at, seq LIMIT 1"
    row = session.db.execute(sql, (until,)).fetchone()
    if row is None:
        return None
    session.db.execute("DELETE FROM agenda WHERE seq = ?", (row["seq"],))
    return Entry(row["at"], row["kind"], row["ref"], json.loads(row["body"]))
