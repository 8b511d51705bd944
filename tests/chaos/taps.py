"""Every call of a port, counted by name, with a place to intervene right before and right after it."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from shared.case.actions import Action
from shared.steps.context import Ports

TAPPED = ("store", "inbox", "claims", "messages", "tasks", "directory", "switch", "trace", "workers")
"""What every function is given; sources and effects are tapped where a function is given them."""


class Tap(Protocol):
    """What happens around a call of a port."""

    def call(self, name: str, run: Callable[[], Any]) -> Any:
        """Make the call, or do something else."""
        ...


class Tapped:
    """A port whose every method goes through a tap under the name `port.method`."""

    def __init__(self, port: str, inner: Any, tap: Tap) -> None:
        self._port, self._inner, self._tap = port, inner, tap

    def __getattr__(self, method: str) -> Any:
        target = getattr(self._inner, method)
        if not callable(target):
            return target
        return lambda *args, **kwargs: self._tap.call(self._name(method, args), lambda: target(*args, **kwargs))

    def _name(self, method: str, args: tuple[Any, ...]) -> str:
        name = f"{self._port}.{method}"
        return f"{name}:{args[0].kind.value}" if args and isinstance(args[0], Action) else name


def tapped(ports: Ports, function: str, tap: Tap) -> Ports:
    """The function's ports, each behind the tap."""
    behind: dict[str, Any] = {name: Tapped(name, getattr(ports, name), tap) for name in TAPPED}
    open_sources = ports.sources
    if open_sources is not None:
        behind["sources"] = lambda org: Tapped("sources", open_sources(org), tap)
    if ports.effects is not None:
        behind["effects"] = Tapped("effects", ports.effects, tap)
    return replace(ports, **behind)


class Count:
    """A tap that only counts: what one undisturbed life consists of, in order."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.names: list[str] = []

    def call(self, name: str, run: Callable[[], Any]) -> Any:
        with self._lock:
            self.names.append(name)
        return run()


@dataclass(frozen=True, slots=True)
class Point:
    """A moment of a life: right before or right after the nth call of this port (None: of any)."""

    name: str | None
    nth: int
    after: bool

    def told(self, name: str) -> str:
        """In words."""
        return f"{'after' if self.after else 'before'} {name}"


class Death:
    """A tap that ends its own process with SIGKILL at one point, and says so in `obituary` just before."""

    def __init__(self, point: Point | None, obituary: Path) -> None:
        self._point, self._obituary = point, obituary
        self._lock = threading.Lock()
        self._calls: Counter[str | None] = Counter()

    def call(self, name: str, run: Callable[[], Any]) -> Any:
        fatal = self._is_fatal(name)
        if fatal and not self._after:
            self._die(name)
        result = run()
        if fatal:
            self._die(name)
        return result

    @property
    def _after(self) -> bool:
        return self._point is not None and self._point.after

    def _is_fatal(self, name: str) -> bool:
        point = self._point
        if point is None or point.name not in (None, name):
            return False
        with self._lock:
            self._calls[point.name] += 1
            return self._calls[point.name] == point.nth

    def _die(self, name: str) -> None:
        assert self._point is not None
        self._obituary.write_text(self._point.told(name))
        os.kill(os.getpid(), signal.SIGKILL)
