"""Recomputing amounts: a derivation is arithmetic over cited fields, never a number that somebody wrote down.

Expressions know input names, whole numbers, + - * /, minus, parentheses, min and max, and three functions of time:
seconds(a, b) and days(a, b) elapsed from a to b, and overlap_seconds(a1, a2, b1, b2), what two periods share.
Everything is exact; the one rounding is at the end, half up, to the smallest payable unit of the currency, unless a
policy rounds more coarsely: nearest(a, step) is the multiple of `step` nearest to `a`, half up.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from shared.case.brief import Derivation, Input
from shared.case.evidence import Cell, Evidence, EvidenceKind
from shared.case.money import Money, currency_code, round_half_up
from shared.errors import InvalidInput

MAX_LENGTH = 500
MAX_NODES = 200
MAX_DEPTH = 25
MAX_NUMBER = 10**15
"""Bound of every input and of the result; Stripe's largest amount has 12 digits."""

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_+\-*/(), ]")
_NUMBER_RUNS_INTO_LETTERS = re.compile(r"(?<![A-Za-z0-9_])[0-9]+[A-Za-z_]")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_DECIMAL = re.compile(r"-?[0-9]{1,16}(\.[0-9]{1,18})?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_SECOND = 253402300799
_DAY_S = 86400

_OPERATORS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def evaluate(derivation: Derivation) -> int:
    """The amount in minor units of the derivation's currency, rounded once, half up, to what Stripe can pay.

    Raises InvalidInput for anything outside the grammar, an input that is unknown, unused or of the wrong kind, a
    division by zero, and a result that is negative or absurdly large.
    """
    currency = currency_code(derivation.currency)
    tree = parse(derivation.expression)
    _check_names(tree, derivation.inputs)
    try:
        value = value_of(tree, derivation.inputs)
    except ZeroDivisionError:
        raise InvalidInput("the derivation divides by zero") from None
    if value < 0:
        raise InvalidInput("the derivation comes to less than nothing")
    if value > MAX_NUMBER:
        raise InvalidInput(f"the derivation comes to more than {MAX_NUMBER:,} minor units")
    return round_half_up(value, currency)


def verify(derivation: Derivation, lookup: Callable[[int], Evidence | None]) -> None:
    """Check that every input is what the cited row says and that the claimed amount is what the expression gives.

    `lookup` finds an evidence row of the case by its index. Raises InvalidInput for a citation that does not exist,
    is an absence or says something else, for a constant without the rule that fixes it, and for a different amount.
    """
    for name, given in derivation.inputs.items():
        if given.evidence is None:
            _check_constant(name, given)
        else:
            _check_citation(name, given, lookup(given.evidence))
    if all(given.evidence is None for given in derivation.inputs.values()):
        raise InvalidInput("a derivation has to rest on at least one cited field")
    recomputed = evaluate(derivation)
    if recomputed != derivation.value_minor:
        currency = currency_code(derivation.currency)
        ours = Money(minor=recomputed, currency=currency)
        theirs = Money(minor=derivation.value_minor, currency=currency)
        raise InvalidInput(
            f"the derivation gives {ours} ({ours.minor} minor units), but {theirs} ({theirs.minor}) is claimed"
        )


def _check_constant(name: str, given: Input) -> None:
    if given.field is not None:
        raise InvalidInput(f"input {name!r} names a field but cites no evidence")
    if not given.note.strip():
        raise InvalidInput(f"input {name!r} is a constant: its note must name the rule that fixes it")


def _check_citation(name: str, given: Input, evidence: Evidence | None) -> None:
    where = f"evidence {given.evidence}"
    if evidence is None:
        raise InvalidInput(f"input {name!r} cites {where}, which does not exist")
    if evidence.row.kind is EvidenceKind.ABSENCE:
        raise InvalidInput(f"input {name!r} cites {where}, which is an absence and has no values")
    if given.field is None or given.field not in evidence.row.fields:
        raise InvalidInput(f"input {name!r} must name a field of {where}")
    if not _same(given.value, evidence.row.fields[given.field]):
        raise InvalidInput(f"input {name!r} is not what the field {given.field!r} of {where} says")


def _same(claimed: Cell, recorded: Cell) -> bool:
    """Equal in type and value, except that 5600 and "5600.00" are the same number."""
    ours, theirs = _as_number(claimed), _as_number(recorded)
    if ours is not None and theirs is not None:
        return ours == theirs
    return type(claimed) is type(recorded) and claimed == recorded


def _as_number(value: Cell) -> Fraction | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Fraction(value)
    return Fraction(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else None


def parse(expression: str) -> ast.expr:
    """The expression as a tree. Raises InvalidInput for text outside the grammar, or too long to be checked."""
    text = expression.strip(" ")
    if not text or len(text) > MAX_LENGTH:
        raise InvalidInput(f"a derivation's expression has 1 to {MAX_LENGTH} characters")
    stray = _FORBIDDEN.search(text)
    if stray is not None:
        raise InvalidInput(
            f"{stray.group()!r} is not allowed in a derivation: it takes whole numbers, input names, "
            "+ - * / and the known functions; write a decimal as an input"
        )
    if _NUMBER_RUNS_INTO_LETTERS.search(text):
        raise InvalidInput("a number in a derivation consists of digits only")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise InvalidInput("the derivation is not a well-formed expression") from error
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise InvalidInput("the derivation is too long to be checked by a person")
    return tree


def _check_names(tree: ast.expr, inputs: Mapping[str, Input]) -> None:
    for name in inputs:
        if not _NAME.fullmatch(name) or name in _ARITY:
            raise InvalidInput(f"{name[:40]!r} cannot name an input: use small letters, digits and underscores")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(_ARITY)
    for name in sorted(used - set(inputs)):
        raise InvalidInput(f"the derivation uses {name!r}, which is not among its inputs")
    for name in sorted(set(inputs) - used):
        raise InvalidInput(f"the derivation never uses its input {name!r}")


def value_of(node: ast.expr, inputs: Mapping[str, Input], depth: int = MAX_DEPTH) -> Fraction:
    """The exact value of a part of an expression; `depth` is how much deeper it may still nest. Raises InvalidInput."""
    if depth == 0:
        raise InvalidInput(f"the derivation nests deeper than {MAX_DEPTH} levels")
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return _bounded(Fraction(number), "a number in the derivation")
        case ast.Name(id=name) if name in inputs:
            return _number(name, inputs[name].value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value_of(operand, inputs, depth - 1)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](value_of(left, inputs, depth - 1), value_of(right, inputs, depth - 1))
        case ast.Call(func=ast.Name(id=function), args=args, keywords=[]) if function in _ARITY:
            return _call(function, args, inputs, depth)
    raise InvalidInput(
        f"{type(node).__name__} is not part of a derivation: it takes input names, whole numbers, + - * /, "
        f"parentheses and {', '.join(sorted(_ARITY))}"
    )


def _call(function: str, args: Sequence[ast.expr], inputs: Mapping[str, Input], depth: int) -> Fraction:
    fewest, most = _ARITY[function]
    if not fewest <= len(args) <= most:
        wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
        raise InvalidInput(f"{function} takes {wanted} arguments, not {len(args)}")
    if function in _OF_NUMBERS:
        return _OF_NUMBERS[function](value_of(argument, inputs, depth - 1) for argument in args)
    return _OF_TIMES[function](*(_instant(argument, inputs) for argument in args))


def _number(name: str, value: Cell) -> Fraction:
    number = _as_number(value)
    if number is None:
        raise InvalidInput(f"input {name!r} is not a number; a time belongs inside seconds, days or overlap_seconds")
    return _bounded(number, f"input {name!r}")


def _bounded(number: Fraction, what: str) -> Fraction:
    if abs(number) > MAX_NUMBER:
        raise InvalidInput(f"{what} is larger than {MAX_NUMBER:,}")
    return number


def _instant(node: ast.expr, inputs: Mapping[str, Input]) -> Fraction:
    """Seconds since 1970 of an input that is epoch seconds or ISO text with an offset (to the microsecond)."""
    if not isinstance(node, ast.Name) or node.id not in inputs:
        raise InvalidInput("seconds, days and overlap_seconds take the names of inputs that are times")
    value = inputs[node.id].value
    if isinstance(value, str):
        return _iso_instant(node.id, value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LAST_SECOND:
        return Fraction(value)
    raise InvalidInput(f"input {node.id!r} is not a time: it must be ISO text with an offset or epoch seconds")


def _iso_instant(name: str, text: str) -> Fraction:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"input {name!r} is not a time: it must be ISO text with an offset") from None
    if moment.tzinfo is None:
        raise InvalidInput(f"input {name!r} is a time without an offset: nobody can tell which instant is meant")
    return Fraction((moment - _EPOCH) // timedelta(microseconds=1), 10**6)


def _seconds(start: Fraction, end: Fraction) -> Fraction:
    if end < start:
        raise InvalidInput("a period in the derivation ends before it starts")
    return end - start


def _days(start: Fraction, end: Fraction) -> Fraction:
    return _seconds(start, end) / _DAY_S


def _overlap_seconds(start: Fraction, end: Fraction, other_start: Fraction, other_end: Fraction) -> Fraction:
    _seconds(start, end)
    _seconds(other_start, other_end)
    return max(Fraction(0), min(end, other_end) - max(start, other_start))


def _nearest(values: Iterable[Fraction]) -> Fraction:
    value, step = values
    if step <= 0:
        raise InvalidInput("nearest rounds to a step that is more than nothing")
    steps = abs(value) / step + Fraction(1, 2)
    rounded = steps.numerator // steps.denominator * step
    return rounded if value >= 0 else -rounded


_OF_NUMBERS: dict[str, Callable[..., Fraction]] = {"min": min, "max": max, "nearest": _nearest}
_OF_TIMES: dict[str, Callable[..., Fraction]] = {
    "seconds": _seconds,
    "days": _days,
    "overlap_seconds": _overlap_seconds,
}
_ARITY = {
    "min": (2, 10),
    "max": (2, 10),
    "nearest": (2, 2),
    "seconds": (2, 2),
    "days": (2, 2),
    "overlap_seconds": (4, 4),
}
