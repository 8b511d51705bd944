"""A call in this process and a POST over HTTP carry the same request and bring back the same answer."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from infra.local.carriers import WsgiApp, in_process, over_http
from infra.local.delivery import Deliver, DeliveryRequest

REQUEST = DeliveryRequest({"Content-Type": "application/json", "X-Manthan-Org": "acme"}, b'{"case":"c"}', 5.0)


def echo(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers with what it was asked, in two pieces, lazily."""
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    asked = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']} {environ['CONTENT_TYPE']} "
    start_response("503 Busy", [("Retry-After", "7"), ("X-Org", environ["HTTP_X_MANTHAN_ORG"])])
    yield asked.encode()
    yield body


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Tests need no access log."""


@contextmanager
def served(app: WsgiApp) -> Iterator[str]:
    with make_server("127.0.0.1", 0, app, handler_class=_Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(params=["in process", "over http"])
def deliver(request: pytest.FixtureRequest) -> Iterator[Deliver]:
    if request.param == "in process":
        yield in_process({"echo": echo})
    else:
        with served(echo) as url:
            yield over_http({"echo": url})


def test_the_function_sees_the_request_and_we_see_its_answer(deliver: Deliver) -> None:
    response = deliver("echo", REQUEST)
    assert response.status == 503
    assert response.headers["retry-after"] == "7"
    assert response.headers["x-org"] == "acme"
    assert response.body == b'POST / application/json {"case":"c"}'


def test_a_function_that_is_not_there_answers_404(deliver: Deliver) -> None:
    assert deliver("nobody", REQUEST).status == 404


def test_a_response_is_closed_after_it_was_read() -> None:
    class Closing:
        closed = False

        def __iter__(self) -> Iterator[bytes]:
            return iter([b"x"])

        def close(self) -> None:
            self.closed = True

    chunks = Closing()

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [])(b"written ")
        return chunks

    assert in_process({"f": app})("f", REQUEST).body == b"written x"
    assert chunks.closed


def test_a_refused_connection_counts_as_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed_again:
        port = closed_again.getsockname()[1]
    assert over_http({"f": f"http://127.0.0.1:{port}/"})("f", REQUEST).status == 503


def test_a_server_that_does_not_answer_in_time_counts_as_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        request = DeliveryRequest(REQUEST.headers, REQUEST.body, deadline_s=0.05)
        assert over_http({"f": f"http://127.0.0.1:{port}/"})("f", request).status == 503
