"""The gate in front of every port: where the baton changes hands, processes die, and answers get lost.

Each call of a port is one operation that happens at one instant. Around it a process may wait, stall or die; before it
the call may fail; after it the acknowledgement may be lost.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from infra.simulation.baton import Baton, Crash
from infra.simulation.journal import Journal
from infra.simulation.weather import Weather
from shared.errors import Retryable
from shared.ports.store import PreconditionFailed

T = TypeVar("T")


def identity(process: int) -> str:
    """The name of a process, as it stands in its leases."""
    return f"process {process}"


_LATENCY_S: Final = 0.012
_STALL_S: Final = (3.0, 240.0)
_NEVER_STALLS: Final = frozenset({"effects.perform"})
"""What happens between the last look at the clock and the call is the network's: it may be slow, but is bounded."""


class Unavailable(Retryable):
    """The store or the queue did not answer; whether it did what was asked is not known."""

    code = "unavailable"


class Gate:
    """One per run. `current` activity passes through it with every port call."""

    def __init__(self, baton: Baton, weather: Weather, journal: Journal) -> None:
        self._baton = baton
        self._weather = weather
        self._journal = journal
        self.dead: set[str] = set()
        """The processes that have died."""

    @property
    def process(self) -> int:
        """The identity of the process that runs; 0 for the world itself."""
        return self._baton.current.serial if self._baton.current is not None else 0

    def call(self, name: str, operation: Callable[[], T]) -> T:
        """Let the current activity make one call of the port method `name`."""
        number = self.enter(name)
        if name.startswith(("store.", "inbox.", "claims.")) and self._weather.strikes("store_unavailable"):
            raise Unavailable(f"{name} was not possible")
        if name == "store.write" and self._weather.strikes("write_conflict"):
            raise PreconditionFailed("aborted by contention")
        if name in _SENDS and self._weather.strikes("send_failed"):
            raise Unavailable(f"{name} was not possible")
        result = operation()
        self.leave(name, number)
        if name == "store.write":
            self._lose_acknowledgement(name)
        return result

    def enter(self, name: str) -> int:
        """Before an operation: its number in the run. Raises Crash."""
        self._journal.names.append(name)
        number = self._journal.port_calls
        if self._weather.crashes(number, after=False):
            self._die()
        wait = self._weather.seconds(_LATENCY_S)
        if name not in _NEVER_STALLS and self._weather.strikes("process_stalled"):
            wait = self._weather.between(*_STALL_S)
        self._baton.sleep(wait)
        return number

    def leave(self, name: str, number: int) -> None:
        """After an operation. Raises Crash."""
        if self._weather.crashes(number, after=True):
            self._die()

    def _die(self) -> None:
        activity = self._baton.current
        assert activity is not None
        activity.dead = True
        self.dead.add(identity(activity.serial))
        self._journal.tell(self._baton.now, f"{activity.name}: its process dies")
        raise Crash

    def _lose_acknowledgement(self, name: str) -> None:
        if self._weather.strikes("acknowledgement_lost"):
            # The client library sends again by itself, and is told that the document is there already.
            raise PreconditionFailed("the write is not possible any more")
        if self._weather.strikes("acknowledgement_lost_with_error"):
            raise Unavailable(f"{name} was not answered")


_SENDS: Final = frozenset({"messages.publish", "tasks.enqueue"})


class Through:
    """A port behind the gate: every method of `inner`, as one call each."""

    def __init__(self, port: str, inner: object, gate: Gate) -> None:
        self._port, self._inner, self._gate = port, inner, gate

    def __getattr__(self, method: str) -> Any:
        operation, name, gate = getattr(self._inner, method), f"{self._port}.{method}", self._gate

        def call(*arguments: Any, **named: Any) -> Any:
            return gate.call(name, partial(operation, *arguments, **named))

        self.__dict__[method] = call
        return call
