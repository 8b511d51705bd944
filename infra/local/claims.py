"""Claims: who works on a piece of work until when, so that a duplicate delivery does not pay for it again."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import Final

from infra.local.database import Database
from infra.local.instants import from_micros, to_micros
from infra.local.processes import is_alive, this_process
from shared.ports.store import Claim

_TAKE: Final = """
INSERT INTO claims (org, key, owner, generation, retry, expires_at, process)
VALUES (:org, :key, :owner, :generation, :retry, :expires_at, :process)
ON CONFLICT DO UPDATE SET owner = excluded.owner, generation = excluded.generation, retry = excluded.retry,
    expires_at = excluded.expires_at, process = excluded.process
WHERE claims.expires_at <= :now OR (claims.generation, claims.retry) < (excluded.generation, excluded.retry)"""
_SELECT: Final = "SELECT key, owner, generation, retry, expires_at FROM claims WHERE org = ? AND key = ?"


class SqliteClaims:
    """Claims on SQLite; implements shared.ports.store.Claims.

    None of its writes is flushed on its own: after a power loss no claim is alive anyway.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._process = this_process()

    def take(self, org: str, claim: Claim, now: datetime) -> Claim | None:
        """Take the claim if it is free, expired or of a lower order. Returns None when taken, else the live one."""
        values = {
            "org": org,
            "key": claim.key,
            "owner": claim.owner,
            "generation": claim.generation,
            "retry": claim.retry,
            "expires_at": to_micros(claim.expires_at),
            "process": self._process,
            "now": to_micros(now),
        }

        def take(connection: sqlite3.Connection) -> Claim | None:
            if connection.execute(_TAKE, values).rowcount == 1:
                return None
            return _claim(connection, org, claim.key)

        return self._database.write(take, durable=False)

    def live(self, org: str, key: str, now: datetime) -> Claim | None:
        """The claim that is alive for this key."""
        found = self._database.read(lambda connection: _claim(connection, org, key))
        return found if found is not None and found.expires_at > now else None

    def release(self, org: str, key: str, owner: str) -> None:
        """Give the claim back, if it is still ours."""
        statement = "DELETE FROM claims WHERE org = ? AND key = ? AND owner = ?"
        self._database.write(lambda connection: connection.execute(statement, (org, key, owner)), durable=False)

    def void_dead(self) -> int:
        """Delete the claims of processes that are provably dead, e.g. at start; how many there were."""

        def void(connection: sqlite3.Connection) -> int:
            processes = connection.execute("SELECT DISTINCT process FROM claims").fetchall()
            dead = [row for row in processes if not is_alive(row[0])]
            return sum(connection.execute("DELETE FROM claims WHERE process = ?", row).rowcount for row in dead)

        return self._database.write(void, durable=False)

    def purge_expired(self, now: datetime) -> int:
        """Delete claims that are over; how many there were."""
        return self._database.write(
            lambda connection: (
                connection.execute("DELETE FROM claims WHERE expires_at <= ?", (to_micros(now),)).rowcount
            ),
            durable=False,
        )


def _claim(connection: sqlite3.Connection, org: str, key: str) -> Claim | None:
    found = connection.execute(_SELECT, (org, key)).fetchone()
    if found is None:
        return None
    key, owner, generation, retry, expires_at = found
    return Claim(key, owner, generation, retry, from_micros(expires_at))
