"""What the specialists are doing right now, on Firestore: best effort, bounded, never in anybody's way.

Lines are gathered and written by a thread of their own, several to a document: a step never waits for its trace, and a
burst of lines costs one write. What is still in memory when a process is killed is lost; `close` writes it.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from infra.google.documents import Documents
from infra.google.faults import Absent, FirestoreUnavailable, Stale
from infra.google.layout import TRACE, TTL_FIELD, Path, case_path
from shared.case.canonical import short_hash
from shared.errors import ManthanError
from shared.ports import Clock
from shared.ports.trace import LINES_PER_CASE, LONGEST, TraceLine, abridged

KEPT_FOR: Final = timedelta(days=30)
GATHERED_FOR_S: Final = 0.25
"""So long lines are gathered before they are written together."""
_WAITING_AT_MOST: Final = 1000
_LINES_PER_DOCUMENT: Final = 20
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class _Said:
    path: Path
    """The case that it was said of."""
    line: dict[str, Any]
    at: datetime


class FirestoreTrace:
    """The trace on Firestore; implements shared.ports.trace.Trace and TraceReader."""

    def __init__(self, documents: Documents, clock: Clock, process: str) -> None:
        self._documents = documents
        self._clock = clock
        self._process = short_hash(process, length=8)
        self._waiting: deque[_Said] = deque(maxlen=_WAITING_AT_MOST)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._said = threading.Event()
        self._closed = threading.Event()
        self._writer: threading.Thread | None = None
        self._last = 0

    def say(self, org: str, case_id: str, lane: str, what: str, **details: str | int) -> None:
        """One line of what is happening. The oldest are dropped when the writer is far behind."""
        now = self._clock.now()
        line = {
            "seq": self._next(now),
            "at": now.isoformat(),
            "lane": abridged(lane),
            "what": abridged(what),
            "details": {
                name: value if isinstance(value, int) else abridged(value[:LONGEST]) for name, value in details.items()
            },
        }
        with suppress(ManthanError):  # an id that cannot be one has no trace
            self._waiting.append(_Said(case_path(org, case_id), line, now))
            self._start()
            self._said.set()

    def list(self, org: str, case_id: str, after: int = 0, limit: int = LINES_PER_CASE) -> Sequence[TraceLine]:
        """The lines of a case behind this seq, in order."""
        found = self._documents.find(TRACE, case_path(org, case_id), limit=LINES_PER_CASE)
        lines = [line for document in found for line in json.loads(document.fields["lines"])]
        shown = sorted((line for line in lines if line["seq"] > after), key=lambda line: int(line["seq"]))
        return tuple(
            TraceLine(line["seq"], datetime.fromisoformat(line["at"]), line["lane"], line["what"], line["details"])
            for line in shown[:limit]
        )

    def flush(self) -> None:
        """Write what has been said so far, and return once it can be read. What cannot be written is dropped."""
        with self._writing:
            waiting = [self._waiting.popleft() for _ in range(len(self._waiting))]
            waiting.sort(key=lambda said: said.path)
            for path, said in groupby(waiting, key=lambda said: said.path):
                self._write(path, list(said))

    def close(self) -> None:
        """Write what is left and end the writer."""
        self._closed.set()
        self._said.set()
        if self._writer is not None:
            self._writer.join()
        self.flush()

    def _next(self, now: datetime) -> int:
        """A number that rises: microseconds since 1970, or one more than the last."""
        with self._lock:
            self._last = max(self._last + 1, int(now.timestamp()) * 1_000_000 + now.microsecond)
            return self._last

    def _start(self) -> None:
        with self._lock:
            if self._writer is None and not self._closed.is_set():
                self._writer = threading.Thread(target=self._write_on, name="trace", daemon=True)
                self._writer.start()

    def _write_on(self) -> None:
        while not self._closed.is_set():
            self._said.wait()
            self._said.clear()
            self._closed.wait(GATHERED_FOR_S)
            self.flush()

    def _write(self, path: Path, said: Sequence[_Said]) -> None:
        batch = self._documents.batch()
        for piece in _pieces(said):
            first = piece[0]
            fields = {"lines": json.dumps([item.line for item in piece]), TTL_FIELD: first.at + KEPT_FOR}
            batch.create((*path, "trace", f"{first.line['seq']:020d}-{self._process}"), fields)
        with suppress(Stale, Absent, FirestoreUnavailable):  # best effort: nobody waits for it, nothing rests on it
            self._documents.commit(batch)


def _pieces(said: Sequence[_Said]) -> Iterable[Sequence[_Said]]:
    return (said[start : start + _LINES_PER_DOCUMENT] for start in range(0, len(said), _LINES_PER_DOCUMENT))
