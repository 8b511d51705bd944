"""A tiny HTTP server that answers as it is told, for what the double does not do: failing."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


def says(status: int, body: object, **headers: str) -> Answer:
    """An answer with a status and a body: JSON, or bytes as they are."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(content)), "Request-Id": "req_1", **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def errs(status: int, message: str = "Stripe says no.", *, code: str | None = None, **more: str) -> Answer:
    """An error in Stripe's shape."""
    error = {"message": message, "type": more.pop("type", "invalid_request_error")}
    return says(status, {"error": {**error, "code": code} if code else error}, **more)


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """The request arrived; the connection breaks before an answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


_REFUNDED = says(200, {"id": "re_1", "object": "refund", "status": "succeeded"})


@dataclass
class Server:
    """A server whose answer the test sets. `seen` holds method, path, headers and body of every request."""

    answer: Answer = _REFUNDED
    seen: list[dict[str, Any]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Server:
        told = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                told.seen.append(
                    {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
                )
                told.answer(self)

            do_POST = do_GET
            do_DELETE = do_GET

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def waits(self, handler: BaseHTTPRequestHandler) -> None:
        """The request arrived; no answer comes while the test runs."""
        self.released.wait(30)
        handler.close_connection = True

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"
