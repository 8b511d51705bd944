"""Amounts as people type them, read exactly: as many decimals as the currency has, and no floats on the way."""

from __future__ import annotations

import re
from typing import Final

from shared.case.money import currency_code, exponent, payable_step
from shared.errors import InvalidInput

_AMOUNT: Final = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,12}))?")


def parse_minor(text: str, currency: str) -> int:
    """An amount such as "89.00" in minor units of its currency, e.g. 8900 for usd and 89 for the "89" of jpy.

    Raises InvalidInput for anything that is not a positive plain decimal number which Stripe could pay.
    """
    code = currency_code(currency)
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        raise InvalidInput(f"{text[:40]!r} is not an amount: digits with a decimal point, such as 1250.00")
    whole, decimals = found[1], found[2] or ""
    places = exponent(code)
    if len(decimals) > places:
        raise InvalidInput(f"{code} has {places or 'no'} decimals, {text!r} has {len(decimals)}")
    minor = int(whole + decimals.ljust(places, "0"))
    if minor == 0:
        raise InvalidInput("an amount must be more than nothing; leave it out if it is not known")
    if minor % payable_step(code):
        raise InvalidInput(f"{text!r} cannot be paid in {code}: the smallest step is {payable_step(code)} minor units")
    return minor
