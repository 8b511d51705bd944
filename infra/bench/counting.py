"""Counting what reaches SQLite, through its own trace."""

from __future__ import annotations

import sqlite3

from infra.bench.contender import Traffic


class TrafficCounter:
    """A trace callback of one connection. A transaction counts as flushed while `synchronous` is FULL."""

    def __init__(self) -> None:
        self.traffic = Traffic()
        self._flushes = True

    def __call__(self, sql: str) -> None:
        """Called by SQLite with every statement that starts."""
        if sql.startswith("PRAGMA synchronous"):
            self._flushes = sql.endswith("FULL")
        elif sql == "COMMIT":
            self.traffic.transactions += 1
            self.traffic.flushed += self._flushes
        elif sql.lstrip().startswith(("INSERT", "UPDATE", "DELETE")):
            self.traffic.writes += 1


def file_size(connection: sqlite3.Connection) -> int:
    """Bytes of the database file as this connection sees it, with everything in the log checkpointed."""
    pages: int = connection.execute("PRAGMA page_count").fetchone()[0]
    page_size: int = connection.execute("PRAGMA page_size").fetchone()[0]
    return pages * page_size
