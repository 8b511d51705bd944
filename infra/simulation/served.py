"""The functions' own apps, loaded once per process, serving whichever run is going on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from infra.local.apps import load_apps
from infra.local.carriers import in_process
from infra.local.composition import WEBHOOK_PATH
from infra.local.delivery import Deliver, DeliveryRequest, DeliveryResponse
from infra.simulation.courier import SECRET
from shared.errors import NotFound
from shared.steps.context import Ports
from shared.steps.intake import Endpoint


class _Late:
    """Something of the run that is going on when it is used."""

    def __init__(self, find: Callable[[], object]) -> None:
        self._find = find

    def __getattr__(self, name: str) -> Any:
        return getattr(self._find(), name)


class Board:
    """The composition that every app was loaded with: it knows the ports of the present run."""

    def __init__(self) -> None:
        self._ports: Ports | None = None
        self._deliver: Deliver | None = None

    @property
    def ports(self) -> Ports:
        """The ports of the present run."""
        assert self._ports is not None, "no run is going on"
        return self._ports

    def of_run(self, ports: Ports) -> None:
        """From now on the functions serve this run."""
        self._ports = ports

    def endpoint(self, path: str) -> Endpoint:
        """The one webhook endpoint. Raises NotFound."""
        if path != "/":
            raise NotFound(f"there is no endpoint at {path}")
        return Endpoint(WEBHOOK_PATH, {"current": SECRET})

    def deliver(self, function: str, request: DeliveryRequest) -> DeliveryResponse:
        """Carry a request to a function, as the embedded runtime does."""
        if self._deliver is None:
            self._deliver = in_process(load_apps(_Composition(self)))
        return self._deliver(function, request)


class _Composition:
    """What the function modules see of the board."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def ports(self, function: str) -> Ports:
        """Ports that lead to the present run."""
        board = self._board
        late: dict[str, Any] = {name: _Late(partial(_port, board, name)) for name in _LATE}
        playbook: Any = _Late(lambda: board.ports.playbook(PLAYBOOK))
        return Ports(**late, playbooks={PLAYBOOK: playbook}, sources=lambda org: board.ports.sources_of(org))

    def endpoint(self, path: str) -> Endpoint:
        """The one webhook endpoint."""
        return self._board.endpoint(path)


def _port(board: Board, name: str) -> object:
    return getattr(board.ports, name)


PLAYBOOK: Final = "disputes"
_LATE: Final = (
    *("store", "inbox", "claims", "messages", "tasks", "directory", "switch"),
    *("clock", "entropy", "trace", "workers", "effects", "callers"),
)
BOARD: Final = Board()
"""The one of this process: apps are loaded once, and one run is going on at a time."""


@contextmanager
def faults_told_to(tell: Callable[[str, str], None]) -> Iterator[None]:
    """Meanwhile the functions' log goes only here, and of it what says of unexpected errors where and what they are."""
    logger, handler = logging.getLogger("manthan"), _Faults(tell)
    before = (logger.propagate, logger.level)
    logger.propagate = False
    logger.setLevel(logging.ERROR)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate, level = before
        logger.setLevel(level)


class _Faults(logging.Handler):
    """Hears of unexpected errors."""

    def __init__(self, tell: Callable[[str, str], None]) -> None:
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """One of them; its text has no message of its own, only the kind and the stack."""
        where, _, what = record.getMessage().partition(": unexpected ")
        if what:
            self._tell(where, what)
