"""What only an emulator offers, over HTTP: keys, time, what was dropped. No authentication: for loopback addresses.

GET  /                   {"address", "now", "frozen", "queues": {name: {ready, delayed, running, paused}}, "dropped"}
GET  /dropped            {"dropped": [{name, at, attempts, last_status}]}
POST /clock              {"advance_s": 90} -> {"now"}
POST /idle               {"timeout_s": 10} -> {"idle"}: waits until nothing is attempted or due
GET  /oauth2/v1/certs    the keys that verify its tokens as PEM by id, as Google serves them at this path
GET  /oauth2/v3/certs    the same as a JSON web key set
"""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import datetime
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

from .emulator import Emulator

_SHUTDOWN_POLL_S: Final = 0.02
_CERTS_MAX_AGE_S: Final = 3600

Answer = dict[str, Any]


class Admin:
    """The answers by method and path."""

    def __init__(self, emulator: Emulator, address: str) -> None:
        self._emulator = emulator
        self._address = address
        self.routes: Mapping[tuple[str, str], Callable[[Answer], Answer]] = {
            ("GET", "/"): self._status,
            ("GET", "/dropped"): self._dropped,
            ("POST", "/clock"): self._advance,
            ("POST", "/idle"): self._idle,
            ("GET", "/oauth2/v1/certs"): lambda asked: dict(emulator.signer.certs()),
            ("GET", "/oauth2/v3/certs"): lambda asked: emulator.signer.jwks(),
        }

    def _status(self, asked: Answer) -> Answer:
        counts = self._emulator.counts()
        return {
            "address": self._address,
            "now": self._emulator.clock.now().isoformat(),
            "frozen": self._emulator.clock.frozen,
            "queues": {name: asdict(count) for name, count in counts.items()},
            "dropped": len(self._emulator.dropped()),
        }

    def _dropped(self, asked: Answer) -> Answer:
        return {"dropped": [{**asdict(item), "at": item.at.isoformat()} for item in self._emulator.dropped()]}

    def _advance(self, asked: Answer) -> Answer:
        moved: datetime = self._emulator.advance(_number(asked, "advance_s"))
        return {"now": moved.isoformat()}

    def _idle(self, asked: Answer) -> Answer:
        return {"idle": self._emulator.wait_until_idle(_number(asked, "timeout_s"))}


def _number(asked: Answer, name: str) -> float:
    value = asked.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"{name} must be a number")
    return float(value)


class AdminServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Listens as soon as it is made; serves until it is closed."""

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str, port: int, admin: Admin) -> None:
        self.admin = admin
        super().__init__((host, port), _Handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(_SHUTDOWN_POLL_S,), name="admin", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Its address, without a slash at the end."""
        host, port = self.socket.getsockname()[:2]
        return f"http://{host}:{port}"

    def close(self) -> None:
        """Answer nothing more."""
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: AdminServer

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        try:
            asked = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        except ValueError:
            asked = None
        self._serve(asked)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""

    def _serve(self, asked: object) -> None:
        route = self.server.admin.routes.get((self.command, self.path))
        if route is None:
            self._answer(404, {"error": "there is nothing here; see infra/fakes/cloud_tasks/README.md"})
        elif not isinstance(asked, dict):
            self._answer(400, {"error": "the body is not a JSON object"})
        else:
            try:
                self._answer(200, route(asked))
            except ValueError as error:
                self._answer(400, {"error": str(error)})

    def _answer(self, status: int, body: Answer) -> None:
        encoded = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(encoded)))
        if self.path.startswith("/oauth2/"):
            self.send_header("Cache-Control", f"public, max-age={_CERTS_MAX_AGE_S}")
        self.end_headers()
        self.wfile.write(encoded)
