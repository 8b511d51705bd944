"""What a piece of work costs at Google: counted by the adapters where the calls are made, as Google bills them."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Literal

Operation = Literal["calls", "reads", "writes", "deletes"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts since the meter's start. A query that finds nothing is one read; a call is one request."""

    calls: int
    reads: int
    writes: int
    deletes: int

    def __sub__(self, earlier: Usage) -> Usage:
        """What was used since an earlier reading."""
        return Usage(
            self.calls - earlier.calls,
            self.reads - earlier.reads,
            self.writes - earlier.writes,
            self.deletes - earlier.deletes,
        )


class Meter:
    """Counts Firestore's operations by collection, and the other services' calls by name; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, Operation]] = Counter()
        self._sent: Counter[str] = Counter()

    def count(self, collection: str, operation: Operation, number: int = 1) -> None:
        """So many operations on documents of this collection. A call counts for the first of its collections."""
        with self._lock:
            self._counts[collection, operation] += number

    def sent(self, call: str) -> None:
        """One call of another service, e.g. `pubsub.publish` or `tasks.create`."""
        with self._lock:
            self._sent[call] += 1

    def usage(self, *, without: tuple[str, ...] = ("trace",)) -> Usage:
        """The sum over all collections but these; the trace is for watching and is usually left out."""
        with self._lock:
            counts = [(key, number) for key, number in self._counts.items() if key[0] not in without]

        def total(operation: Operation) -> int:
            return sum(number for (_, counted), number in counts if counted == operation)

        return Usage(total("calls"), total("reads"), total("writes"), total("deletes"))

    def by_collection(self) -> dict[str, dict[Operation, int]]:
        """Every count, by collection and operation."""
        with self._lock:
            found: dict[str, dict[Operation, int]] = {}
            for (collection, operation), number in sorted(self._counts.items()):
                found.setdefault(collection, {})[operation] = number
            return found

    def by_call(self) -> dict[str, int]:
        """The calls of other services, by name."""
        with self._lock:
            return dict(self._sent)
