"""Noticing that a database was written to, by whatever process: one cheap question instead of reading it again."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Self

from infra.local.database import BUSY_TIMEOUT_S


class Changes:
    """Asks SQLite, on a connection of its own, whether anybody else has committed anything. Used by one thread."""

    def __init__(self, database: Path) -> None:
        self._connection = sqlite3.connect(database, timeout=BUSY_TIMEOUT_S)
        self._seen: int | None = None

    def any(self) -> bool:
        """Whether there is something new since the last time; the first time there is."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        seen, self._seen = self._seen, version
        return bool(seen != version)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.close()
