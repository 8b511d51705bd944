"""Amounts as Stripe writes them: integers in minor units, and how a message shows them.

The exponents are Stripe's, not ISO's: ISK and UGX are sent with two decimals, MGA with none.
Source: docs.stripe.com/currencies.
"""

from __future__ import annotations

_ZERO_DECIMAL = frozenset(
    ("bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf")
)
_THREE_DECIMAL = frozenset(("bhd", "jod", "kwd", "omr", "tnd"))
_SYMBOLS = {"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥"}


def shown(amount: int, currency: str) -> str:
    """`$40.00`, `¥5,800`, `12.500 KWD`: an amount in minor units, for a message."""
    digits = 0 if currency in _ZERO_DECIMAL else 3 if currency in _THREE_DECIMAL else 2
    whole, rest = divmod(amount, 10**digits)
    number = f"{whole:,}.{rest:0{digits}d}" if digits else f"{whole:,}"
    symbol = _SYMBOLS.get(currency)
    return f"{symbol}{number}" if symbol else f"{number} {currency.upper()}"


def converted(amount: int, part: int, whole: int) -> int:
    """`amount` at the rate part/whole, rounded half up, in integers throughout."""
    return (2 * amount * part + whole) // (2 * whole)
