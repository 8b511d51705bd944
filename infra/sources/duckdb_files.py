"""The embedded sources: DuckDB over a world's tables, behind the guard, in children that can be killed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from infra.sources.build import build_database
from infra.sources.catalog import catalogue, nearest
from infra.sources.links import Links
from infra.sources.pool import WorkerPool
from infra.sources.worker_process import WorkerProcess, WorkerSettings
from shared.errors import NotFound
from shared.ports.sources import Column, QueryResult, Row, Sources, Table, Value

if TYPE_CHECKING:
    from infra.sources.guard import GuardedQuery

__all__ = ["DuckDbSources", "build_database"]

_MAX_TIMEOUT_S = 60.0
_REMEMBERED_QUERIES = 256


class DuckDbSources(Sources):
    """One database file, read by a few children. Safe for many threads; `close` it, or use it as a context manager.

    `workers` is the number of children, each with at most `address_space` bytes; an answer holds at most `max_rows`
    rows and `max_bytes` bytes. Queries of more callers than children wait for one, as long as their own time limit.
    """

    def __init__(
        self,
        database: Path,
        *,
        workers: int = 2,
        max_rows: int = 500,
        max_bytes: int = 1 << 20,
        address_space: int = 1_500_000_000,
        links: Links | None = None,
    ) -> None:
        settings = WorkerSettings(database, max_rows, max_bytes, address_space)
        self._pool = WorkerPool(lambda: WorkerProcess(settings), workers)
        self._links = links or Links()
        self._reading_tables = threading.Lock()
        self._guarded = lru_cache(_REMEMBERED_QUERIES)(self._check)

    def warm(self) -> None:
        """Start the children and load the parser in the background, so that the first query need not wait."""
        self._pool.warm()
        threading.Thread(target=_guard, daemon=True).start()

    def list_catalog(self) -> Sequence[Table]:
        """Every table of the database, in name order, with its number of rows. Raises QueryFailed."""
        return tuple(self._tables.values())

    def describe_table(self, table: str) -> Table:
        """One table by its qualified name. Raises NotFound with the nearest names, QueryFailed."""
        found = self._tables.get(table.lower())
        if found is None:
            near = ", ".join(nearest(table, self._tables)) or "see the catalogue"
            raise NotFound(f"there is no table {table[:100]!r}; nearest: {near}")
        return found

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        """Run one read-only SELECT within `timeout_s` seconds (at most 60) of a child being free for it.

        Raises QueryRefused if the guard or the engine rejects the text, which no retry changes; QueryFailed if it ran
        out of time or memory, or the child died.
        """
        guarded = self._guarded(query)
        limit = min(timeout_s, _MAX_TIMEOUT_S)
        with self._pool.borrow(limit) as worker:
            reply = worker.query(guarded.sql, limit)
        columns = tuple(cast(list[str], reply["columns"]))
        rows = [cast(Row, dict(zip(columns, row, strict=True))) for row in cast(list[list[Value]], reply["rows"])]
        return QueryResult(columns, rows, guarded.tables, reply["truncated"] is True, cast(int, reply["elapsed_ms"]))

    def link(self, table: str, record_id: str) -> str:
        """A deep link to a record in the system it came from; a `manthan://` one where that is unknown."""
        return self._links.to(table, record_id)

    def close(self) -> None:
        """End every child. Queries that run get QueryFailed."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, query: str) -> GuardedQuery:
        return _guard()(query, frozenset(self._tables))

    @property
    def _tables(self) -> dict[str, Table]:
        with self._reading_tables:
            return self._read_tables

    @cached_property
    def _read_tables(self) -> dict[str, Table]:
        with self._pool.borrow(_MAX_TIMEOUT_S) as worker:
            reply = worker.tables()
        described = [_described(entry) for entry in cast(list[dict[str, object]], reply["tables"])]
        return {table.name.lower(): table for table in described}


def _described(entry: dict[str, object]) -> Table:
    """A table as the database has it, with the meanings that the catalogue gives."""
    name = cast(str, entry["name"])
    known = catalogue().get(name)
    meanings = {column.name: column.description for column in known.columns} if known else {}
    pairs = cast(list[list[str]], entry["columns"])
    columns = tuple(Column(column, kind, meanings.get(column, "")) for column, kind in pairs)
    return Table(name, known.description if known else "", columns, cast(int, entry["rows"]))


def _guard() -> Callable[[str, frozenset[str]], GuardedQuery]:
    """The guard, loaded when first needed: its parser takes 0.4 s to import."""
    from infra.sources.guard import check

    return check
