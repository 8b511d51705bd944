"""A derivation reads as what it computes: every shape of expression that the rules use, and some they may."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.case.brief import Input
from shared.case.derivation import evaluate
from shared.case.derivation_words import derived, in_words
from shared.case.evidence import Cell
from shared.errors import InvalidInput

USD = "minor units of usd"
TIMES = {
    "start": Input(value="2026-04-12T00:00:00Z", evidence=1, field="start"),
    "end": Input(value="2026-04-14T00:00:00Z", evidence=1, field="end"),
    "since": Input(value="2026-04-01T00:00:00Z", evidence=2, field="start"),
    "until": Input(value="2026-05-01T00:00:00Z", evidence=2, field="end"),
}


def _in(value: Cell, unit: str = "", evidence: int | None = 0) -> Input:
    return Input(value=value, unit=unit, evidence=evidence, field="amount", note="the policy")


def _words(expression: str, currency: str = "usd", **inputs: Input) -> str:
    return derived(expression, inputs, currency).words


def _until(end: str) -> dict[str, Input]:
    return {"start": TIMES["start"], "end": Input(value=end, evidence=1, field="end")}


def test_a_share_of_the_cycle_reads_in_days() -> None:
    told = _words("a * overlap_seconds(start, end, since, until) / seconds(since, until)", a=_in(840000, USD), **TIMES)
    assert told == "2 of 30 days of 8,400.00 = 560.00 USD"


def test_a_share_of_a_fixed_number_of_days_reads_the_same() -> None:
    told = _words(
        "a * overlap_seconds(start, end, since, until) / (basis_days * 86400)",
        a=_in(840000, USD),
        basis_days=_in(28, "days", None),
        **TIMES,
    )
    assert told == "2 of 28 days of 8,400.00 = 600.00 USD"


def test_several_incidents_are_added_up() -> None:
    shares = "overlap_seconds(start, end, since, until) + overlap_seconds(s2, e2, since, until)"
    later = {
        "s2": Input(value="2026-04-20T00:00:00Z", evidence=3, field="start"),
        "e2": Input(value="2026-04-21T00:00:00Z", evidence=3, field="end"),
    }
    told = _words(f"a * ({shares}) / seconds(since, until)", a=_in(840000, USD), **TIMES, **later)
    assert told == "3 of 30 days of 8,400.00 = 840.00 USD"


def test_time_that_is_no_number_of_days_reads_in_the_largest_unit_that_is_exact() -> None:
    expression = "a * seconds(start, end) / (cycle * 86400)"
    cycle, a = _in(30, "days", None), _in(900000, USD)
    assert _words(expression, a=a, cycle=cycle, **_until("2026-04-12T04:27:00Z")).startswith("4.45 of 720 hours of ")
    assert _words(expression, a=a, cycle=cycle, **_until("2026-04-12T00:07:00Z")).startswith("7 of 43,200 minutes of ")
    assert _words(expression, a=a, cycle=cycle, **_until("2026-04-12T00:07:01Z")).startswith("421 of 2,592,000 seconds")


def test_hours_of_an_outage_a_multiplier_and_a_cap() -> None:
    outage = _until("2026-04-12T04:27:00Z")
    told = _words(
        "min(fee * seconds(start, end) / 3600 / 720 * multiplier, fee)",
        fee=_in(900000, USD),
        multiplier=_in(2, "", None),
        **outage,
    )
    assert told == "the smaller of 9,000.00 × 4.45 hours × multiplier 2 ÷ 720 and 9,000.00 = 111.25 USD"
    told = _words(
        "fee * seconds(start, end) / (month * 3600) * multiplier",
        fee=_in(900000, USD),
        month=_in(720, "hours", None),
        multiplier=_in(2, "", None),
        **outage,
    )
    assert told == "4.45 of 720 hours of 9,000.00 × multiplier 2 = 111.25 USD"


def test_time_that_is_multiplied_as_it_is_counts_in_seconds() -> None:
    told = _words("price * seconds(start, end)", price=_in(2, USD), **_until("2026-04-12T00:10:00Z"))
    assert told == "0.02 × 600 seconds = 12.00 USD"


def test_seats_and_days() -> None:
    given_ = {"seats": _in(35, "seats"), "price": _in(1500, USD), "left": _in(16, "days")}
    assert _words("seats * price * left / 30", **given_) == "35 seats × 15.00 × 16 days ÷ 30 = 280.00 USD"
    month = {"month": _in(30, "days", None)}
    assert _words("seats * price * left / month", **given_, **month) == "16 of 30 days of 15.00 × 35 seats = 280.00 USD"
    told = _words("(paid - used) * price", paid=_in(40, "seats"), used=_in(39, "seats"), price=_in(1500, USD))
    assert told == "(paid 40 seats − used 39 seats) × 15.00 = 15.00 USD"


def test_days_between_two_instants() -> None:
    told = _words("a * days(start, end) / days(since, until)", a=_in(840000, USD), **TIMES)
    assert told == "2 of 30 days of 8,400.00 = 560.00 USD"


def test_a_per_cent_of_an_amount() -> None:
    assert _words("fee * rate / 100", fee=_in(650000, USD), rate=_in(15, "%", None)) == (
        "15 % of 6,500.00 = 975.00 USD"
    )


def test_what_was_rounded_is_said_to_be() -> None:
    assert _words("arr / 12", arr=_in(13400000, USD)) == "134,000.00 ÷ 12 = 11,166.67 USD, rounded"


def test_what_is_left_of_a_charge() -> None:
    captured = _in(50000, USD)
    told = _words("captured - refunded", captured=captured, refunded=_in(10000, USD))
    assert told == "captured 500.00 − refunded 100.00 = 400.00 USD"
    assert _words("captured - refunded", captured=captured, refunded=_in(0, USD)) == "the whole 500.00 USD"
    assert _words("captured", captured=captured) == "the whole 500.00 USD"


def test_money_of_another_currency_says_which() -> None:
    told = _words("a * b / 100", a=_in(1000, "minor units of eur"), b=_in("1.1", "", None))
    assert told == "10.00 EUR × b 1.1 ÷ 100 = 0.11 USD"


@pytest.mark.parametrize(
    ("currency", "told"), [("jpy", "10,000"), ("kwd", "10.000"), ("ugx", "100.00"), ("usd", "100.00")]
)
def test_money_reads_with_the_decimals_of_its_currency(currency: str, told: str) -> None:
    minor = _in(10000, f"minor units of {currency}")
    assert _words("a / 2", currency, a=minor).startswith(f"{told} ÷ 2 = ")


def test_signs_the_larger_of_two_and_parts_of_a_minor_unit() -> None:
    told = _words("max(-a + b, 0)", a=_in(100, USD), b=_in(350, USD))
    assert told == "the larger of (−1.00 + b 3.50) and 0 = 2.50 USD"
    assert _words("a * 3", a=_in("0.5", USD), currency="usd") == "0.005 × 3 = 0.02 USD, rounded"
    assert _words("b - (a - c)", a=_in(3, USD), b=_in(5, USD), c=_in(1, USD)).startswith("b 0.05 − a 0.03 + c 0.01")
    assert _words("a / (b * c)", a=_in(600, USD), b=_in(2, "weeks"), c=_in(3)) == "6.00 ÷ 2 weeks ÷ c 3 = 1.00 USD"
    assert (
        _words("a / b * c", a=_in(600, USD), b=_in(1, "weeks"), c=_in(1, "weeks")) == "1 of 1 week of 6.00 = 6.00 USD"
    )


def test_what_cannot_be_computed_has_no_words() -> None:
    with pytest.raises(InvalidInput):
        derived("a / b", {"a": _in(1, USD), "b": _in(0)}, "usd")


@given(st.integers(1, 10**9), st.integers(1, 400), st.integers(1, 400))
def test_the_words_end_with_what_the_expression_gives(amount: int, part: int, whole: int) -> None:
    inputs = {"a": _in(amount, USD), "p": _in(part, "days"), "w": _in(whole, "days")}
    made = derived("a * p / w", inputs, "usd")
    assert made.value_minor == evaluate(made)
    said = made.words.removesuffix(", rounded").rpartition(" = ")[2].removesuffix(" USD").replace(",", "")
    assert int(said.replace(".", "")) == made.value_minor
    assert made.words == in_words(made)
    assert made.words.endswith(", rounded") is (amount * part % whole != 0)


def test_major_units_are_money_and_a_coarser_rounding_is_said() -> None:
    yearly = _in("134000", "major units of usd")
    assert _words("nearest(arr * 100 / 12, 100)", arr=yearly) == "134,000.00 ÷ 12 to the nearest 1.00 = 11,167.00 USD"
    assert _words("arr * 100 / 12", arr=yearly) == "134,000.00 ÷ 12 = 11,166.67 USD, rounded"
    in_dinar = _in("134000", "major units of kwd")
    told = _words("nearest(arr * 1000 / 12, 1000)", "kwd", arr=in_dinar)
    assert told == "134,000.000 ÷ 12 to the nearest 1.000 = 11,167.000 KWD"
    assert _words("nearest(n * 7, 100)", n=_in(30)).startswith("n 30 × 7 to the nearest 100 = ")
