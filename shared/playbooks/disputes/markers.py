"""Markers: the ids by which log lines and metadata tell that one message, event or order stands behind two charges."""

from __future__ import annotations

import re
from collections.abc import Mapping

from shared.team.json_text import parsed

_KEYS = r"(?:message|event|order|job|request|idempotency|retry)(?:[_-](?:id|key|marker|token))?"
_IN_TEXT = re.compile(rf"\b{_KEYS}\s*[=:]\s*\"?([A-Za-z0-9][\w.-]{{5,63}})", re.IGNORECASE)
_KEY = re.compile(_KEYS, re.IGNORECASE)


def in_text(text: str) -> frozenset[str]:
    """The markers that a log line or an error names, e.g. message=ordmsg_5f07c2e9."""
    return frozenset(found.lower() for found in _IN_TEXT.findall(text))


def in_metadata(text: str) -> frozenset[str]:
    """The markers among the metadata of an object, given as JSON text, each with its key."""
    metadata = parsed(text)
    if not isinstance(metadata, Mapping):
        return frozenset()
    named = {str(key): str(value) for key, value in metadata.items() if value}
    return frozenset(f"{key}={value}".lower() for key, value in named.items() if _KEY.fullmatch(key))
