"""One transaction's view of the state: what the handlers read and write objects through."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .settings import Settings
from .wire import JsonObject, render

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@dataclass
class Session:
    """`now` is the double's clock in epoch seconds and does not move within a transaction of the API.

    `request` and `idempotency_key` name the API call behind the change; both are None for what the outside world did.
    """

    db: sqlite3.Connection
    now: int
    settings: Settings
    request: str | None = None
    idempotency_key: str | None = None

    def get(self, kind: str, id: str | None) -> JsonObject | None:
        """The object of this kind and id, as a copy that may be changed freely."""
        row = self.db.execute("SELECT body FROM objects WHERE kind = ? AND id = ?", (kind, id)).fetchone()
        return _object(row) if row else None

    def find(self, kind: str, field: str, value: str) -> list[JsonObject]:
        """The objects of a kind whose top-level `field` equals `value`, oldest first. `field` is a name from code."""
        sql = f"SELECT body FROM objects WHERE kind = ? AND json_extract(body, '$.{field}') = ? ORDER BY created, seq"
        return [_object(row) for row in self.db.execute(sql, (kind, value))]

    def changed(self, kind: str, id: str) -> int | None:
        """When the object last changed, by the double's clock; None if there is no such object."""
        row = self.db.execute("SELECT changed FROM objects WHERE kind = ? AND id = ?", (kind, id)).fetchone()
        return int(row["changed"]) if row else None

    def put(self, value: JsonObject) -> None:
        """Stores an object under its `object` and `id`, new or changed."""
        # An invoice item calls its time of creation its date.
        created = value["created"] if "created" in value else value["date"]
        self.db.execute(
            "INSERT INTO objects (kind, id, created, changed, body) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (kind, id) DO UPDATE SET created = excluded.created, changed = excluded.changed, "
            "body = excluded.body",
            (value["object"], value["id"], created, self.now, render(value)),
        )

    def new_id(self, prefix: str) -> str:
        """A new id, the same one whenever the same things are done in the same order."""
        sql = "INSERT INTO meta VALUES ('ids', '1') ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value"
        number = int.from_bytes(hashlib.sha256(str(self.db.execute(sql).fetchone()[0]).encode()).digest())
        letters = []
        for _ in range(24):
            number, index = divmod(number, len(_BASE62))
            letters.append(_BASE62[index])
        return f"{prefix}_{''.join(letters)}"

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undoes what is done inside when it raises, and keeps the rest of the transaction."""
        self.db.execute("SAVEPOINT attempt")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK TO attempt")
            raise
        finally:
            self.db.execute("RELEASE attempt")


def _object(row: sqlite3.Row) -> JsonObject:
    value: JsonObject = json.loads(row["body"])
    return value
