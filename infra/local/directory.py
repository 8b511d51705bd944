"""The registry of orgs, and which org an event belongs to."""

from __future__ import annotations

import sqlite3

from infra.local.database import Database
from shared.errors import Conflict, NotFound
from shared.ports.directory import Org


class SqliteDirectory:
    """The registry on SQLite; implements shared.ports.directory.Directory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put_org(self, org: Org) -> None:
        """Register an org, or replace what is known of it."""
        body = org.model_dump_json()
        self._database.write(
            lambda connection: connection.execute(
                "INSERT OR REPLACE INTO orgs (id, body) VALUES (?, ?)", (org.id, body)
            )
        )

    def org(self, org_id: str) -> Org:
        """An org by id. Raises NotFound."""
        found = self._database.read(
            lambda connection: connection.execute("SELECT body FROM orgs WHERE id = ?", (org_id,)).fetchone()
        )
        if found is None:
            raise NotFound(f"no org {org_id} is registered")
        return Org.model_validate_json(found[0])

    def register_endpoint(self, endpoint: str, secret_name: str, account: str | None, org: str) -> None:
        """Say that events at this endpoint, verified by this secret, of this account, belong to this org.

        Saying the same again changes nothing. Raises NotFound for an unknown org, and Conflict when they belong to
        another one: an event must never change its owner silently.
        """

        def register(connection: sqlite3.Connection) -> None:
            if connection.execute("SELECT 1 FROM orgs WHERE id = ?", (org,)).fetchone() is None:
                raise NotFound(f"no org {org} is registered")
            owner = _owner(connection, endpoint, secret_name, account)
            if owner not in (None, org):
                raise Conflict(f"events of {account or 'the platform account'} at {endpoint} belong to another org")
            connection.execute(
                "INSERT OR IGNORE INTO endpoints (endpoint, secret_name, account, org) VALUES (?, ?, ?, ?)",
                (endpoint, secret_name, account or "", org),
            )

        self._database.write(register)

    def org_of_event(self, endpoint: str, secret_name: str, account: str | None) -> str | None:
        """The org for (endpoint path, secret that verified, event.account), never from the payload. None: unknown."""
        return self._database.read(lambda connection: _owner(connection, endpoint, secret_name, account))


def _owner(connection: sqlite3.Connection, endpoint: str, secret_name: str, account: str | None) -> str | None:
    found: tuple[str] | None = connection.execute(
        "SELECT org FROM endpoints WHERE endpoint = ? AND secret_name = ? AND account = ?",
        (endpoint, secret_name, account or ""),
    ).fetchone()
    return None if found is None else found[0]
