"""A function behind a real port of this machine, and how the functions of a stage are reached."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self

from werkzeug.serving import WSGIRequestHandler, make_server

from infra.local.carriers import WsgiApp, in_process
from infra.local.composition import WEBHOOK_PATH
from infra.local.delivery import Deliver

LOOPBACK: Final = "127.0.0.1"
_SHUTDOWN_POLL_S: Final = 0.02
"""How soon the server notices that it should end."""


class _QuietHandler(WSGIRequestHandler):
    """Requests are not logged: a person watches the case, not its traffic."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


class AppServer:
    """Serves one WSGI app on the loopback interface until it is closed.

    `listener` is a socket that already listens there, and is closed with the server; without one it is a free port.
    """

    def __init__(self, app: WsgiApp, listener: socket.socket | None = None) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        served: Any = app
        self._listener = listener or socket.create_server((LOOPBACK, 0))
        self._server = make_server(
            LOOPBACK, 0, served, threaded=True, request_handler=_QuietHandler, fd=self._listener.fileno()
        )
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_SHUTDOWN_POLL_S,), name="server", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the app's root, with the slash at its end."""
        return f"http://{LOOPBACK}:{self._server.port}/"

    def close(self) -> None:
        """Answer nothing more."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Reach:
    """How the functions are reached: where Stripe sends its events, and how the queue delivers."""

    webhook_url: str
    deliver: Deliver


Reaching = Callable[[Mapping[str, WsgiApp]], AbstractContextManager[Reach]]
"""Makes functions reachable for as long as the block runs."""


@contextmanager
def in_this_process(apps: Mapping[str, WsgiApp]) -> Iterator[Reach]:
    """The webhook on a port, so that Stripe can reach it; everything else stays in the process."""
    with AppServer(apps["stripe_webhook"]) as webhook:
        yield Reach(webhook_url(webhook.url), in_process(apps))


def webhook_url(root: str) -> str:
    """Where Stripe sends its events, from the address of the webhook's function."""
    return root.rstrip("/") + WEBHOOK_PATH
