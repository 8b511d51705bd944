"""HTTP in front of the application: one thread per connection, kept alive, each answer in a single write."""

from __future__ import annotations

import select
import socketserver
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

from .wire import Request, Response

Handle = Callable[[Request], Response]


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Listens as soon as it is made. (`http.server` would also ask the name service for the host's name, slowly.)"""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, host: str, port: int, handle: Handle) -> None:
        self.handle = handle
        super().__init__((host, port), _Handler)

    @property
    def url(self) -> str:
        """Where the server listens, with the real port."""
        host, port = self.socket.getsockname()[:2]
        return f"http://{host}:{port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Buffered, so that headers and body leave together; unbuffered they would wait for each other's acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True
    server: Server

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_DELETE(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the double keeps its own list of requests."""

    def _serve(self) -> None:
        length = self.headers.get("Content-Length") or "0"
        if not length.isdigit():
            self.send_error(400)
            return
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, path, query, headers, self.rfile.read(int(length)))
        response = self.server.handle(request)
        if response.dropped_after is None:
            self._answer(response)
            return
        # Readable before the time is up: the client has given up and closed its end.
        select.select([self.connection], [], [], response.dropped_after)
        self.close_connection = True

    def _answer(self, response: Response) -> None:
        body = response.body.encode()
        self.send_response(response.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
