"""A webhook endpoint that keeps what it gets and answers what the test wants."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from types import TracebackType
from typing import cast

import stripe

SECRET = "whsec_first"


@dataclass(frozen=True)
class Posted:
    """One delivery as it arrived."""

    body: bytes
    signature: str

    def event(self, secret: str = SECRET) -> stripe.Event:
        """The event, its signature verified by the SDK."""
        return cast(stripe.Event, stripe.Webhook.construct_event(self.body, self.signature, secret))


class Receiver:
    """Listens on a port of its own while its block lasts; `answers` are used up in turn, then it answers 200."""

    def __init__(self) -> None:
        self.posted: Queue[Posted] = Queue()
        self.answers: deque[int] = deque()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                # Kept before it is answered: the next delivery comes only after the answer, so the order is the order.
                receiver.posted.put(Posted(body, self.headers["Stripe-Signature"]))
                status = receiver.answers.popleft() if receiver.answers else 200
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhooks/stripe"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    def next(self) -> Posted:
        """The next delivery; fails after ten seconds."""
        return self.posted.get(timeout=10)

    def types(self, number: int) -> list[str]:
        """The types of the next deliveries."""
        return [self.next().event().type for _ in range(number)]

    def __enter__(self) -> Receiver:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
