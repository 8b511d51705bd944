"""One cell on its way out of the engine: exact, and in one notation per kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

Out = str | int | bool | None

_PLAIN = frozenset(
    {"boolean", "varchar", "null", "tinyint", "smallint", "integer", "bigint", "hugeint"}
    | {"utinyint", "usmallint", "uinteger", "ubigint", "uhugeint"}
)
_FRACTIONS = frozenset({"decimal", "double", "float"})
_INSTANTS = frozenset({"timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone"})
_NESTED = frozenset({"list", "struct", "map", "array", "union"})
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?")


def rendered(column: str, kind: str) -> str:
    """SQL that makes the engine hand out a column of this engine type as a Python bool, int or text, never a float."""
    if kind in _PLAIN:
        return column
    return f"CAST(to_json({column}) AS VARCHAR)" if kind in _NESTED else f"CAST({column} AS VARCHAR)"


def decoder(kind: str) -> Callable[[Out], Out]:
    """What turns the engine's notation for a type into ours: ISO 8601 with an offset, plain decimal strings."""
    if kind in _INSTANTS:
        return iso_8601
    return plain_decimal if kind in _FRACTIONS else unchanged


def iso_8601(value: Out) -> Out:
    """`2026-04-12 09:00:00+00` as `2026-04-12T09:00:00+00:00`; without an offset it is UTC. Infinities stay words."""
    match = _INSTANT.fullmatch(value) if isinstance(value, str) else None
    return f"{match[1]}T{match[2]}+00:00" if match else value


def plain_decimal(value: Out) -> Out:
    """A decimal string without exponent or trailing zeros; what is not a finite number is NULL."""
    if not isinstance(value, str):
        return value
    number = Decimal(value)
    if not number.is_finite():
        return None
    text = format(abs(number) if number == 0 else number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def unchanged(value: Out) -> Out:
    """Booleans, integers and text are what they are."""
    return value
