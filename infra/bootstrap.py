"""The composition root: settings to ports. The only place that chooses what stands behind them.

Every function asks for its own ports by name and is given no more than it needs: only `specialist` can read the
connected systems, only `act` holds the effects with their write credentials.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from shared.steps.context import Ports
from shared.steps.intake import Endpoint


class Composition(Protocol):
    """One way to stand the ports up: the embedded default, a cloud, a test's own."""

    def ports(self, function: str) -> Ports:
        """The ports of one function."""
        ...

    def endpoint(self, path: str) -> Endpoint:
        """The webhook endpoint at this path. Raises NotFound."""
        ...


_composition: ContextVar[Composition | None] = ContextVar("composition", default=None)
_from_settings: list[Composition] = []
_lock = threading.Lock()


@contextmanager
def composed_as(composition: Composition) -> Iterator[None]:
    """Function modules loaded inside use this composition, instead of the one that settings describe."""
    token = _composition.set(composition)
    try:
        yield
    finally:
        _composition.reset(token)


def ports_of(function: str) -> Callable[[], Ports]:
    """The function's ports, built at the first request: a cold start pays only for what it uses."""
    chosen = _composition.get()
    built: list[Ports] = []

    def ports() -> Ports:
        if not built:
            built.append((chosen or _settings_composition()).ports(function))
        return built[0]

    return ports


def endpoints() -> Callable[[str], Endpoint]:
    """How the webhook finds the endpoint that a request's path names."""
    chosen = _composition.get()

    def endpoint(path: str) -> Endpoint:
        return (chosen or _settings_composition()).endpoint(path)

    return endpoint


def _settings_composition() -> Composition:
    with _lock:
        if not _from_settings:
            # Imported here: a deployed function must not load what its bundle does not carry.
            from infra.local.composition import from_environment

            _from_settings.append(from_environment())
        return _from_settings[0]
