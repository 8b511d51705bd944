"""Reading conditions: every word is checked when the file is read, so that no rule is silently dead or matches all."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from shared.case.actions import Json
from shared.policy.conditions import Clause, Combination, Comparison, Negation, Operator
from shared.policy.facts import FACTS, Fact
from shared.policy.source import Path, PolicyFault

_COMBINERS = ("all", "any", "not")
_LISTS = frozenset({Operator.IN, Operator.NOT_IN})
_ORDERED = frozenset({Operator.LT, Operator.LTE, Operator.GT, Operator.GTE})


def read_clause(raw: Json, path: Path) -> Clause:
    """A condition: {all: [...]}, {any: [...]}, {not: ...} or {fact: {operator: value}}, several of which all count.

    Raises PolicyFault for an empty condition, an unknown fact or operator, and a value that the fact can never have.
    """
    if not isinstance(raw, dict) or not raw:
        raise PolicyFault(path, "a condition must say something: it may not be empty")
    combiners = [word for word in raw if word in _COMBINERS]
    if not combiners:
        return _together([part for fact, tests in raw.items() for part in _comparisons(fact, tests, path)])
    if len(raw) > 1:
        raise PolicyFault(path, f"{combiners[0]!r} stands alone: nothing else beside it in the same condition")
    word = combiners[0]
    return _combined(word, raw[word], (*path, word))


def _combined(word: str, raw: Json, path: Path) -> Clause:
    if word == "not":
        return Negation(clause=read_clause(raw, path))
    if not isinstance(raw, list) or not raw:
        raise PolicyFault(path, f"{word!r} needs a list of at least one condition")
    parts = tuple(read_clause(part, (*path, index)) for index, part in enumerate(raw))
    return Combination(how="any" if word == "any" else "all", clauses=parts)


def _together(parts: list[Comparison]) -> Clause:
    return parts[0] if len(parts) == 1 else Combination(how="all", clauses=tuple(parts))


def _comparisons(name: str, tests: Json, path: Path) -> list[Comparison]:
    here = (*path, name)
    fact = FACTS.get(name)
    if fact is None:
        raise PolicyFault(here, f"unknown fact {name[:40]!r}{_nearest(name, FACTS)}")
    if not isinstance(tests, dict) or not tests:
        raise PolicyFault(here, f"{name!r} needs an operator, such as {{eq: ...}}")
    return [_comparison(name, fact, word, value, (*here, word)) for word, value in tests.items()]


def _comparison(name: str, fact: Fact, word: str, value: Json, path: Path) -> Comparison:
    if word not in tuple(Operator):
        raise PolicyFault(path, f"unknown operator {word[:40]!r}{_nearest(word, Operator)}")
    operator = Operator(word)
    if operator is Operator.EXISTS:
        if not isinstance(value, bool):
            raise PolicyFault(path, "'exists' is true or false")
        return Comparison(fact=name, operator=operator, value=value)
    if operator in _ORDERED and not fact.number:
        raise PolicyFault(path, f"{name!r} has no order: use eq, ne, in or not_in")
    if operator not in _LISTS:
        return Comparison(fact=name, operator=operator, value=_value(name, fact, value, path))
    if not isinstance(value, list) or not value:
        raise PolicyFault(path, f"{word!r} needs a list of at least one value")
    values = tuple(_value(name, fact, item, (*path, index)) for index, item in enumerate(value))
    return Comparison(fact=name, operator=operator, value=values)


def _value(name: str, fact: Fact, value: Json, path: Path) -> int | str:
    if fact.number and isinstance(value, int) and not isinstance(value, bool):
        return value
    if not fact.number and isinstance(value, str) and value and (not fact.choices or value in fact.choices):
        return str(value)
    if fact.number:
        raise PolicyFault(path, f"{name!r} is compared with a whole number")
    shown = str(value)[:40]
    raise PolicyFault(path, f"{name!r} is never {shown!r}{_nearest(shown, fact.choices)}")


def _nearest(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, [str(item) for item in known], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
