"""Amounts as people type them become exact minor units, or are refused with the reason."""

from __future__ import annotations

import pytest

from infra.cli.amounts import parse_minor
from shared.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "currency", "minor"),
    [
        ("89.00", "usd", 8900),
        ("89", "usd", 8900),
        ("89.5", "USD", 8950),
        ("0.07", "eur", 7),
        ("1250.10", "gbp", 125010),
        (" 12.34 ", "usd", 1234),
        ("900719925474.99", "usd", 90071992547499),
        ("89", "jpy", 89),
        ("1.230", "kwd", 1230),
        ("5", "isk", 500),
    ],
)
def test_an_amount_is_read_exactly(text: str, currency: str, minor: int) -> None:
    assert parse_minor(text, currency) == minor


@pytest.mark.parametrize(
    ("text", "currency", "why"),
    [
        ("89.001", "usd", "usd has 2 decimals"),
        ("89.0", "jpy", "jpy has no decimals"),
        ("1.234", "kwd", "smallest step is 10"),
        ("5.50", "isk", "smallest step is 100"),
        ("0.00", "usd", "more than nothing"),
        ("-5", "usd", "not an amount"),
        ("1,000.00", "usd", "not an amount"),
        ("1e3", "usd", "not an amount"),
        ("$89", "usd", "not an amount"),
        (".5", "usd", "not an amount"),
        ("٨٩", "usd", "not an amount"),
        ("", "usd", "not an amount"),
        ("89", "dollars", "three-letter currency code"),
    ],
)
def test_anything_else_is_refused_with_the_reason(text: str, currency: str, why: str) -> None:
    with pytest.raises(InvalidInput, match=why):
        parse_minor(text, currency)
