"""The floor: bare SQLite transactions that write what a case needs, as a careful person would write them by hand.

Per case there is one transaction per durable step, twelve in all, each flushed before the next begins: the inbox entry;
triage; five reports; the join; the brief; the policy check; the intent and the outcome of the action. Each writes the
same documents as the pipeline: chained events, the case, reports with their rows, the inbox entry, the episode.

Every step reads the case it changes and compares its version when writing, because a step may have been done by a
process that is gone; the join reads the reports. Nothing is queued, delivered, retried, leased, verified, validated or
authorised, and no request is parsed: that is what the pipeline is paid for.

One connection per thread, `synchronous=FULL` in WAL mode, and one lock around the transactions, so that nobody sleeps
in SQLite's busy handler. Four cases are under way at once; fewer or more were not faster.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from infra.bench import byhand
from infra.bench.byhand import Document, dumps
from infra.bench.contender import BenchFailed, Traffic
from infra.bench.counting import TrafficCounter, file_size
from infra.bench.workload import NAMES, dispute_event

_WORKERS: Final = 4
"""Cases under way at once."""

_TABLES: Final = """
CREATE TABLE inbox (id TEXT PRIMARY KEY, received_at TEXT, body TEXT, status TEXT, case_id TEXT) STRICT;
CREATE TABLE cases (id TEXT PRIMARY KEY, version INTEGER, state TEXT, head TEXT, body TEXT) STRICT;
CREATE TABLE commits (
    case_id TEXT, first_seq INTEGER, commit_id TEXT, entries TEXT, hashes TEXT, PRIMARY KEY (case_id, first_seq)
) STRICT;
CREATE TABLE reports (case_id TEXT, specialist TEXT, body TEXT, PRIMARY KEY (case_id, specialist)) STRICT;
CREATE TABLE texts (case_id TEXT, sha256 TEXT, body TEXT, PRIMARY KEY (case_id, sha256)) STRICT;
CREATE TABLE episodes (case_id TEXT PRIMARY KEY, customer TEXT, decided_at TEXT, rationale TEXT) STRICT;
"""


class Floor:
    """A database of its own in one folder; a context manager that closes it. Implements Contender."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "floor.db"
        self._busy_s = 0.0
        self._writing = threading.Lock()
        self._own = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._counter: TrafficCounter | None = None

    def __enter__(self) -> Self:
        self._connection().executescript(_TABLES)
        self._cases = ThreadPoolExecutor(_WORKERS, thread_name_prefix="case")
        self._specialists = ThreadPoolExecutor(_WORKERS * len(NAMES), thread_name_prefix="specialist")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._cases.shutdown()
        self._specialists.shutdown()
        for connection in self._connections:
            connection.close()

    def be_busy(self, seconds: float) -> None:
        """How long every specialist takes from now on."""
        self._busy_s = seconds

    def prepare(self, numbers: Sequence[int]) -> Callable[[], None]:
        """Write the events down, and return what settles their cases."""
        bodies = [json.dumps(dispute_event(number), indent=2) for number in numbers]

        def work() -> None:
            for _ in self._cases.map(self._settle, bodies):
                pass

        return work

    def size(self) -> int:
        """Bytes of the database file once its log is checkpointed."""
        return file_size(self._connection())

    def connections(self) -> Sequence[sqlite3.Connection]:
        """The connections opened so far, one per thread that has worked."""
        return tuple(self._connections)

    def count_traffic(self, work: Callable[[], None]) -> Traffic:
        """Listen to every connection meanwhile."""
        counter = TrafficCounter()
        self._listen(counter)
        work()
        self._listen(None)
        return counter.traffic

    def _listen(self, counter: TrafficCounter | None) -> None:
        self._counter = counter
        for connection in self._connections:
            connection.set_trace_callback(counter)

    def resolved(self) -> int:
        """How many cases are resolved."""
        found = self._connection().execute("SELECT count(*) FROM cases WHERE state = 'resolved'").fetchone()
        return int(found[0])

    # One case

    def _settle(self, body: str) -> None:
        event = json.loads(body)
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO inbox VALUES (?, ?, ?, 'received', NULL)", (event["id"], byhand.now_text(), body)
            )
        case, events = byhand.triage(event)
        self._open(case, events, event["id"])
        list(self._specialists.map(self._investigate, [case["id"]] * len(NAMES), NAMES))
        self._change(case["id"], self._join)
        texts: dict[str, str] = {}
        self._change(case["id"], lambda case: byhand.synthesize(case, texts), texts)
        self._change(case["id"], byhand.policy_check)
        self._change(case["id"], lambda case: byhand.intend(case, uuid.uuid4().hex))
        self._change(case["id"], byhand.conclude)

    def _open(self, case: Document, events: list[Document], event_id: str) -> None:
        commit_id = uuid.uuid4().hex
        entries, hashes = byhand.chained(case, events, byhand.genesis(case["id"]), commit_id)
        row = (case["id"], case["state"], hashes[-1], dumps(case))
        with self._transaction() as connection:
            connection.execute("INSERT INTO cases VALUES (?, 1, ?, ?, ?)", row)
            self._log(connection, case, commit_id, entries, hashes)
            connection.execute("UPDATE inbox SET status = 'attached', case_id = ? WHERE id = ?", (case["id"], event_id))

    def _investigate(self, case_id: str, specialist: str) -> None:
        if self._busy_s:
            time.sleep(self._busy_s)  # the same work as in the pipeline
        body = dumps(byhand.report(specialist))
        with self._transaction() as connection:
            connection.execute("INSERT INTO reports VALUES (?, ?, ?)", (case_id, specialist, body))

    def _join(self, case: Document) -> list[Document]:
        statement = "SELECT body FROM reports WHERE case_id = ? ORDER BY specialist"
        found = self._connection().execute(statement, (case["id"],)).fetchall()
        return byhand.join(case, [json.loads(body) for (body,) in found])

    def _change(
        self, case_id: str, step: Callable[[Document], list[Document]], texts: Mapping[str, str] | None = None
    ) -> None:
        """One step and, with it, the texts that its events refer to."""
        statement = "SELECT version, head, body FROM cases WHERE id = ?"
        version, head, body = self._connection().execute(statement, (case_id,)).fetchone()
        case = json.loads(body)
        events, commit_id = step(case), uuid.uuid4().hex
        entries, hashes = byhand.chained(case, events, head, commit_id)
        row = (case["state"], hashes[-1], dumps(case), case_id, version)
        with self._transaction() as connection:
            changed = connection.execute(
                "UPDATE cases SET version = version + 1, state = ?, head = ?, body = ? WHERE id = ? AND version = ?",
                row,
            )
            if changed.rowcount != 1:
                raise BenchFailed(f"case {case_id} of the floor was changed by somebody else")
            self._log(connection, case, commit_id, entries, hashes)
            if texts:
                rows = [(case_id, digest, text) for digest, text in texts.items()]
                connection.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)
            if case["state"] == "resolved":
                episode = (
                    case_id,
                    case["facts"]["customer.id"],
                    case["updated_at"],
                    case["brief"]["decision"]["rationale"],
                )
                connection.execute("INSERT INTO episodes VALUES (?, ?, ?, ?)", episode)

    def _log(
        self, connection: sqlite3.Connection, case: Document, commit_id: str, entries: list[str], hashes: list[str]
    ) -> None:
        row = (case["id"], case["events"] - len(entries), commit_id, dumps(entries), dumps(hashes))
        connection.execute("INSERT INTO commits VALUES (?, ?, ?, ?, ?)", row)

    # Transactions

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        with self._writing:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if found is None:
            found = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, cached_statements=256)
            found.execute("PRAGMA journal_mode=WAL")
            found.execute("PRAGMA synchronous=FULL")
            found.set_trace_callback(self._counter)
            self._own.connection = found
            self._connections.append(found)
        return found
