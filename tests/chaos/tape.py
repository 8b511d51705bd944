"""The connected systems on tape: what they answered once, played back without starting them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from infra.sources.build import build_database
from infra.sources.duckdb_files import DuckDbSources
from infra.worlds.model import World
from shared.ports.sources import QueryResult, Sources, Table


class Tape:
    """Records what real sources answer, or plays it back. Rules ask the same questions every time."""

    def __init__(self, real: Sources | None = None) -> None:
        self._real = real
        self._answers: dict[tuple[str, ...], Any] = {}

    def list_catalog(self) -> Sequence[Table]:
        return self._answer(("catalog",), lambda real: real.list_catalog())

    def describe_table(self, table: str) -> Table:
        return self._answer(("table", table), lambda real: real.describe_table(table))

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        return self._answer(("sql", query), lambda real: real.sql(query, timeout_s=timeout_s))

    def link(self, table: str, record_id: str) -> str:
        return self._answer(("link", table, record_id), lambda real: real.link(table, record_id))

    def _answer(self, question: tuple[str, ...], ask: Callable[[Sources], Any]) -> Any:
        if self._real is not None:
            self._answers[question] = ask(self._real)
        assert question in self._answers, f"this was not asked while the tape was recorded: {question}"
        return self._answers[question]

    def save(self, path: Path) -> None:
        path.write_bytes(pickle.dumps(self._answers))

    @classmethod
    def load(cls, path: Path) -> Tape:
        tape = cls()
        tape._answers = pickle.loads(path.read_bytes())
        return tape

    def close(self) -> None:
        """End what was recorded from."""
        if isinstance(self._real, DuckDbSources):
            self._real.close()


def recording(world: World, folder: Path) -> Tape:
    """A tape that listens to the world's real sources."""
    database = folder / "sources.duckdb"
    build_database(database, world.tables())
    return Tape(DuckDbSources(database))
