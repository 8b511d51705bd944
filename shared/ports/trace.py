"""What the specialists are doing right now: best effort, for watching, never for truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

LINES_PER_CASE: Final = 2000
"""So many lines of a case are shown."""
LONGEST: Final = 4000
"""Characters of one text of a line."""


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One thing that somebody did; `seq` rises within the case."""

    seq: int
    at: datetime
    lane: str
    what: str
    details: Mapping[str, str | int]


class Trace(Protocol):
    """A place to say what is going on."""

    def say(self, org: str, case_id: str, lane: str, what: str, **details: str | int) -> None:
        """One line of what is happening; must never fail or slow down the caller."""
        ...


class TraceReader(Protocol):
    """Where whoever watches finds what was said."""

    def list(self, org: str, case_id: str, after: int = 0, limit: int = LINES_PER_CASE) -> Sequence[TraceLine]:
        """The lines of a case behind this seq, in order."""
        ...


def abridged(text: str) -> str:
    """A text as a line may carry it: not too long, and storable whatever is in it."""
    return text[:LONGEST].encode("utf-8", "replace").decode("utf-8")
