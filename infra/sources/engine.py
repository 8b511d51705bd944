"""The engine inside a child: a database opened so that a query can do nothing but read it, and read little."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from infra.sources.native import duckdb
from infra.sources.reading import objection
from infra.sources.values import Out, decoder, rendered
from infra.sources.wire import Frame

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "memory_limit": "256MB",
    "threads": "1",
    "temp_directory": "",
}
_BATCH_ROWS = 64
_COLUMN_TYPES = {
    "VARCHAR": "text",
    "BIGINT": "integer",
    "BOOLEAN": "boolean",
    "TIMESTAMP WITH TIME ZONE": "timestamp",
    "JSON": "json",
}
_TABLES = """
    SELECT c.schema_name || '.' || c.table_name, any_value(t.estimated_size),
           list(c.column_name ORDER BY c.column_index), list(c.data_type ORDER BY c.column_index)
    FROM duckdb_columns() AS c JOIN duckdb_tables() AS t USING (table_oid)
    WHERE NOT t.internal GROUP BY 1 ORDER BY 1
"""


class Refused(Exception):
    """The statement is wrong in itself; asking again cannot help."""


class Exhausted(Exception):
    """The statement ran into a limit of time or memory, or broke the engine."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps on one answer: rows, and bytes of its rows as JSON."""

    max_rows: int
    max_bytes: int


class Engine:
    """One read-only database. Not for several threads, except for `interrupt`."""

    def __init__(self, path: str, limits: Limits) -> None:
        """Open the file. Raises the engine's own error if it cannot be opened."""
        self._limits = limits
        self._connection = duckdb.connect(path, read_only=True, config=_CONFIG)
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET lock_configuration = true")
        self.tables = [_table(*row) for row in self._connection.execute(_TABLES).fetchall()]
        self._names = frozenset(str(table["name"]).lower() for table in self.tables)

    def interrupt(self) -> None:
        """Make the running statement fail; may be called from another thread."""
        self._connection.interrupt()

    def query(self, sql: str) -> bytes:
        """The answer to one SELECT, as the body of a frame. Raises Refused or Exhausted."""
        started = time.monotonic()
        try:
            self._inspect(sql)
            columns = self._columns(sql)
            rows, truncated = self._fetch(sql, [kind for _, kind in columns])
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
            raise Refused(str(error).partition("\n\nLINE")[0]) from None
        except (duckdb.Error, MemoryError) as error:
            raise _explained(error) from None
        elapsed_ms = round((time.monotonic() - started) * 1000)
        names = _unique(name for name, _ in columns)
        head = _json({"columns": names, "truncated": truncated, "elapsed_ms": elapsed_ms})
        return b'%s,"rows":[%s]}' % (head[:-1], b",".join(rows))

    def _inspect(self, sql: str) -> None:
        statements = self._connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise Refused("exactly one SELECT is allowed")
        tree = self._connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0]
        reason = objection(tree, self._names)
        if reason:
            raise Refused(reason)

    def _columns(self, sql: str) -> list[tuple[str, str]]:
        described = self._connection.execute(f"SELECT * FROM (\n{sql}\n) AS answer LIMIT 0").description
        return [(str(column[0]), column[1].id) for column in described or ()]

    def _fetch(self, sql: str, kinds: Sequence[str]) -> tuple[list[bytes], bool]:
        """Rows as JSON arrays, up to the caps, and whether a cap cut them."""
        names = [f"c{position}" for position in range(len(kinds))]
        cells = ", ".join(rendered(name, kind) for name, kind in zip(names, kinds, strict=True))
        answer = f"SELECT {cells} FROM (\n{sql}\n) AS answer({', '.join(names)}) LIMIT {self._limits.max_rows + 1}"
        self._connection.execute(answer)
        decoders = [decoder(kind) for kind in kinds]
        rows: list[bytes] = []
        room = self._limits.max_bytes
        for row in self._rows():
            line = _json([decode(cell) for decode, cell in zip(decoders, row, strict=True)])
            room -= len(line) + 1
            if room < 0 and not rows:
                raise Refused(_row_too_large(self._limits.max_bytes))
            if room < 0 or len(rows) == self._limits.max_rows:
                return rows, True
            rows.append(line)
        return rows, False

    def _rows(self) -> Iterator[tuple[Out, ...]]:
        while batch := self._connection.fetchmany(_BATCH_ROWS):
            yield from batch


def _table(name: str, rows: int, columns: Sequence[str], types: Sequence[str]) -> Frame:
    described = [(column, _COLUMN_TYPES.get(kind, "decimal")) for column, kind in zip(columns, types, strict=True)]
    return {"name": name, "rows": rows, "columns": described}


def _unique(names: Iterator[str]) -> list[str]:
    """Column names as they are, a repeated one with a number behind it: a row is read by name."""
    taken: dict[str, None] = {}
    for name in names:
        candidate, number = name, 1
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken[candidate] = None
    return list(taken)


def _explained(error: Exception) -> Refused | Exhausted:
    """What went wrong in our words: the engine's own texts quote values, and values are customers' data."""
    if isinstance(error, duckdb.InterruptException):
        return Exhausted("the query ran out of time: filter by id or by a narrower span, or join less")
    if isinstance(error, duckdb.OutOfMemoryException | MemoryError):
        return Exhausted("the query ran out of memory: filter earlier, join less, or shorten text with left()")
    if isinstance(error, duckdb.ConversionException):
        return Refused("a value does not convert to the type asked for: use TRY_CAST, which gives NULL instead")
    if isinstance(error, duckdb.DataError | duckdb.ProgrammingError):
        return Refused(f"a value is outside what a function takes ({type(error).__name__}): filter it out or use CASE")
    return Exhausted(f"the engine failed ({type(error).__name__})")


def _row_too_large(max_bytes: int) -> str:
    return f"one row is over {max_bytes} bytes: name the columns you need, shorten long text with left(text, 2000)"


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
