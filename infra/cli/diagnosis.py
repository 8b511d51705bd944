"""What `manthan doctor` looks at: each check does the thing itself, once, instead of guessing whether it would work."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from shared.errors import ManthanError

_PACKAGES: Final = (
    "pydantic",
    "functions_framework",
    "yaml",
    "tzdata",
    "click",
    "rich",
    "duckdb",
    "sqlglot",
    "stripe",
)
_LATER: Final = ("chromium",)
_OLDEST_SQLITE: Final = (3, 35, 0)
"""The first with RETURNING."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One check. `fix` says what to do; empty when there is nothing to do."""

    name: str
    ok: bool
    detail: str
    fix: str = ""

    def as_json(self) -> dict[str, Any]:
        """The check for other programs."""
        return {"name": self.name, "ok": self.ok, "detail": self.detail, "fix": self.fix}


def diagnose(data: Path) -> Iterator[Diagnosis]:
    """Every check in order. What is only needed later never fails."""
    yield _python()
    yield from map(_package, _PACKAGES)
    yield _tried("data folder", lambda: _writable(data), f"choose a folder that can be written to instead of {data}")
    yield _sqlite_version()
    with tempfile.TemporaryDirectory(prefix="manthan-doctor-") as scratch:
        place = Path(scratch)
        yield _tried("sqlite write", lambda: _durable_write(place), "use a local disk for temporary files (TMPDIR)")
        yield _tried("loopback port", _free_port, "allow listening on 127.0.0.1")
        yield _tried("simulated stripe", lambda: _stripe(place), "run `python -m infra.fakes.stripe --help` to see why")
        yield _tried("query process", lambda: _query(place), "raise the limit on address space (`ulimit -v unlimited`)")
    yield from _emulators()
    yield from map(_later, _LATER)


def _tried(name: str, attempt: Callable[[], str], fix: str) -> Diagnosis:
    from infra.fakes.stripe.process import DoubleFailed

    try:
        return Diagnosis(name, True, attempt())
    except (OSError, ManthanError, DoubleFailed, sqlite3.Error, ImportError, ValueError) as error:
        return Diagnosis(name, False, f"{type(error).__name__}: {error}", fix)


def _python() -> Diagnosis:
    ok = (3, 11) <= sys.version_info[:2] < (3, 14)
    return Diagnosis("python", ok, platform.python_version(), "" if ok else "install Python 3.11, 3.12 or 3.13")


def _package(name: str) -> Diagnosis:
    ok = importlib.util.find_spec(name) is not None
    return Diagnosis(f"package {name}", ok, "installed" if ok else "missing", "" if ok else "run `make setup`")


def _writable(data: Path) -> str:
    data.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=data):
        return f"{data} can be written to"


def _sqlite_version() -> Diagnosis:
    ok = sqlite3.sqlite_version_info >= _OLDEST_SQLITE
    fix = "" if ok else f"use a Python with SQLite {'.'.join(map(str, _OLDEST_SQLITE))} or later"
    return Diagnosis("sqlite", ok, sqlite3.sqlite_version, fix)


def _durable_write(place: Path) -> str:
    from infra.local.database import Database

    with Database(place / "doctor.db", synchronous="FULL") as database:
        database.write(lambda connection: connection.execute("CREATE TABLE probe (x)"))
        level = database.write(lambda connection: connection.execute("PRAGMA synchronous").fetchone()[0])
    if level != 2:
        raise ValueError(f"SQLite writes at level {level} instead of FULL")
    return "a write is flushed to the disk before it returns"


def _free_port() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        return f"port {listener.getsockname()[1]} of the loopback interface is free"


def _stripe(place: Path) -> str:
    from infra.fakes.stripe.process import StripeDouble

    with StripeDouble.start(db=place / "stripe.db") as double:
        return f"answers, its clock says {double.clock()['now']}"


def _query(place: Path) -> str:
    from infra.sources.duckdb_files import DuckDbSources, build_database

    path = place / "query.duckdb"
    build_database(path, {"doctor.probe": [{"id": "1"}]})
    with DuckDbSources(path, workers=1) as sources:
        rows = len(sources.sql("SELECT id FROM doctor.probe").rows)
    return f"answers a query ({rows} row) within its limit on address space"


def _emulators() -> Iterator[Diagnosis]:
    """Only `--cloud` needs them: what is missing fails nothing here."""
    from infra.fakes.emulators import FIRESTORE, PUBSUB, EmulatorMissing, command

    for kind in (FIRESTORE, PUBSUB):
        try:
            command(kind, 0)
        except EmulatorMissing as missing:
            yield Diagnosis(f"{kind.name} emulator", True, f"not needed but for --cloud: {missing}")
        else:
            yield Diagnosis(f"{kind.name} emulator", True, "installed")


def _later(name: str) -> Diagnosis:
    found = shutil.which(name)
    return Diagnosis(f"program {name}", True, found or "not installed; not needed yet")
