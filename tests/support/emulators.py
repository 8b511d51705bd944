"""Fixtures for Google's own emulators: one of each per test run, shared by all of its workers.

A test that needs one asks for `firestore_emulator` or `pubsub_emulator` and gets its address; it works in a project of
its own (`fresh_project`), so that nothing has to be reset. Where the emulators are missing these tests are skipped, and
the last lines of the run say so; with CI=true they fail. An emulator that already runs is used when its address is in
FIRESTORE_EMULATOR_HOST or PUBSUB_EMULATOR_HOST.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

from infra.fakes.emulators import FIRESTORE, PUBSUB, Emulator, EmulatorMissing, Kind, answers
from infra.google.firestore import FirestoreStores, open_firestore
from infra.local.clock import SystemClock
from infra.local.entropy import SystemEntropy

MISSING = "EMULATOR MISSING"
_started: dict[str, Emulator] = {}
"""What this worker has started; another one may be the last to need it."""


@pytest.fixture(scope="session")
def firestore_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The host:port of a Firestore emulator."""
    with shared_emulator(FIRESTORE, _folder_of_the_run(tmp_path_factory)) as address:
        yield address


@pytest.fixture(scope="session")
def pubsub_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The host:port of a Pub/Sub emulator."""
    with shared_emulator(PUBSUB, _folder_of_the_run(tmp_path_factory)) as address:
        yield address


@pytest.fixture
def fresh_project() -> str:
    """A project id that nobody has used: what one test stores is never seen by another."""
    return f"test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def firestore_host(firestore_emulator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point the client to the emulator."""
    monkeypatch.setenv(FIRESTORE.host_variable, firestore_emulator)


@pytest.fixture
def firestore(firestore_host: None, fresh_project: str) -> Iterator[FirestoreStores]:
    """Every store port over an empty Firestore, with the machine's clock."""
    opened = open_firestore(fresh_project, SystemClock(), SystemEntropy())
    yield opened
    opened.close()


def say_what_was_skipped(reporter: Any) -> None:
    """A last word of the run, which nobody can overlook, when emulator tests did not run."""
    skipped = [report for report in reporter.stats.get("skipped", []) if MISSING in str(report.longrepr)]
    if skipped:
        reporter.write_sep("!", f"{len(skipped)} TESTS DID NOT RUN FOR WANT OF AN EMULATOR", red=True, bold=True)
        for reason in sorted({str(report.longrepr[2]).partition(MISSING)[2].strip(": ") for report in skipped}):
            reporter.write_line(reason, red=True)


@contextmanager
def shared_emulator(kind: Kind, folder: Path) -> Iterator[str]:
    """The run's emulator of this kind: the first user starts it, the last one stops it."""
    pointed = os.environ.get(kind.host_variable)
    if pointed:
        yield pointed
        return
    try:
        address = _join(kind, folder)
    except EmulatorMissing as missing:
        _go_without(str(missing))
    try:
        yield address
    finally:
        _leave(kind, folder)


def _go_without(why: str) -> NoReturn:
    if os.environ.get("CI", "").casefold() in ("true", "1"):
        pytest.fail(f"{MISSING}: {why}", pytrace=False)
    pytest.skip(f"{MISSING}: {why}")


def _join(kind: Kind, folder: Path) -> str:
    with _locked(kind, folder) as state:
        running = state.get("address")
        if running is None or not answers(running):
            _started[kind.name] = emulator = Emulator.start(kind, folder / f"{_slug(kind)}.log")
            state.update(address=emulator.address, pid=emulator.pid, users=[])
        state["users"].append(os.getpid())
        address: str = state["address"]
        return address


def _leave(kind: Kind, folder: Path) -> None:
    with _locked(kind, folder) as state:
        state["users"] = [user for user in state["users"] if user != os.getpid() and _lives(user)]
        if state["users"]:
            return
        own = _started.get(kind.name)
        if own is not None and own.pid == state["pid"]:
            own.stop()
        else:
            os.kill(state["pid"], signal.SIGTERM)
        state.clear()


@contextmanager
def _locked(kind: Kind, folder: Path) -> Iterator[dict[str, Any]]:
    """What the workers of this run know of the emulator, held by one of them at a time."""
    with (folder / f"{_slug(kind)}.json").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        state = json.loads(file.read() or "{}")
        yield state
        file.seek(0)
        file.truncate()
        json.dump(state, file)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _slug(kind: Kind) -> str:
    return kind.name.casefold().replace("/", "")


def _folder_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
