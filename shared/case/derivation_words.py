"""A derivation in words, made from its own expression and inputs: "2 of 30 days of 8,400.00 = 560.00 USD".

Nothing here is written per case, so the words cannot say anything else than what is computed. An input's unit tells how
it reads: "minor units of usd" is money, and so is "major units of usd" times 100; "%" is a share of a hundred, any
other unit a counted noun; times only occur inside the functions of time. Every number that is printed is exact; what
was rounded at the end is said to be.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from shared.case.brief import Derivation, Input
from shared.case.derivation import evaluate, parse, value_of
from shared.case.money import currency_code, exponent, format_minor

_SUM, _PRODUCT, _ATOM = 1, 2, 3
_MONEY = re.compile(r"minor units of ([a-z]{3})|([a-z]{3}) minor units", re.IGNORECASE)
_MAJOR = re.compile(r"major units of ([a-z]{3})", re.IGNORECASE)
_PER_CENT = frozenset({"%", "percent", "per cent"})
_SECONDS, _MONEY_UNIT, _MAJOR_UNIT = "seconds", "money", "major "
_SCALES = ((86400, "days"), (3600, "hours"), (60, "minutes"), (1, "seconds"))


def derived(expression: str, inputs: Mapping[str, Input], currency: str) -> Derivation:
    """A derivation with the amount and the words that its expression gives. Raises InvalidInput when it gives none."""
    bare = Derivation(expression=expression, inputs=dict(inputs), currency=currency, value_minor=0)
    valued = bare.model_copy(update={"value_minor": evaluate(bare)})
    return valued.model_copy(update={"words": in_words(valued)})


def in_words(derivation: Derivation) -> str:
    """What is computed, in words, with the amount that the expression gives. Raises InvalidInput when it gives none."""
    currency = currency_code(derivation.currency)
    told = f"{format_minor(evaluate(derivation), currency)} {currency.upper()}"
    tree = parse(derivation.expression)
    exact = value_of(tree, derivation.inputs)
    phrase = _Teller(derivation.inputs, currency).tell(tree)
    if phrase.name and phrase.unit == _MONEY_UNIT and exact == evaluate(derivation):
        return f"the whole {told}"
    rounded = "" if exact == evaluate(derivation) else ", rounded"
    return f"{phrase.text} = {told}{rounded}"


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A part of the expression in words. `name`: of the one input it is; `rank`: how tightly it holds together."""

    text: str
    value: Fraction
    unit: str = ""
    rank: int = _ATOM
    name: str = ""

    def within(self, rank: int) -> str:
        """The text, in parentheses where its surroundings hold more tightly."""
        return self.text if self.rank >= rank else f"({self.text})"


@dataclass(frozen=True, slots=True)
class _Teller:
    """Tells the parts of one expression."""

    inputs: Mapping[str, Input]
    currency: str

    def tell(self, node: ast.expr) -> _Phrase:
        """A part of an expression that `evaluate` has accepted."""
        match node:
            case ast.Name(id=name):
                return self._input(name)
            case ast.UnaryOp(operand=operand):
                inner = self.tell(operand)
                return _Phrase(f"−{inner.within(_ATOM)}", -inner.value, inner.unit, _PRODUCT)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return self._sum(node)
            case ast.BinOp():
                return self._product(node)
            case ast.Call(func=ast.Name(id=function), args=args):
                return self._call(function, args, value_of(node, self.inputs))
        value = value_of(node, self.inputs)
        return _Phrase(_decimal(value) or str(value), value)

    def _input(self, name: str) -> _Phrase:
        given, value = self.inputs[name], value_of(ast.Name(id=name), self.inputs)
        words = name.replace("_", " ")
        money = _MONEY.search(given.unit)
        if money is not None:
            return _Phrase(self._money(value, (money[1] or money[2]).lower()), value, _MONEY_UNIT, name=words)
        major = _MAJOR.search(given.unit)
        if major is not None:
            code = major[1].lower()
            return _Phrase(self._money(value * 10 ** exponent(code), code), value, f"{_MAJOR_UNIT}{code}", name=words)
        if given.unit in _PER_CENT:
            return _Phrase(f"{_number(value)} %", value, "%", name=words)
        if given.unit:
            return _Phrase(_counted(value, given.unit), value, given.unit, name=words)
        return _Phrase(f"{words} {_number(value)}", value, name=words)

    def _money(self, value: Fraction, currency: str) -> str:
        other = "" if currency == self.currency else f" {currency.upper()}"
        if value.denominator == 1:
            return f"{format_minor(int(value), currency)}{other}"
        return f"{_number(value / 10 ** exponent(currency))}{other}"

    def _call(self, function: str, args: Sequence[ast.expr], value: Fraction) -> _Phrase:
        if function in ("min", "max"):
            parts = [self.tell(argument).within(_PRODUCT) for argument in args]
            which = "the smaller of" if function == "min" else "the larger of"
            unit = self.tell(args[0]).unit
            return _Phrase(f"{which} {', '.join(parts[:-1])} and {parts[-1]}", value, unit, _PRODUCT)
        if function == "nearest":
            inner, step = self.tell(args[0]), value_of(args[1], self.inputs)
            told = self._money(step, self.currency) if inner.unit == _MONEY_UNIT else _number(step)
            return _Phrase(f"{inner.within(_PRODUCT)} to the nearest {told}", value, inner.unit, _PRODUCT)
        if function == "days":
            return _Phrase(_counted(value, "days"), value, "days")
        return _lasting(value)

    def _sum(self, node: ast.expr) -> _Phrase:
        signed = [(sign, phrase) for sign, phrase in self._terms(node, 1)]
        value = sum((sign * phrase.value for sign, phrase in signed), Fraction(0))
        if all(phrase.unit == _SECONDS for _, phrase in signed):
            return _lasting(value)
        shown = [(sign, phrase) for sign, phrase in signed if phrase.value] or signed[:1]
        if len(shown) == 1 and shown[0][0] == 1:
            return shown[0][1]
        text = ""
        for sign, phrase in shown:
            told = phrase.within(_PRODUCT)
            named = f"{phrase.name} {told}" if phrase.name and phrase.unit else told
            text += (f" {'+' if sign > 0 else '−'} " if text else ("" if sign > 0 else "−")) + named
        units = {phrase.unit for _, phrase in shown}
        return _Phrase(text, value, units.pop() if len(units) == 1 else "", _SUM)

    def _terms(self, node: ast.expr, sign: int) -> list[tuple[int, _Phrase]]:
        match node:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return [*self._terms(left, sign), *self._terms(right, sign)]
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return [*self._terms(left, sign), *self._terms(right, -sign)]
        return [(sign, self.tell(node))]

    def _product(self, node: ast.expr) -> _Phrase:
        value = value_of(node, self.inputs)
        over, under = self._factors(node)
        over, under = _in_minor(_spans(over)), _spans(under)
        if len(over) == 1 and not under:
            return over[0]
        over, under = _counted_out(over, under)
        shares, over, under = _shares(over, under)
        return _Phrase(_composed(shares, over, under), value, _unit_of(over, under), _PRODUCT)

    def _factors(self, node: ast.expr) -> tuple[list[_Phrase], list[_Phrase]]:
        """What is multiplied, and what it is divided by."""
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                (over, under), (more, less) = self._factors(left), self._factors(right)
                return over + more, under + less
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                (over, under), (less, more) = self._factors(left), self._factors(right)
                return over + more, under + less
        return [self.tell(node)], []


def _spans(factors: list[_Phrase]) -> list[_Phrase]:
    """A count of days times the seconds of a day is a span of time; so are hours."""
    for seconds, noun in _SCALES[:3]:
        counted = next((item for item in factors if item.unit == noun), None)
        length = _length(factors, seconds)
        if counted is not None and length is not None:
            rest = [item for item in factors if item is not counted and item is not length]
            return [_lasting(counted.value * seconds), *rest]
    return factors


def _in_minor(factors: list[_Phrase]) -> list[_Phrase]:
    """Major units times the number of minor units in one are money, and read as they did before."""
    for item in factors:
        if item.unit.startswith(_MAJOR_UNIT):
            size = 10 ** exponent(item.unit.removeprefix(_MAJOR_UNIT))
            length = _length(factors, size)
            if length is not None:
                money = _Phrase(item.text, item.value * size, _MONEY_UNIT, name=item.name)
                return [money, *(other for other in factors if other is not item and other is not length)]
    return factors


def _counted_out(over: list[_Phrase], under: list[_Phrase]) -> tuple[list[_Phrase], list[_Phrase]]:
    """Seconds divided by the seconds of an hour are hours; a span that is multiplied as it is counts in seconds."""
    under = list(under)
    told: list[_Phrase] = []
    for item in over:
        if item.unit == _SECONDS and not any(whole.unit == _SECONDS for whole in under):
            scale = next(((size, noun) for size, noun in _SCALES if _length(under, size)), (1, _SECONDS))
            under = [whole for whole in under if whole is not _length(under, scale[0])]
            value = item.value / scale[0]
            item = _Phrase(_counted(value, scale[1]), value, scale[1])
        told.append(item)
    return told, under


def _length(factors: list[_Phrase], seconds: int) -> _Phrase | None:
    """The factor that is no input but the number of seconds in an hour, a day ..."""
    return next((item for item in factors if not item.unit and not item.name and item.value == seconds), None)


def _shares(over: list[_Phrase], under: list[_Phrase]) -> tuple[list[str], list[_Phrase], list[_Phrase]]:
    """The pairs that are a share of a whole, in words, and the factors that are left."""
    told: list[str] = []
    over, under = list(over), list(under)
    for whole in list(under):
        part = next((item for item in over if _is_share(item, whole)), None)
        if part is not None:
            told.append(_share(part, whole))
            over.remove(part)
            under.remove(whole)
    return told, over, under


def _is_share(part: _Phrase, whole: _Phrase) -> bool:
    if part.unit == "%":
        return not whole.unit and whole.value == 100
    return bool(part.unit) and part.unit == whole.unit and part.unit != _MONEY_UNIT


def _share(part: _Phrase, whole: _Phrase) -> str:
    if part.unit == "%":
        return part.within(_PRODUCT)
    if part.unit == _SECONDS:
        return _share_of_time(part.value, whole.value)
    return f"{_number(part.value)} of {_counted(whole.value, whole.unit)}"


def _share_of_time(part: Fraction, whole: Fraction) -> str:
    """In the largest unit in which both have a short exact form."""
    for seconds, noun in _SCALES:
        ours, theirs = _decimal(part / seconds), _decimal(whole / seconds)
        if ours is not None and theirs is not None:
            return f"{ours} of {_counted(whole / seconds, noun)}"
    return f"{_number(part)} of {_counted(whole, _SECONDS)}"


def _lasting(value: Fraction) -> _Phrase:
    """A span of time in the largest unit that it fills and in which it has a short exact form."""
    for seconds, noun in _SCALES:
        if value >= seconds and _decimal(value / seconds) is not None:
            return _Phrase(_counted(value / seconds, noun), value, _SECONDS)
    return _Phrase(_counted(value, _SECONDS), value, _SECONDS)


def _composed(shares: list[str], over: list[_Phrase], under: list[_Phrase]) -> str:
    """Shares of money first, then what else it is multiplied with and divided by."""
    money = [item for item in over if item.unit == _MONEY_UNIT]
    if shares and len(money) == 1:
        first = [f"{' of '.join(shares)} of {money[0].within(_ATOM)}"]
        over = [item for item in over if item is not money[0]]
    else:
        first = list(shares)
    parts = [*first, *(item.within(_PRODUCT) for item in over)] or ["1"]
    return " × ".join(parts) + "".join(f" ÷ {item.within(_ATOM)}" for item in under)


def _unit_of(over: list[_Phrase], under: list[_Phrase]) -> str:
    """Money stays money when it is divided by numbers; anything else that was multiplied out has no unit of its own."""
    units = [item.unit for item in over if item.unit == _MONEY_UNIT]
    return _MONEY_UNIT if len(units) == 1 and all(item.unit != _MONEY_UNIT for item in under) else ""


def _counted(value: Fraction, noun: str) -> str:
    """35 seats, 1 seat."""
    return f"{_number(value)} {noun[:-1] if value == 1 and noun.endswith('s') else noun}"


def _number(value: Fraction) -> str:
    """The exact number: in decimals, which every cell and every span of time has."""
    return _decimal(value, 18) or f"{value.numerator:,}/{value.denominator:,}"


def _decimal(value: Fraction, places: int = 2) -> str | None:
    """The exact decimal text with thousands separators; None where it needs more than so many places."""
    scaled = abs(value) * 10**places
    if scaled.denominator != 1:
        return None
    whole, rest = divmod(int(scaled), 10**places)
    text = f"{whole:,}.{rest:0{places}d}".rstrip("0").rstrip(".")
    return f"−{text}" if value < 0 else text
