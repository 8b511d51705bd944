"""Sources whose database is replaced while they are asked: every question is answered by one edition of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from infra.sources.duckdb_files import DuckDbSources
from shared.ports.sources import QueryResult, Sources, Table


@dataclass(eq=False, slots=True)
class _Loaded:
    edition: Hashable
    sources: DuckDbSources
    users: int = 0


class GrowingSources(Sources):
    """Answers from what `load` gave for the present `edition`. Another edition is loaded by whoever asks first.

    Questions under way are answered by the edition they were asked of; it is closed when the last one has ended.
    """

    def __init__(self, edition: Callable[[], Hashable], load: Callable[[], DuckDbSources]) -> None:
        self._edition = edition
        self._load = load
        self._lock = threading.Lock()
        self._present = _Loaded(edition(), load())

    def list_catalog(self) -> Sequence[Table]:
        """Every table that can be asked, in name order."""
        with self._asked() as sources:
            return sources.list_catalog()

    def describe_table(self, table: str) -> Table:
        """One table by its qualified name. Raises NotFound."""
        with self._asked() as sources:
            return sources.describe_table(table)

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        """Run one read-only SELECT. Raises QueryRefused or QueryFailed."""
        with self._asked() as sources:
            return sources.sql(query, timeout_s=timeout_s)

    def link(self, table: str, record_id: str) -> str:
        """A deep link to a record in the system it came from."""
        with self._asked() as sources:
            return sources.link(table, record_id)

    def close(self) -> None:
        """Close the present edition. Queries that run get QueryFailed."""
        with self._lock:
            self._present.sources.close()

    @contextmanager
    def _asked(self) -> Iterator[DuckDbSources]:
        with self._lock:
            loaded = self._up_to_date()
            loaded.users += 1
        try:
            yield loaded.sources
        finally:
            with self._lock:
                loaded.users -= 1
                self._close_if_past(loaded)

    def _up_to_date(self) -> _Loaded:
        edition = self._edition()
        if edition != self._present.edition:
            past, self._present = self._present, _Loaded(edition, self._load())
            self._close_if_past(past)
        return self._present

    def _close_if_past(self, loaded: _Loaded) -> None:
        if loaded is not self._present and loaded.users == 0:
            loaded.sources.close()
