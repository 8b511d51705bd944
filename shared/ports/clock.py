"""Time and chance, injected: the core has no clock and no randomness of its own."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The one clock."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards or jump; for leases and budgets of a running call."""
        ...

    def pause(self, seconds: float) -> None:
        """Wait a moment, e.g. between two attempts of compare-and-set."""
        ...


class Entropy(Protocol):
    """The one source of chance."""

    def token(self) -> str:
        """A fresh unguessable id."""
        ...

    def jitter(self) -> float:
        """A number in [0, 1)."""
        ...
