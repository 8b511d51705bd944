"""Reading the connected systems: one catalogue of tables, one kind of question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.errors import InvalidInput, Retryable

Value = str | int | bool | None
"""A cell. Numbers with a fraction arrive as decimal strings, nested values as JSON text: no floats."""

Row = Mapping[str, Value]


class QueryRefused(InvalidInput):
    """The guard does not let this text near the engine; the message names the rule."""

    code = "query_refused"


class QueryFailed(Retryable):
    """The engine could not answer within its limits of time and memory, or the source is down."""

    code = "query_failed"


@dataclass(frozen=True, slots=True)
class Column:
    """A column as `describe_table` shows it; `type` is text, integer, boolean, timestamp, decimal or json."""

    name: str
    type: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the catalogue. `name` is qualified (`stripe.disputes`); `rows` is None where counting is not free."""

    name: str
    description: str
    columns: tuple[Column, ...]
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to one SELECT. `tables` are the qualified tables it read; `truncated` says that a cap cut it."""

    columns: tuple[str, ...]
    rows: Sequence[Row]
    tables: tuple[str, ...]
    truncated: bool
    elapsed_ms: int


class Sources(Protocol):
    """The connected systems of one org, read-only."""

    def list_catalog(self) -> Sequence[Table]:
        """Every table that can be asked, in name order."""
        ...

    def describe_table(self, table: str) -> Table:
        """One table by its qualified name. Raises NotFound with the nearest names."""
        ...

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        """Run one read-only SELECT. Raises QueryRefused (never retried) or QueryFailed (may be retried)."""
        ...

    def link(self, table: str, record_id: str) -> str:
        """A deep link to a record in the system it came from."""
        ...
