"""Money: Stripe's exponents, one rounding, conversion at the org's rate."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.case.money import (
    THREE_DECIMAL,
    WHOLE_UNITS_IN_TWO_DECIMALS,
    ZERO_DECIMAL,
    MissingRate,
    Money,
    convert,
    currency_code,
    exponent,
    format_minor,
    payable_step,
    round_half_up,
)
from shared.errors import InvalidInput

CURRENCIES = ("usd", "eur", "jpy", "isk", "ugx", "bhd", "huf", "twd", "mga", "kwd", "xof")
currencies = st.sampled_from(CURRENCIES)
amounts = st.integers(min_value=-(10**12), max_value=10**12)
positive_rates = st.decimals(min_value="0.000001", max_value=10**6, places=6).map(lambda rate: f"{rate:f}")


@pytest.mark.parametrize(
    ("currency", "decimals", "step"),
    [
        ("usd", 2, 1),
        ("jpy", 0, 1),
        ("mga", 0, 1),  # ISO gives it two decimals
        ("huf", 2, 1),  # whole units only in payouts
        ("twd", 2, 1),
        ("isk", 2, 100),
        ("ugx", 2, 100),  # 5 UGX is sent as 500
        ("bhd", 3, 10),
        ("kwd", 3, 10),
    ],
)
def test_a_currency_has_the_exponent_and_step_that_stripe_gives_it(currency: str, decimals: int, step: int) -> None:
    assert (exponent(currency), payable_step(currency)) == (decimals, step)


def test_no_currency_is_in_two_special_lists() -> None:
    assert not ZERO_DECIMAL & THREE_DECIMAL
    assert not (ZERO_DECIMAL | THREE_DECIMAL) & WHOLE_UNITS_IN_TWO_DECIMALS


@pytest.mark.parametrize(
    ("minor", "currency", "shown"),
    [
        (840000, "usd", "8,400.00"),
        (5, "usd", "0.05"),
        (0, "eur", "0.00"),
        (-5, "usd", "-0.05"),
        (-123456, "usd", "-1,234.56"),
        (9899, "jpy", "9,899"),
        (0, "jpy", "0"),
        (-9899, "jpy", "-9,899"),
        (500, "ugx", "5.00"),
        (1234560, "bhd", "1,234.560"),
    ],
)
def test_minor_units_are_shown_as_people_read_them(minor: int, currency: str, shown: str) -> None:
    assert format_minor(minor, currency) == shown


def test_money_shows_its_currency() -> None:
    assert str(Money(minor=56000, currency="usd")) == "560.00 USD"


@given(amounts, currencies)
def test_what_is_shown_is_exactly_what_is_meant(minor: int, currency: str) -> None:
    shown = Fraction(format_minor(minor, currency).replace(",", ""))
    assert shown * 10 ** exponent(currency) == minor


@pytest.mark.parametrize(
    ("value", "currency", "rounded"),
    [
        (Fraction(5, 2), "usd", 3),
        (Fraction(-5, 2), "usd", -3),
        (Fraction(249, 100), "usd", 2),
        (Fraction(150), "isk", 200),
        (Fraction(149), "isk", 100),
        (Fraction(15), "bhd", 20),
        (Fraction(1, 2), "jpy", 1),
        (Fraction(0), "usd", 0),
    ],
)
def test_a_half_rounds_away_from_zero_to_the_smallest_payable_amount(
    value: Fraction, currency: str, rounded: int
) -> None:
    assert round_half_up(value, currency) == rounded


@given(st.fractions(min_value=-(10**9), max_value=10**9), currencies)
def test_rounding_gives_a_payable_amount_at_most_half_a_step_away(value: Fraction, currency: str) -> None:
    rounded, step = round_half_up(value, currency), payable_step(currency)
    assert rounded % step == 0
    assert abs(rounded - value) <= Fraction(step, 2)
    assert round_half_up(-value, currency) == -rounded


@pytest.mark.parametrize("text", ["", "us", "usdx", "u$d", "us1", "dollars"])
def test_only_a_three_letter_code_is_a_currency(text: str) -> None:
    with pytest.raises(InvalidInput, match="three-letter"):
        currency_code(text)


def test_a_currency_code_is_read_in_any_case() -> None:
    assert currency_code(" USD ") == "usd"


@pytest.mark.parametrize(
    ("minor", "currency", "to", "rate", "converted"),
    [
        (10000, "eur", "usd", "1.08", 10800),
        (9899, "jpy", "usd", "0.0067", 6632),  # 9,899 yen are 66.3233 dollars
        (100, "usd", "jpy", "149.5", 150),  # half a yen up
        (-100, "usd", "jpy", "149.5", -150),
        (1000, "bhd", "usd", "2.65", 265),  # 1.000 dinar
        (50000, "ugx", "usd", "0.00027", 14),  # 500 shillings, not 50,000
        (100000, "huf", "eur", "0.0025", 250),
        (100000, "mga", "usd", "0.00022", 2200),  # 100,000 ariary, not 1,000
        (1400, "isk", "usd", "0.0071", 10),
    ],
)
def test_conversion_knows_the_exponents_of_both_currencies(
    minor: int, currency: str, to: str, rate: str, converted: int
) -> None:
    assert convert(Money(minor=minor, currency=currency), to, {currency: rate}) == converted


def test_no_rate_is_needed_within_one_currency() -> None:
    assert convert(Money(minor=1234, currency="usd"), "usd", {}) == 1234


@pytest.mark.parametrize("fx", [{}, {"gbp": "1.2"}, {"eur": ""}, {"eur": "about 1"}, {"eur": "1/0"}, {"eur": "nan"}])
def test_a_missing_or_unreadable_rate_is_never_guessed(fx: dict[str, str]) -> None:
    with pytest.raises(MissingRate, match="no exchange rate from eur to usd"):
        convert(Money(minor=100, currency="eur"), "usd", fx)


@pytest.mark.parametrize("rate", ["1e999999999", "1_0", " 1", "-1.1", "1" * 13, "٣"])
def test_a_rate_that_is_not_plain_decimal_text_is_no_rate(rate: str) -> None:
    with pytest.raises(MissingRate, match="no exchange rate"):
        convert(Money(minor=100, currency="eur"), "usd", {"eur": rate})


@pytest.mark.parametrize("rate", ["0", "0.0"])
def test_a_rate_that_would_make_money_vanish_is_refused(rate: str) -> None:
    with pytest.raises(MissingRate, match="not positive"):
        convert(Money(minor=100, currency="eur"), "usd", {"eur": rate})


@given(amounts, amounts, currencies, currencies, positive_rates)
def test_more_money_never_converts_to_less(one: int, other: int, currency: str, to: str, rate: str) -> None:
    less, more = sorted((one, other))
    fx = {currency: rate}
    assert convert(Money(minor=less, currency=currency), to, fx) <= convert(
        Money(minor=more, currency=currency), to, fx
    )
