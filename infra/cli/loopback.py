"""One exchange over HTTP with something on this machine. A proxy that is set for other addresses plays no part."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from urllib.parse import urlsplit


def exchange(
    url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None, *, timeout_s: float = 30.0
) -> tuple[int, bytes]:
    """GET, or with a body POST, this URL; the status and the body of the answer. Raises OSError without an answer."""
    target = urlsplit(url)
    connection = http.client.HTTPConnection(str(target.hostname), target.port, timeout=timeout_s)
    try:
        connection.request("GET" if body is None else "POST", target.path or "/", body, dict(headers or {}))
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
