"""What the specialists are doing right now: best effort, for watching, never for truth."""

from __future__ import annotations

from typing import Protocol


class Trace(Protocol):
    """A place to say what is going on."""

    def say(self, org: str, case_id: str, lane: str, what: str, **details: str | int) -> None:
        """One line of what is happening; must never fail or slow down the caller."""
        ...
