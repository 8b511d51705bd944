"""The public address of a function: what goes through it, and what it adds to a push."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from werkzeug.test import Client

from infra.cloud import ports
from infra.cloud.front import PUSH_PATH, front
from infra.cloud.traffic import Traffic

PUSH = {"message": {"messageId": "7", "data": "e30="}, "subscription": "projects/p/subscriptions/triage"}


@dataclass
class Process:
    """A function's process, which answers what it is told to."""

    port: int
    status: int = 204
    seen: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def process() -> Iterator[Process]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told.seen.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(told.status)
            self.send_header("Retry-After", "7")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    told = Process(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def traffic() -> Traffic:
    return Traffic(gives_up_after=3)


def client(port: int, traffic: Traffic) -> Client:
    return Client(front("triage", port, traffic, lambda: "signed"))


def test_a_request_goes_on_as_it_is_and_its_answer_comes_back(process: Process, traffic: Traffic) -> None:
    process.status = 503
    answer = client(process.port, traffic).post("/webhooks/stripe?a=b", data=b"raw", headers={"Stripe-Signature": "t"})
    (method, path, headers, body) = process.seen[0]
    assert (method, path, body, headers["stripe-signature"]) == ("POST", "/webhooks/stripe?a=b", b"raw", "t")
    assert "authorization" not in headers
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "7")
    assert (traffic.quiet(), traffic.moves()) == (True, 1)


def test_a_push_gets_a_token_and_its_attempt(process: Process, traffic: Traffic) -> None:
    traffic.published("7")
    process.status = 500
    public = client(process.port, traffic)
    assert public.post(PUSH_PATH, json=PUSH).status_code == 500
    process.status = 204
    assert public.post(PUSH_PATH, json=PUSH).status_code == 204
    bodies = [json.loads(body) for _, _, _, body in process.seen]
    assert [body.pop("deliveryAttempt") for body in bodies] == [1, 2]
    assert bodies == [PUSH, PUSH]
    assert {(path, headers["authorization"]) for _, path, headers, _ in process.seen} == {("/", "Bearer signed")}
    assert traffic.quiet()


def test_where_nobody_listens_the_answer_is_503_and_the_message_still_waits(traffic: Traffic) -> None:
    with ports.reserve() as held:
        public = client(ports.number(held), traffic)
        assert public.post("/", data=b"{}").status_code == 503
        assert public.post(PUSH_PATH, json=PUSH).status_code == 503
    assert traffic.under_way() == {"messages": 1}
