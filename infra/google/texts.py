"""Texts as they are stored: plain while they are small, so that people can read them, compressed when they are not.

A document may have 1 MiB. Whatever a case comes to, its document stays far below: JSON shrinks to a tenth or less.
"""

from __future__ import annotations

import zlib
from typing import Final

from shared.errors import InvalidInput

PLAIN_UP_TO: Final = 128 * 1024
AT_MOST: Final = 768 * 1024
"""Bytes of one text as stored."""


def stored(text: str, what: str) -> str | bytes:
    """The text as a field's value.

    Raises InvalidInput for text that is not valid Unicode, and for one that is too large even when compressed.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("text with a lone surrogate is not valid Unicode and cannot be stored") from error
    if len(encoded) <= PLAIN_UP_TO:
        return text
    packed = zlib.compress(encoded)
    if len(packed) > AT_MOST:
        raise InvalidInput(f"{what} has {len(encoded)} bytes and {len(packed)} compressed: it is too large to be kept")
    return packed


def restored(value: str | bytes) -> str:
    """The text of a field's value."""
    return value if isinstance(value, str) else zlib.decompress(value).decode()
