"""The two ways a delivery travels: a call of the function's WSGI app in this process, and a POST to its address."""

from __future__ import annotations

import http.client
import sys
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from infra.local.delivery import Deliver, DeliveryRequest, DeliveryResponse

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def in_process(apps: Mapping[str, WsgiApp]) -> Deliver:
    """Call the functions' WSGI apps in this process. A function that is not there answers 404."""

    def deliver(function: str, request: DeliveryRequest) -> DeliveryResponse:
        app = apps.get(function)
        return DeliveryResponse(404) if app is None else _call(app, request)

    return deliver


def _call(app: WsgiApp, request: DeliveryRequest) -> DeliveryResponse:
    answer: list[tuple[str, list[tuple[str, str]]]] = []
    written: list[bytes] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], exc_info: object = None
    ) -> Callable[[bytes], object]:
        answer[:] = [(status, headers)]
        return written.append

    chunks = app(_environ(request), start_response)
    try:
        written.extend(chunks)
    finally:
        close = getattr(chunks, "close", None)
        if close is not None:
            close()
    status, headers = answer[0]
    return DeliveryResponse(int(status[:3]), {name.lower(): value for name, value in headers}, b"".join(written))


def _environ(request: DeliveryRequest) -> dict[str, Any]:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/",
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "CONTENT_LENGTH": str(len(request.body)),
        "HTTP_HOST": "localhost",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(request.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in request.headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    return environ


def over_http(base_urls: Mapping[str, str]) -> Deliver:
    """POST to each function's address: 404 for one that has none, 503 for no answer. Redirects are not followed."""

    def deliver(function: str, request: DeliveryRequest) -> DeliveryResponse:
        if function not in base_urls:
            return DeliveryResponse(404)
        url = urlsplit(base_urls[function])
        connection = http.client.HTTPConnection(url.hostname or "localhost", url.port or 80, timeout=request.deadline_s)
        try:
            connection.request("POST", url.path or "/", request.body, dict(request.headers))
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return DeliveryResponse(answer.status, headers, answer.read())
        except (OSError, http.client.HTTPException):
            return DeliveryResponse(503)
        finally:
            connection.close()

    return deliver
