"""sources/<schema>/<table>: the rows that SQL sees, from .jsonl, .csv or .parquet files."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from infra.worlds.documents import json_lines, json_row
from infra.worlds.folder import Folder
from shared.errors import InvalidInput

Row = dict[str, object]
Tables = dict[str, list[Row]]

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_COLUMN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCAL_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?")


def read_tables(folder: Folder) -> Tables:
    """Every table under sources/ by its qualified name. Raises InvalidInput with file and line for a fault."""
    tables: Tables = {}
    for schema in folder.entries("sources"):
        if not schema.is_dir() or not _NAME.fullmatch(schema.name):
            raise folder.fault(schema, "sources/ holds one folder per schema, named in lower case, such as stripe/")
        if schema.name == "policies":
            raise folder.fault(schema, "policies are Markdown files in the world's policies/ folder, not a source")
        for path in folder.entries("sources", schema.name):
            name = f"{schema.name}.{path.stem}"
            if name in tables:
                raise folder.fault(path, f"{name} has a second file; one file holds a table")
            tables[name] = _read_table(folder, path)
    return tables


def _read_table(folder: Folder, path: Path) -> list[Row]:
    reader = _READERS.get(path.suffix)
    if reader is None or not path.is_file() or not _NAME.fullmatch(path.stem):
        known = ", ".join(sorted(_READERS))
        raise folder.fault(path, f"a table is a file named in lower case and ending in one of {known}")
    rows: list[Row] = []
    first_seen: dict[object, int] = {}
    columns: set[str] = set()
    for line, row in reader(folder, path):
        _check_row(folder, path, line, row, columns)
        key = row.get("id")
        if key is not None and first_seen.setdefault(key, line) != line:
            raise folder.fault(path, f"the id {key!r} is already used on line {first_seen[key]}", line)
        rows.append(row)
    return rows


def _check_row(folder: Folder, path: Path, line: int, row: Row, columns: set[str]) -> None:
    if not row:
        raise folder.fault(path, "an empty row says nothing: remove the line, or give the row its columns", line)
    for column, value in row.items():
        if column not in columns:
            if not _COLUMN.fullmatch(column):
                raise folder.fault(path, f"{column!r} is not a column name: letters, digits and underscores", line)
            columns.add(column)
        if column == "id" and not isinstance(value, str):
            raise folder.fault(path, "an id is text: write it in quotes", line)
        if isinstance(value, str) and _LOCAL_TIME.fullmatch(value):
            message = f"{column}: the time {value} has no offset: add Z or, for instance, +02:00"
            raise folder.fault(path, message, line)


def _csv_rows(folder: Folder, path: Path) -> Iterator[tuple[int, Row]]:
    reader = csv.reader(folder.read(path).splitlines(keepends=True), strict=True)
    try:
        header = next(reader, [])
        if not header or len(set(header)) != len(header):
            raise folder.fault(path, "the first line names the columns, each once", 1)
        for cells in reader:
            if cells and len(cells) != len(header):
                message = f"{len(header)} cells are expected as in the first line, here are {len(cells)}"
                raise folder.fault(path, message, reader.line_num)
            if cells:
                yield reader.line_num, {name: cell or None for name, cell in zip(header, cells, strict=True)}
    except csv.Error as error:
        raise folder.fault(path, f"not valid CSV: {error}", reader.line_num) from None


def _parquet_rows(folder: Folder, path: Path) -> Iterator[tuple[int, Row]]:
    try:
        import duckdb  # only a world that holds Parquet pays for loading the engine
    except ImportError:
        raise folder.fault(path, "reading Parquet needs duckdb; install it or convert the file to .jsonl") from None
    try:
        with duckdb.connect() as engine:
            found = engine.execute("SELECT to_json(t)::VARCHAR FROM read_parquet(?) AS t", [str(path)]).fetchall()
    except duckdb.Error as error:
        raise InvalidInput(f"{folder.fault(path, 'not valid Parquet')}: {str(error).splitlines()[0]}") from None
    for number, (text,) in enumerate(found, start=1):
        yield number, json_row(folder, path, text, number)


_READERS: dict[str, Callable[[Folder, Path], Iterator[tuple[int, Row]]]] = {
    ".jsonl": json_lines,
    ".csv": _csv_rows,
    ".parquet": _parquet_rows,
}
