"""What stands in front of every function, as Cloud Run's front end does: its public address.

Requests go on to the function's process as they are; where nobody listens, the answer is 503, as for an instance that
cannot be started. Pushes come at a path of their own and get what production sends and the emulator leaves out: the
delivery attempt and a token. Function timeouts are not enforced here: the callers have deadlines of their own.
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from werkzeug.wrappers import Request, Response

from infra.cloud.traffic import Traffic
from infra.local.carriers import WsgiApp
from infra.local.delivery import acknowledges
from infra.local.queued import Kind

PUSH_PATH: Final = "/_push"
_LONGEST_S: Final = 600.0
_HOP: Final = frozenset({"connection", "content-length", "host", "transfer-encoding", "keep-alive", "date", "server"})
"""Headers that concern one connection alone."""

Token = Callable[[], str]
"""The token of whoever pushes to this function."""


def front(function: str, port: int, traffic: Traffic, token: Token) -> WsgiApp:
    """The public address of a function whose process listens on this port of the loopback interface."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        request = Request(environ)
        with traffic.at_work(function):
            answer = _pushed(request, port, traffic, token) if request.path == PUSH_PATH else _passed_on(request, port)
        return answer(environ, start_response)

    return app


def _passed_on(request: Request, port: int) -> Response:
    path = request.full_path.rstrip("?")
    return _exchange(port, request.method, path, request.get_data(), _headers(request))


def _pushed(request: Request, port: int, traffic: Traffic, token: Token) -> Response:
    body = json.loads(request.get_data())
    message_id = str(body["message"]["messageId"])
    body["deliveryAttempt"] = traffic.attempt(message_id)
    headers = {**_headers(request), "Authorization": f"Bearer {token()}"}
    answer = _exchange(port, "POST", "/", json.dumps(body).encode(), headers)
    traffic.delivered(message_id, acknowledged=acknowledges(Kind.MESSAGE, answer.status_code))
    return answer


def _headers(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.headers.items() if name.lower() not in _HOP}


def _exchange(port: int, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> Response:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_LONGEST_S)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        content = answer.read()
    except (OSError, http.client.HTTPException):
        return Response("no instance is available", 503, content_type="text/plain")
    finally:
        connection.close()
    kept = [(name, value) for name, value in answer.getheaders() if name.lower() not in _HOP]
    return Response(content, answer.status, kept)
