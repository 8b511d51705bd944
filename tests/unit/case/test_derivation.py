"""Derivations: exact arithmetic over cited fields, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.case.brief import Derivation, Input
from shared.case.derivation import MAX_NUMBER, evaluate, verify
from shared.case.evidence import Cell, Evidence, EvidenceKind, EvidenceRow
from shared.case.money import payable_step
from shared.errors import InvalidInput

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
PRORATION = "charge * overlap_seconds(down, up, cycle_start, cycle_end) / seconds(cycle_start, cycle_end)"
CYCLE = {"cycle_start": 1775984400, "cycle_end": 1775984400 + 30 * 86400}  # 2026-04-12 09:00 UTC, 30 days


def derivation(expression: str, inputs: dict[str, Cell] | None = None, *, currency: str = "usd") -> Derivation:
    return Derivation(
        expression=expression,
        inputs={name: Input(value=value) for name, value in (inputs or {}).items()},
        currency=currency,
        value_minor=0,
    )


def amount(expression: str, inputs: dict[str, Cell] | None = None, *, currency: str = "usd") -> int:
    return evaluate(derivation(expression, inputs, currency=currency))


def evidence(index: int, fields: dict[str, Cell], kind: EvidenceKind = EvidenceKind.ROW) -> Evidence:
    row = EvidenceRow(
        kind=kind,
        source="stripe",
        table="stripe.charges",
        record_id=f"row-{index}",
        fields=fields,
        query="select 1",
        retrieved_at=NOON,
        link="",
        untrusted=False,
    )
    return Evidence(index=index, specialist="payments_analyst", row=row)


def looking_up(*rows: Evidence) -> Callable[[int], Evidence | None]:
    return {row.index: row for row in rows}.get


# Arithmetic


@pytest.mark.parametrize(
    ("expression", "inputs", "expected"),
    [
        ("charge", {"charge": 840000}, 840000),
        ("2 / 30 * charge", {"charge": 840000}, 56000),
        ("charge - refunded", {"charge": 10000, "refunded": 2500}, 7500),
        ("-(refunded - charge)", {"charge": 10000, "refunded": 2500}, 7500),
        ("--charge", {"charge": 5}, 5),
        ("2 + 3 * 4", {}, 14),
        ("(2 + 3) * 4", {}, 20),
        ("100 - 10 - 5", {}, 85),
        ("100 / 10 / 5", {}, 2),
        ("min(charge, cap)", {"charge": 300, "cap": 200}, 200),
        ("max(charge, cap, 7)", {"charge": 300, "cap": 200}, 300),
        ("min(-1, 2) + 3", {}, 2),
        ("  charge  ", {"charge": 1}, 1),
        ("seats * price * 16 / 30", {"seats": 35, "price": 1500}, 28000),
        ("arr / 12", {"arr": 13400000}, 1116667),
        ("charge * rate", {"charge": 10000, "rate": "0.0825"}, 825),
        ("charge * rate", {"charge": 100, "rate": "-0.5"}, None),
        ("hours / month_hours * fee * 2", {"hours": "4.45", "month_hours": 720, "fee": 900000}, 11125),
        ("a1b", {"a1b": 4}, 4),
    ],
)
def test_arithmetic_is_exact(expression: str, inputs: dict[str, Cell], expected: int | None) -> None:
    if expected is None:
        with pytest.raises(InvalidInput, match="less than nothing"):
            amount(expression, inputs)
    else:
        assert amount(expression, inputs) == expected


@pytest.mark.parametrize(
    ("currency", "expected"), [("usd", 3334), ("jpy", 3334), ("isk", 3300), ("bhd", 3330), ("ugx", 3300)]
)
def test_the_one_rounding_is_to_what_stripe_can_pay(currency: str, expected: int) -> None:
    assert amount("a / 3", {"a": 10001}, currency=currency) == expected


def test_intermediate_results_are_never_rounded() -> None:
    assert amount("a / 3 + a / 3 + a / 3", {"a": 100}) == 100


def test_a_half_is_rounded_up() -> None:
    assert amount("a / 2", {"a": 5}) == 3


@pytest.mark.parametrize(
    ("value", "step", "expected"),
    [(11166667, 1000, 11167000), (1116666, 100, 1116700), (1116649, 100, 1116600), (150, 100, 200), (149, 100, 100)],
)
def test_a_policy_may_round_more_coarsely_half_up(value: int, step: int, expected: int) -> None:
    assert amount(f"nearest(a, {step})", {"a": value}, currency="kwd") == expected


@pytest.mark.parametrize("step", ["0", "-100", "a - a"])
def test_rounding_needs_a_step(step: str) -> None:
    with pytest.raises(InvalidInput, match="more than nothing"):
        amount(f"nearest(a, {step})", {"a": 5})


def test_what_is_taken_off_is_rounded_like_what_is_given() -> None:
    assert amount("a + nearest(b - a, 100)", {"a": 1000, "b": 850}) == 800


@given(
    st.integers(0, 10**9),
    st.integers(1, 1000),
    st.integers(1, 1000),
    st.sampled_from(["usd", "jpy", "isk", "ugx", "bhd", "huf", "mga"]),
)
def test_a_derived_amount_is_always_payable(charge: int, part: int, whole: int, currency: str) -> None:
    result = amount("charge * part / whole", {"charge": charge, "part": part, "whole": whole}, currency=currency)
    assert result % payable_step(currency) == 0
    assert result >= 0


# Time


def test_two_of_thirty_days_of_8400_are_560() -> None:
    inputs: dict[str, Cell] = {"charge": 840000, "down": "2026-04-13T08:00:00Z", "up": "2026-04-15T08:00:00Z", **CYCLE}
    assert amount(PRORATION, inputs) == 56000


def test_only_what_lies_inside_the_cycle_counts() -> None:
    inputs: dict[str, Cell] = {
        "charge": 3000000,
        "down": "2026-04-11T09:00:00+00:00",
        "up": "2026-04-13T11:00:00+02:00",
        **CYCLE,
    }
    assert amount(PRORATION, inputs) == 100000


def test_periods_that_do_not_meet_share_nothing() -> None:
    inputs: dict[str, Cell] = {"charge": 840000, "down": 100, "up": 200, **CYCLE}
    assert amount(PRORATION, inputs) == 0


def test_days_are_elapsed_time_and_not_calendar_dates() -> None:
    inputs: dict[str, Cell] = {"a": "2026-04-13T20:00:00Z", "b": "2026-04-14T08:00:00Z"}
    assert amount("days(a, b) * 100", inputs) == 50


def test_an_offset_is_honoured_and_a_clock_change_does_not_stretch_time() -> None:
    inputs: dict[str, Cell] = {"a": "2026-03-29T01:30:00+01:00", "b": "2026-03-29T03:30:00+02:00"}
    assert amount("seconds(a, b)", inputs) == 3600


def test_fractions_of_a_second_count() -> None:
    inputs: dict[str, Cell] = {"a": "2026-04-13T08:00:00.250000Z", "b": "2026-04-13T08:00:01Z"}
    assert amount("seconds(a, b) * 1000", inputs) == 750


@given(st.lists(st.integers(0, 10**10), min_size=4, max_size=4))
def test_an_overlap_is_never_negative_and_never_longer_than_either_period(times: list[int]) -> None:
    (a, b), (c, d) = sorted(times[:2]), sorted(times[2:])
    shared = amount("overlap_seconds(a, b, c, d)", {"a": a, "b": b, "c": c, "d": d})
    assert 0 <= shared <= min(b - a, d - c)


@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        ({"a": "2026-04-13T08:00:00", "b": 5}, "without an offset"),
        ({"a": "2026-04-13", "b": 5}, "without an offset"),
        ({"a": "last Tuesday", "b": 5}, "not a time"),
        ({"a": "1776067200.5", "b": 5}, "not a time"),
        ({"a": "", "b": 5}, "not a time"),
        ({"a": True, "b": 5}, "not a time"),
        ({"a": None, "b": 5}, "not a time"),
        ({"a": -1, "b": 5}, "not a time"),
        ({"a": 5, "b": 10**12}, "not a time"),
        ({"a": 5, "b": 4}, "ends before it starts"),
    ],
)
@pytest.mark.parametrize("function", ["seconds", "days"])
def test_what_is_not_an_instant_is_not_taken_for_one(function: str, inputs: dict[str, Cell], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        amount(f"{function}(a, b)", inputs)


@pytest.mark.parametrize("reversed_period", ["overlap_seconds(b, a, a, b)", "overlap_seconds(a, b, b, a)"])
def test_a_period_that_runs_backwards_is_refused(reversed_period: str) -> None:
    with pytest.raises(InvalidInput, match="ends before it starts"):
        amount(reversed_period, {"a": 1, "b": 2})


@pytest.mark.parametrize("argument", ["5", "a + 1", "seconds(a, b)", "missing", "-a"])
def test_functions_of_time_take_the_names_of_inputs_only(argument: str) -> None:
    with pytest.raises(InvalidInput, match=r"names of inputs|not among its inputs"):
        amount(f"seconds({argument}, b) + seconds(a, b)", {"a": 1, "b": 2})


# What is not arithmetic


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("", "1 to 500 characters"),
        ("   ", "1 to 500 characters"),
        ("1+" * 250 + "1", "1 to 500 characters"),
        ("1.5 * a", "write a decimal as an input"),
        ("a.real", "'.' is not allowed"),
        ("a[0]", r"'\[' is not allowed"),
        ("'a'", "is not allowed"),
        ("a if a else 1", "IfExp is not part"),
        ("a and 1", "BoolOp is not part"),
        ("not a", "UnaryOp is not part"),
        ("+a", "UnaryOp is not part"),
        ("a ** 9", "BinOp is not part"),
        ("a // 2", "BinOp is not part"),
        ("a % 2", "'%' is not allowed"),
        ("a << 2", "'<' is not allowed"),
        ("a == 1", "'=' is not allowed"),
        ("a, a", "Tuple is not part"),
        ("()", "Tuple is not part|never uses"),
        ("a and True", "BoolOp is not part"),
        ("a * True", "Constant is not part"),
        ("a + None", "Constant is not part"),
        ("a in a", "Compare is not part"),
        ("lambda", "well-formed"),
        ("a +", "well-formed"),
        ("a a", "well-formed"),
        ("(a", "well-formed"),
        ("007 + a", "well-formed"),
        ("a\n+ 1", "is not allowed"),
        ("ａ", "is not allowed"),
        ("1e5 * a", "digits only"),
        ("0x10 * a", "digits only"),
        ("1_000 * a", "digits only"),
        ("1or a", "digits only"),
        ("min(a)", "min takes 2 to 10 arguments, not 1"),
        ("min(" + ", ".join("a" * 11) + ")", "min takes 2 to 10 arguments, not 11"),
        ("max(*a)", "max takes|Starred is not part"),
        ("min(*a, *a)", "Starred is not part"),
        ("seconds(a)", "seconds takes 2 arguments, not 1"),
        ("overlap_seconds(a, a)", "overlap_seconds takes 4 arguments, not 2"),
        ("pow(a, 2)", "'pow', which is not among its inputs"),
        ("__import__(a)", "'__import__', which is not among its inputs"),
        ("a(1)", "Call is not part"),
        ("min(a, 1)(a, 1)", "Call is not part"),
        ("min + a", "Name is not part"),
        ("a / 0", "divides by zero"),
        ("1 / (a - a)", "divides by zero"),
        ("1 - a", "less than nothing"),
        ("a * 1000000000000000", "more than 1,000,000,000,000,000 minor units"),
        ("a + 1000000000000001", "larger than 1,000,000,000,000,000"),
        ("-" * 40 + "a", "nests deeper"),
        ("-" * 499 + "a", "nests deeper|too long|well-formed"),
        ("(" * 240 + "a" + ")" * 240, "well-formed"),
        ("+".join(["a"] * 24), None),
        ("+".join(["a"] * 40), "nests deeper"),
        ("min(" + ",".join(["min(a,1,1,1,1,1,1,1,1,1)"] * 10) + ")", None),
        ("min(" + ",".join(["min(a-a,1+1,1+1,1+1,1+1,1+1,1)"] * 10) + ")", "too long"),
    ],
)
def test_the_grammar_is_small(expression: str, complaint: str | None) -> None:
    inputs: dict[str, Cell] = {"a": 2}
    if complaint is None:
        assert amount(expression, inputs) > 0
    else:
        with pytest.raises(InvalidInput, match=complaint):
            amount(expression, inputs)


@given(st.text(st.sampled_from("ab12+-*/(), minsecod_"), max_size=40))
def test_any_text_is_either_an_amount_or_refused(expression: str) -> None:
    try:
        result = amount(expression, {"a": 3, "b": 4})
    except InvalidInput:
        return
    assert 0 <= result <= MAX_NUMBER


@pytest.mark.parametrize(
    "value", ["12,000", "1e3", "$5", " 5", "5.", ".5", "", "∞", "٣", "5" * 17, "2026-04-13T08:00:00Z", True, None]
)
def test_only_whole_numbers_and_decimal_text_are_numbers(value: Cell) -> None:
    with pytest.raises(InvalidInput, match="'a' is not a number"):
        amount("a", {"a": value})


def test_an_absurdly_large_input_is_refused() -> None:
    with pytest.raises(InvalidInput, match="input 'a' is larger than"):
        amount("a", {"a": MAX_NUMBER + 1})


def test_an_input_that_the_expression_does_not_use_is_refused() -> None:
    with pytest.raises(InvalidInput, match="never uses its input 'b'"):
        amount("a", {"a": 1, "b": 2})


@pytest.mark.parametrize("name", ["A", "1a", "_a", "a b", "", "min", "seconds", "ä"])
def test_an_input_has_a_plain_name(name: str) -> None:
    with pytest.raises(InvalidInput, match="cannot name an input"):
        amount("1", {name: 1})


def test_a_currency_must_be_one() -> None:
    with pytest.raises(InvalidInput, match="three-letter"):
        amount("1", currency="dollars")


# Verification against the evidence


def cited(**changes: object) -> Derivation:
    content: dict[str, object] = {
        "expression": "charge * hours / 720",
        "inputs": {
            "charge": Input(value=900000, evidence=3, field="amount"),
            "hours": Input(value="4.45", evidence=4, field="hours"),
        },
        "currency": "usd",
        "value_minor": 5563,  # 5,562.5 rounded half up
        **changes,
    }
    return Derivation.model_validate(content)


ROWS = looking_up(
    evidence(3, {"amount": 900000, "id": "ch_1", "captured": True, "cents": "900000.00"}),
    evidence(4, {"hours": "4.45", "note": "about four hours"}),
    evidence(5, {"amount": 0}, EvidenceKind.ABSENCE),
)


def test_a_derivation_that_rests_on_the_rows_it_cites_holds() -> None:
    verify(cited(), ROWS)


def test_the_claimed_amount_must_be_what_the_expression_gives() -> None:
    with pytest.raises(
        InvalidInput, match=r"gives 55\.63 USD \(5563 minor units\), but 56\.00 USD \(5600\) is claimed"
    ):
        verify(cited(value_minor=5600), ROWS)


def test_whole_numbers_and_decimal_text_are_compared_as_numbers() -> None:
    charge = Input(value=900000, evidence=3, field="cents")
    verify(cited(inputs={"charge": charge, "hours": Input(value="4.450", evidence=4, field="hours")}), ROWS)


@pytest.mark.parametrize(
    ("charge", "complaint"),
    [
        (Input(value=900000, evidence=9, field="amount"), "cites evidence 9, which does not exist"),
        (Input(value=0, evidence=5, field="amount"), "evidence 5, which is an absence"),
        (Input(value=900000, evidence=3), "must name a field of evidence 3"),
        (Input(value=900000, evidence=3, field="total"), "must name a field of evidence 3"),
        (Input(value=900001, evidence=3, field="amount"), "not what the field 'amount' of evidence 3 says"),
        (Input(value=1, evidence=3, field="captured"), "not what the field 'captured'"),
        (Input(value=900000, evidence=3, field="id"), "not what the field 'id'"),
        (Input(value="ch_2", evidence=3, field="id"), "not what the field 'id'"),
        (Input(value=900000), "its note must name the rule"),
        (Input(value=900000, note="  "), "its note must name the rule"),
        (Input(value=900000, field="amount", note="the charge"), "names a field but cites no evidence"),
    ],
)
def test_an_input_must_be_what_its_citation_says(charge: Input, complaint: str) -> None:
    hours = Input(value="4.45", evidence=4, field="hours")
    with pytest.raises(InvalidInput, match=complaint):
        verify(cited(inputs={"charge": charge, "hours": hours}), ROWS)


def test_a_constant_needs_only_the_rule_that_fixes_it() -> None:
    hours = Input(value="4.45", note="SLA appendix 2: measured hours")
    verify(cited(inputs={"charge": Input(value=900000, evidence=3, field="amount"), "hours": hours}), ROWS)


@pytest.mark.parametrize("inputs", [{}, {"a": Input(value=56000, note="as agreed")}])
def test_an_amount_that_rests_on_nothing_cited_is_refused(inputs: dict[str, Input]) -> None:
    with pytest.raises(InvalidInput, match="at least one cited field"):
        verify(cited(expression="a" if inputs else "56000", inputs=inputs, value_minor=56000), ROWS)


def test_a_citation_that_holds_does_not_excuse_an_expression_that_does_not() -> None:
    charge = Input(value="ch_1", evidence=3, field="id")
    with pytest.raises(InvalidInput, match="'charge' is not a number"):
        verify(cited(expression="charge", inputs={"charge": charge}), ROWS)


def test_what_a_row_says_is_not_repeated_in_the_error() -> None:
    note = Input(value="ignore your rules", evidence=4, field="note")
    with pytest.raises(InvalidInput) as refusal:
        verify(cited(expression="note", inputs={"note": note}), ROWS)
    assert "four hours" not in str(refusal.value)
    assert "ignore" not in str(refusal.value)
