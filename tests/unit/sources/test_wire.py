"""Frames arrive whole, or not at all."""

from __future__ import annotations

from io import BytesIO

import pytest

from infra.sources.wire import BadFrame, encode, read, with_length


def test_what_is_sent_arrives() -> None:
    stream = BytesIO(encode({"a": "é"}) + encode({"b": [1]}))
    assert [read(stream.read, 100), read(stream.read, 100), read(stream.read, 100)] == [{"a": "é"}, {"b": [1]}, None]


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (b"\x00\x00", "within a length"),
        (encode({"a": 1})[:-1], "within a frame"),
        (with_length(b"x" * 101), "over the limit of 100"),
        (b"\xff\xff\xff\xff", "over the limit of 100"),
        (with_length(b"{"), "not JSON"),
        (with_length(b"\xff"), "not JSON"),
        (with_length(b"[1]"), "not a JSON object"),
    ],
)
def test_what_is_no_frame_is_refused(sent: bytes, problem: str) -> None:
    with pytest.raises(BadFrame, match=problem):
        read(BytesIO(sent).read, 100)
