"""Reading a rule from a policy page: every parameter by name, every value checked, nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from shared.playbooks.disputes.policies import Policy

Accepts = Callable[[object], bool]
Parameters = Mapping[str, tuple[object, Accepts]]
"""Every parameter of a kind: its default (None: it must be given) and which values can be followed."""

_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")


class Unevaluable(Exception):
    """A rule that cannot be followed mechanically; the message says which part, for the person who decides."""


def values(policy: Policy, kind: str, parameters: Parameters) -> dict[str, object]:
    """The value of every parameter. Raises Unevaluable for prose, another kind, or anything we do not know."""
    rule = policy.content
    if rule is None:
        raise Unevaluable("it has no machine-readable rule")
    if rule.get("kind") != kind:
        raise Unevaluable(f"its rule is of the kind {rule.get('kind')}, which is not one we can follow here")
    unknown = sorted(set(rule) - {"kind", *parameters})
    if unknown:
        raise Unevaluable(f"its rule has parameters we do not know: {', '.join(unknown)}")
    for name, (default, accepts) in parameters.items():
        if not accepts(rule.get(name, default)):
            raise Unevaluable(f"its rule says {name}: {rule.get(name)}, which we cannot follow")
    return {name: rule.get(name, default) for name, (default, _) in parameters.items()}


def one_of(*allowed: object) -> Accepts:
    """Exactly one of these values, of the same type."""
    return lambda value: any(type(value) is type(choice) and value == choice for choice in allowed)


def subset(allowed: frozenset[str]) -> Accepts:
    """A list of some of these words."""
    return lambda value: isinstance(value, list | tuple) and all(isinstance(i, str) and i in allowed for i in value)


def whole(least: int, most: int) -> Accepts:
    """A whole number in a range, its ends included."""
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def decimal(value: object) -> bool:
    """A number that is not negative, as decimal text or a whole number: a float would not be exact."""
    return whole(0, 10**9)(value) or (isinstance(value, str) and _DECIMAL.fullmatch(value) is not None)


def text(value: object) -> bool:
    """A word or a few."""
    return isinstance(value, str) and 0 < len(value) <= 200


def words(value: object) -> bool:
    """A list of names, e.g. of decline codes, services or events."""
    return isinstance(value, list | tuple) and all(isinstance(item, str) and 0 < len(item) <= 60 for item in value)


def currency(value: object) -> bool:
    """The code of a currency, three small letters."""
    return isinstance(value, str) and len(value) == 3 and value.isalpha() and value == value.lower()


def addresses(value: object) -> bool:
    """A list of e-mail addresses."""
    return words(value) and all(str(item).strip().count("@") == 1 for item in names(value))


def absent_or(accepts: Accepts) -> Accepts:
    """A parameter that may be left out."""
    return lambda value: value is None or accepts(value)


def exact(value: object) -> Fraction:
    """A value that `decimal` or `whole` accepted."""
    return Fraction(str(value))


def number(value: object) -> int:
    """A value that `whole` accepted."""
    return int(str(value))


def names(value: object) -> tuple[str, ...]:
    """A value that `subset` accepted."""
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()
