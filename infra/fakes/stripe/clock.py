"""The double's clock: epoch seconds that move when told to, or with real time on top when running.

Stored, so that a restarted process goes on where it was; a running clock counts the time it was down.
"""

from __future__ import annotations

import json
import sqlite3
import time
from datetime import UTC, datetime

from .errors import Invalid

DAY = 86_400


def start(db: sqlite3.Connection, now: int) -> None:
    """Sets a new file's clock to `now`; an existing one keeps its own."""
    if db.execute("SELECT 1 FROM meta WHERE name = 'clock'").fetchone() is None:
        _write(db, now, None)


def read(db: sqlite3.Connection) -> int:
    """The current instant, in epoch seconds."""
    base, anchor = _state(db)
    return base if anchor is None else base + max(0, int(time.time() - anchor))


def is_running(db: sqlite3.Connection) -> bool:
    """Whether the clock moves with real time."""
    return _state(db)[1] is not None


def move(db: sqlite3.Connection, now: int) -> None:
    """Moves the clock forward to `now`, from where it goes on running if it was; never back."""
    _write(db, max(now, read(db)), time.time() if is_running(db) else None)


def run(db: sqlite3.Connection, running: bool) -> None:
    """Lets the clock run from its current instant, or stops it there."""
    if running != is_running(db):
        _write(db, read(db), time.time() if running else None)


def parse(value: object) -> int:
    """Epoch seconds from a number or an ISO 8601 text (UTC unless it says otherwise). Raises Invalid."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value.isdigit():
            return int(value)
        try:
            instant = datetime.fromisoformat(value)
        except ValueError:
            raise Invalid(f"Not an instant: {value[:40]}", param="now") from None
        return int((instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp())
    raise Invalid("An instant is epoch seconds or an ISO 8601 text.", param="now")


def end_of_day(instant: int, days: int) -> int:
    """23:59:59 UTC of the day that is `days` after the day of `instant`."""
    return (instant // DAY + days + 1) * DAY - 1


def _state(db: sqlite3.Connection) -> tuple[int, float | None]:
    value = json.loads(db.execute("SELECT value FROM meta WHERE name = 'clock'").fetchone()["value"])
    return value["base"], value["anchor"]


def _write(db: sqlite3.Connection, base: int, anchor: float | None) -> None:
    value = json.dumps({"base": base, "anchor": anchor})
    db.execute("INSERT OR REPLACE INTO meta VALUES ('clock', ?)", (value,))
