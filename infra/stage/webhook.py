"""The webhook function behind a real port, so that Stripe can reach it; everything else stays in the process."""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import Any, Final, Self

from werkzeug.serving import WSGIRequestHandler, make_server

from infra.local.carriers import WsgiApp
from infra.local.composition import WEBHOOK_PATH

_SHUTDOWN_POLL_S: Final = 0.02
"""How soon the server notices that it should end."""


class _QuietHandler(WSGIRequestHandler):
    """Requests are not logged: a person watches the case, not its traffic."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


class WebhookServer:
    """Serves one WSGI app on a free port of the loopback interface until it is closed."""

    def __init__(self, app: WsgiApp) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        served: Any = app
        self._server = make_server("127.0.0.1", 0, served, threaded=True, request_handler=_QuietHandler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_SHUTDOWN_POLL_S,), name="webhook", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """Where Stripe sends its events."""
        return f"http://127.0.0.1:{self._server.server_port}{WEBHOOK_PATH}"

    def close(self) -> None:
        """Answer nothing more."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
