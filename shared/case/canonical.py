"""Canonical bytes: the one way in which anything that is hashed is written down."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict

_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_PLAIN = frozenset({str, int, bool, type(None)})


class Record(BaseModel):
    """Base of every stored shape: immutable, and an unknown field is an error rather than a surprise."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_timedelta="iso8601")


def canonical(value: Any) -> str:
    """JSON with sorted keys, no spaces and no floats, so that equal values have equal bytes.

    Raises TypeError for a float anywhere inside: floats have no canonical text, and none belongs in a stored shape.
    """
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    _refuse_floats(value)
    return _ENCODER.encode(value)


def sha256(text: str) -> str:
    """Hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def short_hash(*parts: str, length: int = 20) -> str:
    """A stable id made of its parts; the parts are length-prefixed, so that no two lists of parts collide."""
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(joined)[:length]


def _refuse_floats(value: Any) -> None:
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        if isinstance(value, float):
            raise TypeError(f"a float ({value!r}) has no canonical form: store integers or decimal text")
        return
    for item in value:
        if type(item) not in _PLAIN:
            _refuse_floats(item)
