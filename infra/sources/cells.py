"""One cell on its way into the database: from what a file holds to what the column's type needs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import cast

Cell = str | int | bool | None | list[object] | dict[str, object]
"""What a line of JSON carries for a column. JSON columns carry the nested value itself, every other a scalar."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=str)
_INT64 = 1 << 63
_DECIMAL_DIGITS = 38
_MAX_SCALE = 12
_SMALLEST = Decimal(1).scaleb(-_MAX_SCALE)
_EXACT = Context(prec=2 * _DECIMAL_DIGITS, rounding=ROUND_HALF_EVEN)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_TEXT = re.compile(r"\d{9,11}(\.\d{1,6})?")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)")


class BadCell(ValueError):
    """The value does not fit the column's type; the message says what was expected, never the value."""


def text(value: object) -> str:
    """Any value as text; nested values as JSON."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, Decimal | datetime | date) else dumps(value)


def integer(value: object) -> int | None:
    """A whole number of at most 64 bits; digits in text count, empty text is NULL."""
    if value == "":
        return None
    number = value if type(value) is int else _number(value)
    if not -_INT64 <= number < _INT64 or number % 1:
        raise BadCell("expected a whole number of at most 64 bits")
    return int(number)


def boolean(value: object) -> bool | None:
    """True or false, also as text; empty text is NULL."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("", "true", "false"):
        return value.lower() == "true" if value else None
    raise BadCell("expected true or false")


def decimal(value: object) -> str | None:
    """A decimal string of at most 38 digits, 12 of them after the point (more are rounded half-even)."""
    if value == "":
        return None
    number = _number(value)
    if number.adjusted() >= _DECIMAL_DIGITS - _MAX_SCALE:
        raise BadCell("expected a number below 10^26")
    if scale_of(number) > _MAX_SCALE:
        number = number.quantize(_SMALLEST, context=_EXACT)
    return format(number, "f")


def timestamp(value: object) -> str | None:
    """ISO 8601 in UTC, from ISO 8601 (without an offset: UTC) or from epoch seconds; empty text is NULL."""
    if value == "":
        return None
    try:
        return _instant(value).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        raise BadCell("expected a time in ISO 8601 with an offset") from None


def nested(value: object) -> Cell:
    """A JSON value; text that holds a JSON object or array is taken as that."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return cast(Cell, json.loads(value))
        except ValueError:
            return value
    dumps(value)
    return cast(Cell, value)


CONVERTERS: dict[str, Callable[[object], Cell]] = {
    "text": text,
    "integer": integer,
    "boolean": boolean,
    "decimal": decimal,
    "timestamp": timestamp,
    "json": nested,
}


def infer(values: Iterable[object], *, instants: bool) -> str:
    """The narrowest column type that holds every value; `instants` allows ISO 8601 texts to become timestamps."""
    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    if kinds == {bool}:
        return "boolean"
    if kinds == {int} and all(-_INT64 <= value < _INT64 for value in present if isinstance(value, int)):
        return "integer"
    if kinds and kinds <= {int, float, Decimal} and all(_fits(decimal, value) for value in present):
        return "decimal"
    if kinds == {str} and instants and all(_is_instant(str(value)) for value in present):
        return "timestamp"
    return "json" if kinds & {dict, list} else "text"


def scale_of(number: Decimal) -> int:
    """Digits after the point."""
    exponent = number.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def dumps(value: object) -> str:
    """Compact JSON. Raises BadCell for what JSON cannot hold."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError):
        raise BadCell("expected a value that JSON can hold") from None


def _number(value: object) -> Decimal:
    if type(value) is int:
        return Decimal(value)
    if isinstance(value, bool) or not isinstance(value, float | str | Decimal):
        raise BadCell("expected a number")
    try:
        # By way of its shortest text a float keeps the digits that the file shows.
        number = Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation:
        raise BadCell("expected a number") from None
    if not number.is_finite():
        raise BadCell("expected a finite number")
    return number


def _instant(value: object) -> datetime:
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, date):
        moment = datetime.combine(value, time())
    elif isinstance(value, str) and not _EPOCH_TEXT.fullmatch(value):
        moment = datetime.fromisoformat(value)
    else:
        moment = _EPOCH + timedelta(microseconds=int(_number(value) * 1_000_000))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _is_instant(value: str) -> bool:
    return _INSTANT.fullmatch(value) is not None and _fits(timestamp, value)


def _fits(convert: Callable[[object], Cell], value: object) -> bool:
    try:
        convert(value)
    except BadCell:
        return False
    return True
