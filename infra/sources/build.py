"""Building the database file of a world: shape the rows here, load them in a child that ends with its memory."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.sources import wire
from infra.sources.catalog import catalogue
from infra.sources.cells import dumps
from infra.sources.rows import ShapedTable, SourceRow, shape
from infra.sources.worker_process import child_command, child_environment
from shared.errors import InvalidInput
from shared.ports.sources import QueryFailed

_BUILD_S = 120.0


def build_database(path: Path, tables: Mapping[str, Iterable[SourceRow]]) -> None:
    """Write the database of these tables (by qualified name) to `path`, replacing what is there in one step.

    Every table of the catalogue exists afterwards, with every column of the catalogue. Raises InvalidInput for rows
    that do not fit it, with table, row and column; QueryFailed if the engine cannot write the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as scratch:
        unfinished = Path(scratch) / "database"
        with _start_builder() as child:
            try:
                files = [_write(table, Path(scratch)) for table in _all_tables(tables)]
                _finish(child, {"path": str(unfinished), "tables": files})
            except BaseException:
                child.kill()
                raise
        os.replace(unfinished, path)


def _start_builder() -> subprocess.Popen[bytes]:
    """Start the child before the rows are shaped: it loads the engine meanwhile."""
    return subprocess.Popen(
        child_command("infra.sources.builder"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=child_environment(),
        start_new_session=True,
    )


def _all_tables(tables: Mapping[str, Iterable[SourceRow]]) -> list[ShapedTable]:
    names: dict[str, str] = {}
    for name in sorted({*tables, *catalogue()}):
        twin = names.setdefault(name.lower(), name)
        if twin != name:
            raise InvalidInput(f"{twin} and {name} are one table in SQL")
    return [shape(name, tables.get(name, ())) for name in names.values()]


def _write(table: ShapedTable, folder: Path) -> wire.TableFile:
    schema, _, name = table.name.partition(".")
    columns = list(table.columns.items())
    lines = folder / f"{table.name}.jsonl"
    # What UTF-8 cannot hold (half a surrogate pair) must not stop a build.
    with lines.open("w", encoding="utf-8", errors="replace") as file:
        file.writelines(dumps(row) + "\n" for row in table.rows)
    return {"schema": schema, "name": name, "columns": columns, "file": str(lines) if table.rows else None}


def _finish(child: subprocess.Popen[bytes], order: wire.Frame) -> None:
    try:
        output, _ = child.communicate(wire.encode(order), timeout=_BUILD_S)
        reply = wire.read(io.BytesIO(output).read, len(output))
    except (subprocess.TimeoutExpired, wire.BadFrame):
        reply = None
    if reply is None or "built" not in reply:
        reason = reply["error"] if reply else "the process that builds it was lost"
        raise QueryFailed(f"the database of the sources cannot be built: {reason}")
