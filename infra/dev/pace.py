"""How the world's time goes in a running dev: with ours, and faster or in jumps only while nothing runs.

Time never runs fast for work under way: its leases and deadlines are counted in the world's time, and its seconds are
ours.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import Final

from infra.fakes.stripe.process import DoubleFailed
from infra.local.driver import WorldStuck
from infra.stage import Stage
from shared.case.lifecycle import WAITING_FOR_PEOPLE

_LONGEST_BEAT_S: Final = 1.0
"""Whoever wants to stop dev, or has changed something, waits no longer."""


@dataclass(frozen=True, slots=True)
class Pace:
    """While nothing runs, time goes `speed` times as fast as ours; with `jumps` it goes at once to whatever comes next
    while a case waits for that: not while people are asked or have stopped effects, and not before there is a case, for
    all that would be let expire."""

    speed: float = 1.0
    jumps: bool = False


class Beats:
    """Moves a stage's time on, a beat at a time. `stopping`: whether it should end now."""

    def __init__(self, stage: Stage, pace: Pace, stopping: Callable[[], bool]) -> None:
        self._stage = stage
        self._pace = pace
        self._stopping = stopping
        self._last = monotonic()

    def beat(self) -> None:
        """Bring Stripe to the present, and time to where it belongs. Raises DoubleFailed when Stripe is gone."""
        since, self._last = self._last, monotonic()
        jumps = self._pace.jumps and self._the_world_is_waited_for()
        ahead = timedelta(seconds=(self._last - since) * (self._pace.speed - 1))
        try:
            with suppress(WorldStuck):  # more is left than fits in a beat: the next one goes on
                self._stage.run(
                    lambda: self._holds(jumps),
                    until=None if jumps else self._stage.clock.now() + ahead,
                    guard_s=_LONGEST_BEAT_S,
                )
        except ConnectionError as error:
            raise DoubleFailed(f"it no longer answers ({error.strerror or type(error).__name__})") from None

    def _holds(self, jumps: bool) -> bool:
        """Whether time must not be moved any further."""
        if self._stopping() or not self._stage.runtime.idle():
            return True
        return jumps and not self._the_world_is_waited_for()

    def _the_world_is_waited_for(self) -> bool:
        if self._stage.ports.switch.effects_stopped(self._stage.world.org.id):
            return False
        waiting = [case for case in self._stage.cases() if not case.terminal]
        return bool(waiting) and not any(case.state in WAITING_FOR_PEOPLE for case in waiting)
