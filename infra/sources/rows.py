"""Rows on their way into the database: known columns typed, nested ones flattened, unknown ones kept as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from infra.sources.catalog import catalogue
from infra.sources.cells import CONVERTERS, BadCell, Cell, infer, scale_of
from shared.errors import InvalidInput
from shared.ports.sources import Column

SourceRow = Mapping[str, object]

_ENGINE_TYPES = {
    "text": "VARCHAR",
    "integer": "BIGINT",
    "boolean": "BOOLEAN",
    "timestamp": "TIMESTAMPTZ",
    "json": "JSON",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*")
_RESERVED_SCHEMAS = frozenset({"main", "temp", "system", "information_schema", "pg_catalog"})


@dataclass(frozen=True, slots=True)
class ShapedTable:
    """A table ready to be loaded: its columns with the engine's types; a column that a row lacks is NULL in it."""

    name: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Cell]]


def shape(name: str, rows: Iterable[SourceRow]) -> ShapedTable:
    """Give a table the columns of the catalogue, then its own.

    A known column that is named with double underscores is also found nested in the row. Raises InvalidInput, with
    table, row (counted from 1) and column, for a value that does not fit, and for names that SQL could confuse.
    """
    _check_name(name)
    present = list(rows)
    keys = dict.fromkeys(key for row in present for key in row)
    known = catalogue()[name].columns if name in catalogue() else ()
    columns = known + _own_columns(name, known, keys, present)
    _check_columns(name, columns)
    filled = {column.name: _cells(name, column, present) for column in columns if _occurs(column.name, keys)}
    types = {column.name: _engine_type(column, filled.get(column.name, ())) for column in columns}
    return ShapedTable(name, types, [dict(zip(filled, row, strict=True)) for row in zip(*filled.values(), strict=True)])


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.partition(".")[0].lower() in _RESERVED_SCHEMAS:
        raise InvalidInput(
            f"{name!r} is not a table name: expected <system>.<table> in letters, digits and underscores"
        )


def _check_columns(table: str, columns: Iterable[Column]) -> None:
    seen: dict[str, str] = {}
    for column in columns:
        twin = seen.setdefault(column.name.lower(), column.name)
        if twin != column.name or not column.name:
            raise InvalidInput(f"{table}: the columns {twin!r} and {column.name!r} are one name in SQL")


def _own_columns(
    table: str, known: Sequence[Column], keys: Iterable[str], rows: Sequence[SourceRow]
) -> tuple[Column, ...]:
    known_names = {column.name for column in known}
    instants = not table.startswith("stripe.")
    own = (key for key in keys if key not in known_names)
    return tuple(Column(name, infer((row.get(name) for row in rows), instants=instants)) for name in own)


def _occurs(column: str, keys: Container[str]) -> bool:
    return column in keys or column.partition("__")[0] in keys


def _cells(table: str, column: Column, rows: Sequence[SourceRow]) -> list[Cell]:
    find, convert = _finder(column.name), CONVERTERS[column.type]
    cells: list[Cell] = []
    for row in rows:
        value = find(row)
        try:
            cells.append(None if value is None else convert(value))
        except BadCell as error:
            raise InvalidInput(f"{table}, row {len(cells) + 1}, column {column.name}: {error}") from None
    return cells


def _finder(column: str) -> Callable[[SourceRow], object]:
    path = column.split("__")
    if len(path) == 1:
        return lambda row: row.get(column)
    return lambda row: row[column] if column in row else _nested(row, path)


def _nested(row: SourceRow, path: Sequence[str]) -> object:
    value = row.get(path[0])
    for key in path[1:]:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _engine_type(column: Column, cells: Iterable[Cell]) -> str:
    if column.type != "decimal":
        return _ENGINE_TYPES[column.type]
    scales = (scale_of(Decimal(cell)) for cell in cells if isinstance(cell, str))
    return f"DECIMAL(38,{max(scales, default=0)})"
