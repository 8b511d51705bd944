"""The protocol between parent and child: JSON objects, each after its length in four bytes (big-endian)."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import TypedDict, cast

_LENGTH = struct.Struct(">I")

HEADER_BYTES = _LENGTH.size

Frame = dict[str, object]


class TableFile(TypedDict):
    """A table to load: its columns as (name, engine type), and its rows as a file of JSON lines; no file, no rows."""

    schema: str
    name: str
    columns: list[tuple[str, str]]
    file: str | None


class BadFrame(Exception):
    """The other side sent something that is not a frame of this protocol, or one over the limit."""


def encode(message: Frame) -> bytes:
    """A frame, ready to be sent."""
    return with_length(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())


def with_length(body: bytes) -> bytes:
    """The frame of a body that is JSON already."""
    return _LENGTH.pack(len(body)) + body


def read(receive: Callable[[int], bytes], limit: int) -> Frame | None:
    """The next frame, or None at the end of the stream.

    `receive(n)` returns exactly n bytes, or fewer only at the end. Raises BadFrame before reading a body of more than
    `limit` bytes, so that a broken child cannot make its parent grow.
    """
    header = receive(HEADER_BYTES)
    if not header:
        return None
    if len(header) < HEADER_BYTES:
        raise BadFrame("the stream ended within a length")
    (length,) = _LENGTH.unpack(header)
    if length > limit:
        raise BadFrame(f"a frame of {length} bytes is over the limit of {limit}")
    body = receive(length)
    if len(body) < length:
        raise BadFrame("the stream ended within a frame")
    return _object(body)


def _object(body: bytes) -> Frame:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise BadFrame("a frame is not JSON") from error
    if not isinstance(message, dict):
        raise BadFrame("a frame is not a JSON object")
    return cast(Frame, message)
