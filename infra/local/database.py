"""One SQLite file with one writer: many threads write at the price of one disk flush.

Whoever waits while a transaction is flushed shares the next one (group commit), each in its own savepoint, so that one
that fails takes back only its own changes. Readers use connections of their own and never wait for the writer.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeVar

from infra.local.faults import StoreBroken, StoreUnavailable, translated, translating
from infra.local.schema import prepare

T = TypeVar("T")
Synchronous = Literal["OFF", "NORMAL", "FULL"]

BUSY_TIMEOUT_S: Final = 10.0
"""How long a connection waits for another process to let go of the write lock."""
_BATCH: Final = 256
_IDLE_READERS: Final = 16

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Job:
    run: Callable[[sqlite3.Connection], object]
    durable: bool
    done: Future[Any]


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


class Database:
    """The file and its connections; safe to share between threads, and between processes on one machine.

    Durable to power loss by default: with `synchronous="FULL"` a write that has returned was flushed to the disk. With
    NORMAL it survives the death of the process, not that of the machine. What survives is always a prefix of the writes
    in the order in which they were committed, so a write that was flushed keeps everything before it. With OFF
    the death of the machine can damage the file: for tests and throw-away runs only.

    The folder of `path` must exist. Raises StoreBroken for a file that cannot be used (no permission, corrupt, written
    by a newer release) and StoreUnavailable for one that cannot be used now.
    """

    def __init__(self, path: Path | str, *, synchronous: Synchronous = "FULL") -> None:
        self.path = Path(path).absolute()
        self._synchronous = synchronous
        self._level: str = synchronous
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._readers: list[sqlite3.Connection] = []
        self._gate = threading.Lock()
        self._closed = False
        with translating(self.path):
            self._connection = self._open()
        self._writer = threading.Thread(target=self._serve, name=f"writer of {self.path.name}", daemon=True)
        self._writer.start()

    def write(self, fn: Callable[[sqlite3.Connection], T], *, durable: bool = True) -> T:
        """Run `fn` inside the next transaction and return what it returned once that transaction is durable.

        `fn` must do nothing but read and change the database, and neither begin nor end a transaction. What it raises
        is raised here, and its changes are undone. `durable=False` returns when the transaction is committed, without
        asking for a flush of its own. Raises StoreUnavailable when the outcome is unknown or nothing was written.
        """
        if threading.current_thread() is self._writer:
            raise RuntimeError("a write inside a write would wait for itself for ever")
        done: Future[T] = Future()
        self._submit(_Job(fn, durable, done))
        return done.result()

    def write_soon(self, fn: Callable[[sqlite3.Connection], object]) -> None:
        """Have `fn` run in the next transaction, in order with all other writes, and do not wait for it.

        For bookkeeping: an idle writer commits it at once, but it is not flushed on its own, and a failure is logged.
        Raises StoreUnavailable only when the database is closed.
        """
        done: Future[object] = Future()
        done.add_done_callback(_log_failure)
        self._submit(_Job(fn, False, done))

    def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run `fn` on a connection that cannot write. Each statement sees every write that has returned before it."""
        connection = self._borrow()
        try:
            with translating(self.path):
                return fn(connection)
        finally:
            self._give_back(connection)

    @property
    def backlog(self) -> int:
        """How many writes wait for the writer just now."""
        return self._jobs.qsize()

    def close(self) -> None:
        """Commit what waits, end the writer and close every connection. Closing twice is fine."""
        with self._gate:
            first, self._closed = not self._closed, True
            idle, self._readers = self._readers, []
            if first:
                self._jobs.put(None)
        for reader in idle:
            reader.close()
        self._writer.join()
        if first:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Connections

    def _open(self) -> sqlite3.Connection:
        connection = self._connect()
        try:
            if connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] != "wal":
                raise StoreBroken(f"the file system of {self.path} offers no shared memory: choose a local disk")
            connection.execute(f"PRAGMA synchronous={self._synchronous}")
            connection.execute("PRAGMA journal_size_limit=67108864")
            prepare(connection, self.path)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False, cached_statements=256
        )

    def _borrow(self) -> sqlite3.Connection:
        with self._gate:
            self._refuse_when_closed()
            if self._readers:
                return self._readers.pop()
        with translating(self.path):
            connection = self._connect()
            connection.execute("PRAGMA query_only=ON")
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.rollback()
        with self._gate:
            if not self._closed and len(self._readers) < _IDLE_READERS:
                self._readers.append(connection)
                return
        connection.close()

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable(f"the database {self.path} is closed")

    # The writer

    def _submit(self, job: _Job) -> None:
        with self._gate:
            self._refuse_when_closed()
            self._jobs.put(job)

    def _serve(self) -> None:
        while batch := self._gather():
            self._settle(batch)

    def _gather(self) -> list[_Job]:
        batch: list[_Job] = []
        while len(batch) < _BATCH and not (batch and self._jobs.empty()):
            job = self._jobs.get()
            if job is None:
                self._jobs.put(None)  # the end comes again once this batch is done
                break
            batch.append(job)
        return batch

    def _settle(self, batch: list[_Job]) -> None:
        try:
            outcomes = self._transact(batch)
        except BaseException as error:  # noqa: BLE001  whatever it is, those who wait must hear of it
            outcomes = [_Failed(error) for _ in batch]
        for job, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, _Failed):
                job.done.set_exception(translated(outcome.error, self.path))
            else:
                job.done.set_result(outcome)

    def _transact(self, batch: list[_Job]) -> list[object]:
        connection = self._connection
        self._flush_on_commit(any(job.durable for job in batch))
        connection.execute("BEGIN IMMEDIATE")
        try:
            outcomes = [self._apply(job) for job in batch]
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return outcomes

    def _apply(self, job: _Job) -> object:
        connection = self._connection
        connection.execute("SAVEPOINT job")
        outcome: object
        try:
            outcome = job.run(connection)
        except BaseException as error:
            if not connection.in_transaction:  # a full disk or an I/O error ends the whole transaction
                raise
            connection.execute("ROLLBACK TO job")
            outcome = _Failed(error)
        connection.execute("RELEASE job")
        return outcome

    def _flush_on_commit(self, wanted: bool) -> None:
        level = self._synchronous if wanted or self._synchronous == "OFF" else "NORMAL"
        if level != self._level:
            self._connection.execute(f"PRAGMA synchronous={level}")
            self._level = level


def _log_failure(done: Future[object]) -> None:
    error = done.exception()
    if error is not None:
        _log.warning("a bookkeeping write was lost: %s", error)
