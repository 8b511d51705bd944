"""What is measured: something that settles cases, and says what it left on the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.errors import ManthanError


class BenchFailed(ManthanError):
    """A run did not do what it measures: cases were not settled, or not in time. Its numbers mean nothing."""

    code = "bench_failed"


@dataclass(slots=True)
class Traffic:
    """What reached the database: statements that write, transactions, and those of them that waited for the disk."""

    writes: int = 0
    transactions: int = 0
    flushed: int = 0


class Contender(Protocol):
    """Settles numbered cases; each number once. Safe to call from one thread."""

    def be_busy(self, seconds: float) -> None:
        """How long every specialist takes from now on."""
        ...

    def prepare(self, numbers: Sequence[int]) -> Callable[[], None]:
        """Make what arrives from outside, and return the work: it ends once every case is settled, durably.

        The work raises BenchFailed when a case is not.
        """
        ...

    def resolved(self) -> int:
        """How many of its cases are resolved, as the database says."""
        ...

    def size(self) -> int:
        """Bytes of the database file once its log is checkpointed."""
        ...

    def count_traffic(self, work: Callable[[], None]) -> Traffic:
        """Do the work and count what reached the database; counting slows the work down."""
        ...
