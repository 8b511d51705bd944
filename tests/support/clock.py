"""A clock that stands still until it is told otherwise."""

from __future__ import annotations

from datetime import datetime, timedelta

from tests.contract.factories import START


class StillClock:
    """Shows one instant."""

    def __init__(self, instant: datetime = START) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant

    def monotonic(self) -> float:
        return 0.0

    def pause(self, seconds: float) -> None:
        self.instant += timedelta(seconds=seconds)
