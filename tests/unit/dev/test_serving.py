"""A function's app on a port: the one that was taken for it, or any free one."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from infra.stage.serving import AppServer, in_this_process, webhook_url


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Length", str(len(environ["PATH_INFO"])))])
    return [environ["PATH_INFO"].encode()]


def asked(port: int, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().read()
    finally:
        connection.close()


def test_it_serves_on_the_listener_it_was_given_and_closes_it() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with AppServer(app, listener) as server:
        assert server.url == f"http://127.0.0.1:{port}/"
        assert asked(port, "/somewhere") == b"/somewhere"
    with pytest.raises(ConnectionRefusedError):
        asked(port, "/")


def test_without_one_it_takes_a_free_port_of_the_loopback_interface() -> None:
    with AppServer(app) as one, AppServer(app) as another:
        assert one.url != another.url


def test_in_this_process_only_the_webhook_has_a_port() -> None:
    with in_this_process({"stripe_webhook": app}) as reach:
        address = reach.webhook_url.removeprefix("http://127.0.0.1:")
        port, _, path = address.partition("/")
        assert asked(int(port), f"/{path}") == b"/webhooks/stripe"


@pytest.mark.parametrize("root", ["http://127.0.0.1:8701", "http://127.0.0.1:8701/"])
def test_the_webhook_has_the_path_that_stripe_is_told(root: str) -> None:
    assert webhook_url(root) == "http://127.0.0.1:8701/webhooks/stripe"
