"""The composition root: settings to ports. The only place that chooses what stands behind them.

Every function asks for its own ports by name and is given no more than it needs: only `specialist` can read the
connected systems, only `act` holds the effects with their write credentials.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from shared.steps.context import Ports
from shared.steps.intake import Endpoint

if TYPE_CHECKING:
    from infra.settings import Settings


class Composition(Protocol):
    """One way to stand the ports up: the embedded default, a cloud, a test's own."""

    def ports(self, function: str) -> Ports:
        """The ports of one function."""
        ...

    def endpoint(self, path: str) -> Endpoint:
        """The webhook endpoint at this path. Raises NotFound."""
        ...


_composition: ContextVar[Composition | None] = ContextVar("composition", default=None)
_settings: list[Settings] = []
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
    """The function's ports, built at the first request: a cold start pays only for what it uses.

    Raises InvalidInput at once for a deployed function whose settings it cannot run with.
    """
    chosen = _composition.get()
    if chosen is None and os.environ.get("MANTHAN_RUNTIME") == "google":
        _own_settings().check(function)
    built: list[Ports] = []
    building = threading.Lock()

    def ports() -> Ports:
        with building:
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


def from_settings(settings: Settings) -> Composition:
    """The composition that these settings describe."""
    # Imported here: a deployed function must not load what its bundle does not carry.
    from infra.telemetry import watch

    telemetry = watch(
        traces=settings.traces,
        json_logs=settings.logs == "json",
        project=settings.project,
        service=os.environ.get("K_SERVICE") or "manthan",  # as Cloud Run calls it
    )
    if settings.runtime == "google":
        from infra.google.composition import GoogleComposition

        return GoogleComposition(settings, telemetry=telemetry)
    from infra.local.composition import LocalComposition, LocalSettings

    return LocalComposition(LocalSettings.of(settings), telemetry=telemetry)


def _settings_composition() -> Composition:
    settings = _own_settings()
    with _lock:
        if not _from_settings:
            _from_settings.append(from_settings(settings))
        return _from_settings[0]


def _own_settings() -> Settings:
    """The settings of this process. Raises InvalidInput, and Retryable while a secret cannot be read."""
    from infra.settings import load

    with _lock:
        if not _settings:
            _settings.append(load())
        return _settings[0]
