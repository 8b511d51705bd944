"""Values as SQL literals, for ids and instants taken from trusted rows. Portable: one form that every engine reads."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from shared.errors import InvalidInput


def quote(text: str) -> str:
    """A text literal. Raises InvalidInput for control characters: no id or address has any."""
    if any(ord(char) < 32 or ord(char) == 127 for char in text):
        raise InvalidInput("a value for a query holds control characters")
    return "'" + text.replace("'", "''") + "'"


def one_of(values: Iterable[str]) -> str:
    """The list behind IN; of nothing, a list that nothing is in."""
    listed = ", ".join(quote(value) for value in sorted(set(values)))
    return f"({listed or 'NULL'})"


def instant(moment: datetime) -> str:
    """An instant, in UTC, for columns that are not Stripe's."""
    return f"CAST({quote(moment.astimezone(UTC).isoformat())} AS TIMESTAMPTZ)"


def mentions(column: str, phrases: Iterable[str]) -> str:
    """Whether the text of a column holds one of the phrases, whatever the case."""
    tests = [f"strpos(lower({column}), {quote(phrase.lower())}) > 0" for phrase in sorted(set(phrases))]
    return "(" + (" OR ".join(tests) or "1 = 0") + ")"
