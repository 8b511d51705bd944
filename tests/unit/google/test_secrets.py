"""Secrets by reference, read over HTTP from something that answers as Secret Manager does."""

from __future__ import annotations

import base64
import json
import logging
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from infra.google.secrets import Answer, SecretManager
from shared.errors import InvalidInput, Retryable

REFERENCE = "sm://projects/acme/secrets/stripe-key/versions/3"
PATH = "/v1/projects/acme/secrets/stripe-key/versions/3:access"
SECRET = "sk_live_marked"


def payload(text: bytes) -> bytes:
    return json.dumps({"payload": {"data": base64.b64encode(text).decode()}}).encode()


class Service:
    """Answers whatever is asked in the same way, and keeps what was asked."""

    def __init__(self) -> None:
        self.answer: tuple[int, bytes] = (200, payload(SECRET.encode()))
        self.asked: list[str] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                service.asked.append(self.path)
                status, body = service.answer
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def ask(url: str) -> Answer:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return Answer(response.status, response.read())
    except urllib.error.HTTPError as refused:
        with refused:
            return Answer(refused.code, refused.read())


@pytest.fixture
def service() -> Iterator[Service]:
    opened = Service()
    yield opened
    opened.close()


@pytest.fixture
def manager(service: Service) -> SecretManager:
    return SecretManager(ask, address=service.address)


def test_a_reference_gives_the_secret(service: Service, manager: SecretManager) -> None:
    assert manager.reveal(REFERENCE) == SECRET
    assert service.asked == [PATH]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_what_is_missing_or_not_for_us_says_what_to_do(service: Service, manager: SecretManager, status: int) -> None:
    service.answer = (status, b'{"error": "marked"}')
    with pytest.raises(InvalidInput, match=r"stripe-key/versions/3 .*secretAccessor") as error:
        manager.reveal(REFERENCE)
    assert "marked" not in str(error.value)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_may_pass_is_tried_again_later(service: Service, manager: SecretManager, status: int) -> None:
    service.answer = (status, b"")
    with pytest.raises(Retryable):
        manager.reveal(REFERENCE)


def test_no_answer_is_tried_again_later(service: Service, manager: SecretManager) -> None:
    gone = SecretManager(ask, address="http://127.0.0.1:1")
    with pytest.raises(Retryable):
        gone.reveal(REFERENCE)


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b'{"payload": {"data": "***"}}', payload(b"\xff\xfe")])
def test_an_answer_that_is_no_text_is_refused(service: Service, manager: SecretManager, body: bytes) -> None:
    service.answer = (200, body)
    with pytest.raises(InvalidInput, match="does not hold text"):
        manager.reveal(REFERENCE)


@pytest.mark.parametrize(
    "reference",
    [
        "projects/acme/secrets/k/versions/1",
        "sm://secrets/k",
        "sm://projects/acme/secrets/k/versions/1:access?x=",
        "sm://projects/acme/secrets/../../k/versions/1",
        "sm://projects/acme/secrets/k/versions/1\n",
    ],
)
def test_a_malformed_reference_is_never_asked_for(service: Service, manager: SecretManager, reference: str) -> None:
    with pytest.raises(InvalidInput):
        manager.reveal(reference)
    assert service.asked == []


def test_a_secret_is_not_logged(manager: SecretManager, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        manager.reveal(REFERENCE)
    assert "marked" not in caplog.text
