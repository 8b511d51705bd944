"""The kill switch: a row in the file, so that every process sees it at once."""

from __future__ import annotations

from typing import Final

from infra.local.database import Database
from infra.local.instants import from_micros, to_micros
from shared.ports.clock import Clock
from shared.ports.effects import Stop

_NAME: Final = "effects_stopped"
_EVERY_ORG: Final = ""


class SqliteSwitch:
    """The kill switch on SQLite, per org and for all of them; implements shared.ports.effects.Switch."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def effects_stopped(self, org: str) -> bool:
        """Whether effects are stopped for this org or for all, read fresh."""
        return self.status(org) is not None

    def status(self, org: str | None) -> Stop | None:
        """The stop that holds for this org, its own before the one for all; None while effects may happen."""
        statement = """SELECT org, value FROM settings WHERE name = ? AND org IN (?, ?) ORDER BY org DESC LIMIT 1"""
        found = self._database.read(
            lambda connection: connection.execute(statement, (_NAME, org or _EVERY_ORG, _EVERY_ORG)).fetchone()
        )
        if found is None:
            return None
        at, by, reason = found[1].split("\n", 2)
        return Stop(org=found[0] or None, by=by, reason=reason, at=from_micros(int(at)))

    def stop(self, org: str | None, *, by: str, reason: str = "") -> None:
        """Stop effects of an org, or of all; durable when it returns."""
        value = f"{to_micros(self._clock.now())}\n{' '.join(by.split())}\n{reason}"
        statement = "INSERT OR REPLACE INTO settings (org, name, value) VALUES (?, ?, ?)"
        self._database.write(lambda connection: connection.execute(statement, (org or _EVERY_ORG, _NAME, value)))

    def start(self, org: str | None) -> bool:
        """Lift exactly this stop; a stop for all outlives that of an org. False: it was not set."""
        statement = "DELETE FROM settings WHERE org = ? AND name = ?"
        return self._database.write(
            lambda connection: connection.execute(statement, (org or _EVERY_ORG, _NAME)).rowcount == 1
        )
