"""Money as Stripe counts it: integers in minor units, with Stripe's exponents and not ISO's.

Source: docs.stripe.com/currencies, zero-decimal and special-case lists (read 2026-05). ISK and UGX are sent with two
decimals that must be 00, although the page also lists UGX as zero-decimal; MGA is zero-decimal at Stripe though ISO
4217 gives it two; the three-decimal currencies are sent with a last digit of 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from shared.case.canonical import Record
from shared.errors import InvalidInput

ZERO_DECIMAL = frozenset(
    ("bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "vnd", "vuv", "xaf", "xof", "xpf")
)
THREE_DECIMAL = frozenset(["bhd", "jod", "kwd", "omr", "tnd"])
WHOLE_UNITS_IN_TWO_DECIMALS = frozenset(["isk", "ugx"])
"""Sent with two decimals that must be 00."""

_CODE = re.compile(r"[a-z]{3}")
_RATE = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")
"""Plain decimal text only: an exponent would be a number of any size."""


class Money(Record):
    """An amount in minor units of a currency (lower-case ISO code, as Stripe writes it)."""

    minor: int
    currency: str

    def __str__(self) -> str:
        return f"{format_minor(self.minor, self.currency)} {self.currency.upper()}"


class MissingRate(InvalidInput):
    """No exchange rate for a currency: whoever asked must involve a person, never guess."""

    code = "missing_rate"


def currency_code(text: str) -> str:
    """The lower-case three-letter code. Raises InvalidInput for anything else."""
    code = text.strip().lower()
    if not _CODE.fullmatch(code):
        raise InvalidInput(f"{text!r} is not a three-letter currency code such as usd")
    return code


def exponent(currency: str) -> int:
    """How many decimals Stripe's minor unit has in this currency."""
    if currency in ZERO_DECIMAL:
        return 0
    return 3 if currency in THREE_DECIMAL else 2


def payable_step(currency: str) -> int:
    """The smallest amount in minor units that Stripe accepts a multiple of: 1, 10 or 100."""
    if currency in THREE_DECIMAL:
        return 10
    return 100 if currency in WHOLE_UNITS_IN_TWO_DECIMALS else 1


def round_half_up(value: Fraction, currency: str) -> int:
    """One rounding at the end: half up (away from zero), to the smallest payable unit, in minor units."""
    step = payable_step(currency)
    units = abs(value) / step + Fraction(1, 2)
    rounded = (units.numerator // units.denominator) * step
    return rounded if value >= 0 else -rounded


def format_minor(minor: int, currency: str) -> str:
    """Minor units as people read them, with thousands separators: 840000 usd is 8,400.00; 9899 jpy is 9,899."""
    decimals = exponent(currency)
    sign, digits = ("-" if minor < 0 else ""), str(abs(minor)).rjust(decimals + 1, "0")
    whole = f"{int(digits[: len(digits) - decimals]):,}" if decimals else f"{int(digits):,}"
    return f"{sign}{whole}.{digits[-decimals:]}" if decimals else f"{sign}{whole}"


def convert(money: Money, to: str, fx: Mapping[str, str]) -> int:
    """The amount in minor units of `to`, half up. `fx`: one major unit of the key in `to`, as decimal text.

    Raises MissingRate when the table has no usable rate for the currency.
    """
    if money.currency == to:
        return money.minor
    text = fx.get(money.currency, "")
    if not _RATE.fullmatch(text):
        raise MissingRate(f"no exchange rate from {money.currency} to {to}")
    rate = Fraction(text)
    if rate <= 0:
        raise MissingRate(f"the exchange rate from {money.currency} to {to} is not positive")
    major = Fraction(money.minor, 10 ** exponent(money.currency))
    scaled = abs(major * rate * 10 ** exponent(to)) + Fraction(1, 2)
    minor: int = scaled.numerator // scaled.denominator
    return minor if money.minor >= 0 else -minor
