"""JSON as it stands in a column: written by merchants, systems and browsers, so it can be anything."""

from __future__ import annotations

import json
from collections.abc import Sequence

DEEPEST = 50
"""What is nested deeper was written to break a reader, or means nothing to us."""


def parsed(text: str) -> object | None:
    """What a text in JSON says; None where it says nothing that can be read, or one thing twice."""
    try:
        found: object = json.loads(text, object_pairs_hook=_said_once)
    except (ValueError, RecursionError):
        return None
    return found if _is_shallow(found) else None


def _said_once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _is_shallow(found: object) -> bool:
    level = [found]
    for _ in range(DEEPEST):
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return True
    return False
