"""Conditions of policy rules: comparisons of facts, combined by all, any and not, in three-valued logic.

An unknown fact makes a comparison unknown, never false: `not: {amount: {gt: 100}}` and `ne` do not become true just
because nobody knows the amount. Whoever asks must treat unknown as a reason to involve people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Literal

from shared.case.canonical import Record
from shared.policy.facts import Facts, read_fact


class Operator(StrEnum):
    """How a fact is compared."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"
    IN = "in"
    NOT_IN = "not_in"
    EXISTS = "exists"


class Comparison(Record):
    """One fact against one value, or against a list of values for in and not_in."""

    fact: str
    operator: Operator
    value: int | str | bool | tuple[int | str, ...]


class Combination(Record):
    """Several conditions, of which all or any must hold; never none."""

    how: Literal["all", "any"]
    clauses: tuple[Clause, ...]


class Negation(Record):
    """The opposite of a condition; the opposite of unknown is unknown."""

    clause: Clause


Clause = Comparison | Combination | Negation

Combination.model_rebuild()
Negation.model_rebuild()

_ORDERINGS: dict[Operator, Callable[[int, int], bool]] = {
    Operator.LT: int.__lt__,
    Operator.LTE: int.__le__,
    Operator.GT: int.__gt__,
    Operator.GTE: int.__ge__,
}


def holds(clause: Clause, facts: Facts) -> bool | None:
    """Whether the condition holds; None when that depends on something unknown.

    Raises InvalidInput when a fact is of another kind than the list of facts promises.
    """
    if isinstance(clause, Comparison):
        return _compare(clause, facts)
    if isinstance(clause, Negation):
        inner = holds(clause.clause, facts)
        return None if inner is None else not inner
    decisive = clause.how == "any"
    answers = [holds(part, facts) for part in clause.clauses]
    if decisive in answers:
        return decisive
    return None if None in answers else not decisive


def facts_asked(clause: Clause) -> Iterator[str]:
    """The names of the facts that a condition asks about, in order of appearance."""
    if isinstance(clause, Comparison):
        yield clause.fact
    elif isinstance(clause, Negation):
        yield from facts_asked(clause.clause)
    else:
        for part in clause.clauses:
            yield from facts_asked(part)


def _compare(comparison: Comparison, facts: Facts) -> bool | None:
    known, wanted = read_fact(facts, comparison.fact), comparison.value
    if comparison.operator is Operator.EXISTS:
        return (known is not None) == wanted
    if known is None:
        return None
    if isinstance(wanted, tuple):
        return (known in wanted) == (comparison.operator is Operator.IN)
    if comparison.operator in _ORDERINGS:
        return _ORDERINGS[comparison.operator](_whole(known), _whole(wanted))
    return (known == wanted) == (comparison.operator is Operator.EQ)


def _whole(value: int | str) -> int:
    if isinstance(value, int):
        return value
    raise TypeError("only whole numbers have an order")
