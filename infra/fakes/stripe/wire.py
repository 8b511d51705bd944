"""What the HTTP server and the application hand each other: plain values, no sockets."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """One HTTP request. `headers` has lower-case names; `query` is the raw text after the question mark."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Response:
    """One HTTP answer; `body` is JSON text, kept as text so that a replayed answer is the same to the byte."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    dropped_after: float | None = None
    """Never sent: the connection is held for so many seconds and then closed without a word."""

    @classmethod
    def of(cls, body: JsonObject, status: int = 200) -> Response:
        """An answer with `body` rendered as JSON."""
        return cls(status, render(body))


def render(body: JsonObject) -> str:
    """JSON text of an object, on one line: Python renders it several times faster than indented as Stripe does."""
    return json.dumps(body, ensure_ascii=False)
