"""The child that builds a database file: reads one frame (what to load), writes one frame (done, or why not).

It is a process of its own so that the parent never holds the engine, and because it ends with its memory.
"""

from __future__ import annotations

import sys
from typing import cast

from infra.sources.native import duckdb
from infra.sources.wire import Frame, TableFile, encode, read

MAX_FRAME_BYTES = 8 << 20

# What Coral's engine (DataFusion) calls by other names, so that the same SQL runs on both.
_MACROS = (
    "json_get(doc, key) AS doc -> key",
    "json_get_json(doc, key) AS doc -> key",
    "json_get_str(doc, key) AS doc ->> key",
    "json_as_text(doc, key) AS doc ->> key",
    "json_get_int(doc, key) AS TRY_CAST(doc ->> key AS BIGINT)",
    "json_get_float(doc, key) AS TRY_CAST(doc ->> key AS DOUBLE)",
    "json_get_bool(doc, key) AS TRY_CAST(doc ->> key AS BOOLEAN)",
    "json_length(doc) AS json_array_length(doc)",
    "from_unixtime(seconds) AS to_timestamp(seconds)",
)


def build(path: str, tables: list[TableFile]) -> None:
    """Write a database of these tables to `path`, which must not exist yet."""
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        # Small blocks: a world has hundreds of columns with little in each.
        connection.execute(f"ATTACH {_literal(path)} AS world (BLOCK_SIZE 16384)")
        connection.execute("BEGIN")
        for macro in _MACROS:
            connection.execute(f"CREATE MACRO world.main.{macro}")
        for schema in sorted({table["schema"] for table in tables}):
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS world.{_identifier(schema)}")
        for table in tables:
            connection.execute(_create(table))
        connection.execute("COMMIT")


def _create(table: TableFile) -> str:
    target = f"CREATE TABLE world.{_identifier(table['schema'])}.{_identifier(table['name'])}"
    if table["file"] is None:
        return f"{target} ({', '.join(f'{_identifier(name)} {kind}' for name, kind in table['columns'])})"
    types = ", ".join(f"{_literal(name)}: {_literal(kind)}" for name, kind in table["columns"])
    source = f"read_json({_literal(table['file'])}, format = 'newline_delimited', columns = {{{types}}})"
    return f"{target} AS SELECT * FROM {source}"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def main() -> None:
    """Build what the frame on stdin asks for."""
    request = read(sys.stdin.buffer.read, MAX_FRAME_BYTES)
    if request is None:
        return
    try:
        build(str(request["path"]), cast(list[TableFile], request["tables"]))
        answer: Frame = {"built": True}
    except duckdb.Error as error:
        answer = {"error": str(error).splitlines()[0]}
    sys.stdout.buffer.write(encode(answer))


if __name__ == "__main__":
    main()
