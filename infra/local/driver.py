"""Lets a world run as fast as it can: whenever nothing runs, its clock jumps to the next instant of anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Protocol

from infra.local.clock import WorldClock
from shared.errors import ManthanError

NextInstant = Callable[[], datetime | None]


class WorldStuck(ManthanError):
    """A world did not come to its end within the real time it was given; the message says what still ran."""

    code = "world_stuck"


class Runtime(Protocol):
    """Whatever has a world's functions called: see infra.local.runtime.LocalRuntime, the embedded one."""

    def idle(self) -> bool:
        """Whether nothing is ready, leased or running."""
        ...

    def next_due(self) -> datetime | None:
        """The earliest instant at which a delivery that waits is due."""
        ...

    def next_sweep(self) -> datetime | None:
        """When the next sweep runs; None while nothing waits for one."""
        ...

    def moves(self) -> int:
        """A number that grows whenever something has ended."""
        ...

    def wait_for_move(self, seen: int, timeout_s: float) -> bool:
        """Return once `moves` is no longer what was seen. False: that took longer."""
        ...

    def running(self) -> dict[str, int]:
        """What is at work."""
        ...

    def wake(self) -> None:
        """Look again at what is due."""
        ...

    def refresh(self) -> int:
        """Take over what other processes have sent meanwhile. Returns how much that was."""
        ...


def drive_until(
    runtime: Runtime,
    clock: WorldClock,
    *,
    next_instants: Iterable[NextInstant],
    done: Callable[[], bool],
    on_jump: Callable[[datetime], None],
    guard_s: float = 120.0,
) -> bool:
    """Jump from instant to instant until `done` (True), or until nothing is left anywhere (False).

    The instants are the runtime's own (delayed deliveries, sweeps) and those of `next_instants`, e.g. the next scripted
    event. `on_jump` is called with the present instant at the beginning, after each jump and whenever nothing runs: it
    brings about what is scripted up to then. `done` is asked whenever something has ended. Raises WorldStuck after
    `guard_s` real seconds.
    """
    sources = [runtime.next_due, runtime.next_sweep, *next_instants]
    ends_at = time.monotonic() + guard_s
    _bring_about(runtime, clock, on_jump)
    while True:
        if time.monotonic() > ends_at:
            raise WorldStuck(f"after {guard_s:g} s the world has not ended; it is {clock.now().isoformat()} there")
        seen, now = runtime.moves(), clock.now()
        if done():
            return True
        if not runtime.idle():
            if not runtime.wait_for_move(seen, ends_at - time.monotonic()):
                raise WorldStuck(f"after {guard_s:g} s something still runs: {runtime.running() or 'nothing known'}")
            continue
        _bring_about(runtime, clock, on_jump)
        if runtime.moves() != seen or not runtime.idle():
            continue
        instant = _next_after(now, sources)
        if instant is None:
            return False
        clock.jump_to(instant)
        _bring_about(runtime, clock, on_jump)


def _bring_about(runtime: Runtime, clock: WorldClock, on_jump: Callable[[datetime], None]) -> None:
    on_jump(clock.now())
    runtime.wake()


def _next_after(now: datetime, sources: Iterable[NextInstant]) -> datetime | None:
    """The earliest instant still to come. One that has passed waits for nothing that a jump could bring."""
    instants = (source() for source in sources)
    return min((instant for instant in instants if instant is not None and instant > now), default=None)
