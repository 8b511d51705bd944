"""The embedded queue: what Pub/Sub and Cloud Tasks promise, in one process's memory with a durable copy beside it.

At least once, in no promised order. The memory is what is delivered from; the file (infra.local.journal) is what
survives the process. One process at a time delivers a row: the one that owns it. Another adopts it when its owner has
let go or is provably dead. A process that delivers nothing, such as a command that ends at once, leaves its rows to
whoever adopts them.

A delivery under way is leased: nobody else gets it until it is settled or its attempt deadline has passed, measured on
the monotonic clock, so that no jump of the calendar ends it. What is answered after that is ignored.
"""

from __future__ import annotations

import heapq
import itertools
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from infra.local import queue_rows
from infra.local.journal import Journal
from infra.local.processes import this_process
from infra.local.queue_rows import DDL, TOMBSTONE, DeadLetter, LaneCounts
from infra.local.queued import DEAD_LETTER, TIMED_OUT, Kind, Queued

if TYPE_CHECKING:  # the database creates our tables, so it imports us
    from infra.local.database import Database
    from shared.ports.clock import Clock

__all__ = ["DDL", "DurableQueue", "Lease", "Listener"]

Listener = Callable[[str, datetime], None]
"""Called with the lane and the instant something of it is due, after it was put there; holds no lock of ours."""

_Entry = tuple[datetime, int, Queued]
"""Due, id, and what is due: the order of a lane."""

_IDS_PER_START: Final = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class Lease:
    """One attempt under way. `ends`: when it is given up, on the monotonic clock."""

    queued: Queued
    ends: float


class DurableQueue:
    """Every topic and queue of one database file. Thread-safe; has no thread of its own."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.clock = clock
        self._database = database
        self._journal = Journal(database)
        self._owner: str | None = None
        self._listener: Listener | None = None
        self._lock = threading.Lock()
        self._waiting: dict[str, list[_Entry]] = {}
        self._leases: dict[int, Lease] = {}
        self._names: dict[tuple[str, str], datetime | None] = {}
        self._tombstones: deque[tuple[datetime, tuple[str, str]]] = deque()
        self._paused = database.read(queue_rows.paused)
        self._ids = itertools.count(secrets.randbits(38) * _IDS_PER_START)

    def new_id(self) -> int:
        """An id that no other row has, in this process or another."""
        return next(self._ids)

    # Enqueuing

    def enqueue(self, queued: Queued) -> bool:
        """Take a message or task and have it delivered. False: a task of this name waits, or did within 24 hours.

        Raises Retryable when the database is closed.
        """
        key = (queued.lane, queued.name)
        if queued.name and not self._reserve(key):
            return False
        try:
            self._journal_keep(queued, fresh=True)
        except BaseException:
            with self._lock:
                self._names.pop(key, None)
            raise
        self._remember([queued])
        return True

    def _reserve(self, key: tuple[str, str]) -> bool:
        now = self.clock.now()
        with self._lock:
            self._drop_expired_names(now)
            if key in self._names:
                return False
            self._names[key] = None
        try:
            taken = self._database.read(lambda connection: queue_rows.name_is_taken(connection, *key, now))
        except BaseException:
            with self._lock:
                del self._names[key]
            raise
        if taken:
            with self._lock:
                del self._names[key]
        return not taken

    def _drop_expired_names(self, now: datetime) -> None:
        while self._tombstones and self._tombstones[0][0] + TOMBSTONE <= now:
            _, key = self._tombstones.popleft()
            self._names.pop(key, None)

    def _journal_keep(self, queued: Queued, *, fresh: bool = False) -> None:
        if queued.kind is not Kind.JOB:
            self._journal.keep(queued, self._owner, fresh=fresh)

    def _remember(self, rows: Iterable[Queued]) -> None:
        if self._owner is None:
            return
        known = list(rows)
        with self._lock:
            for queued in known:
                entry = (queued.due_at, queued.id, queued)
                heapq.heappush(self._waiting.setdefault(queued.lane, []), entry)
        for queued in known:
            if self._listener is not None:
                self._listener(queued.lane, queued.due_at)

    # Delivering

    def take(self, lane: str) -> Lease | None:
        """Lease the delivery of this lane that has been due longest. None: nothing is due, or the lane is paused."""
        now = self.clock.now()
        with self._lock:
            waiting = self._waiting.get(lane)
            if not waiting or waiting[0][0] > now or lane in self._paused:
                return None
            _, _, queued = heapq.heappop(waiting)
            started = queued.started(now)
            lease = Lease(started, self.clock.monotonic() + started.deadline_s)
            self._leases[started.id] = lease
        self._journal_keep(started)
        return lease

    def acknowledge(self, lease: Lease) -> bool:
        """It is done. False: the answer came too late, another attempt decides."""
        if not self._end(lease):
            return False
        self._finish(lease.queued, self.clock.now())
        return True

    def fail(self, lease: Lease, status: int, retry_after_s: float = 0.0) -> bool:
        """It was answered with this status: try again after the back-off, or give up. False: it came too late."""
        if not self._end(lease):
            return False
        now = self.clock.now()
        failed = lease.queued.failed(status, now, retry_after_s)
        if not failed.is_exhausted(now):
            self._journal_keep(failed)
            self._remember([failed])
        else:
            if failed.kind is not Kind.JOB:
                self._journal.bury(failed, f"{failed.attempts} attempts, the last one answered with {status}", now)
            self._finish(failed, now)
            if failed.kind is Kind.MESSAGE and failed.lane != DEAD_LETTER:
                self.enqueue(failed.dead_lettered(self.new_id(), now))
        return True

    def time_out(self) -> list[Lease]:
        """End the leases whose attempt deadline has passed: they are retried while the old attempt may still run."""
        monotonic = self.clock.monotonic()
        with self._lock:
            late = [lease for lease in self._leases.values() if lease.ends <= monotonic]
        return [lease for lease in late if self.fail(lease, TIMED_OUT)]

    def _end(self, lease: Lease) -> bool:
        with self._lock:
            if self._leases.get(lease.queued.id) is not lease:
                return False
            del self._leases[lease.queued.id]
            return True

    def _finish(self, queued: Queued, now: datetime) -> None:
        if queued.kind is Kind.MESSAGE:
            self._journal.forget(queued)
        elif queued.kind is Kind.TASK:
            self._journal_keep(queued.gone(now))
            with self._lock:
                key = (queued.lane, queued.name)
                self._names[key] = now
                self._tombstones.append((now, key))

    # What waits

    def next_due(self, lanes: Iterable[str]) -> datetime | None:
        """The earliest instant at which something waiting on these lanes is due, also if it has passed."""
        with self._lock:
            waiting = (self._waiting.get(lane) for lane in lanes if lane not in self._paused)
            return min((entries[0][0] for entries in waiting if entries), default=None)

    def next_deadline(self) -> float | None:
        """When the first lease ends, on the monotonic clock."""
        with self._lock:
            return min((lease.ends for lease in self._leases.values()), default=None)

    # Operating

    def serve(self, listener: Listener) -> None:
        """Deliver from now on: adopt what nobody alive will deliver, and tell the listener of all that waits."""
        self._listener = listener
        self._owner = this_process()
        self.recover()

    def recover(self) -> int:
        """Adopt what was left by processes that ended or died, see what others paused, and forget old names.

        Returns how many deliveries were adopted. Does nothing before `serve`.
        """
        owner, now = self._owner, self.clock.now()
        if owner is None:
            return 0
        self._journal.flush()
        self._paused = self._database.read(queue_rows.paused)
        self._database.write_soon(lambda connection: queue_rows.purge(connection, now))
        if not self._database.read(queue_rows.orphaned):
            return 0
        adopted = self._database.write(lambda connection: queue_rows.adopt(connection, owner, now))
        self._remember(adopted)
        return len(adopted)

    def release(self) -> None:
        """Deliver no more: whatever waits is left to whoever adopts it. Attempts still under way are ignored."""
        owner, self._owner, self._listener = self._owner, None, None
        with self._lock:
            self._waiting.clear()
            self._leases.clear()
            self._names.clear()
            self._tombstones.clear()
        if owner is not None:
            self._journal.flush()
            self._database.write(lambda connection: queue_rows.release(connection, owner), durable=False)

    def pause(self, lane: str) -> None:
        """Deliver nothing of this topic or queue until it is resumed; what is under way goes on. Survives a restart."""
        self._set_paused(lane, True)

    def resume(self, lane: str) -> None:
        """Deliver it again."""
        self._set_paused(lane, False)
        if self._listener is not None:
            self._listener(lane, self.clock.now())

    def paused(self) -> frozenset[str]:
        """The topics and queues that are paused."""
        return frozenset(self._paused)

    def _set_paused(self, lane: str, paused: bool) -> None:
        self._database.write(lambda connection: queue_rows.set_paused(connection, lane, paused))
        self._paused = self._database.read(queue_rows.paused)

    def counts(self) -> dict[str, LaneCounts]:
        """What every topic and queue of the file holds, of all processes, by name."""
        self._journal.flush()
        return self._database.read(lambda connection: queue_rows.count(connection, self.clock.now()))

    def dead_letters(self, limit: int = 100) -> list[DeadLetter]:
        """Messages and tasks that were given up, the latest first."""
        self._journal.flush()
        return self._database.read(lambda connection: queue_rows.dead_letters(connection, limit))
