"""Stripe's form encoding: `a[b][c]=x`, `expand[]=x`, `expand[0]=x`, decoded into nested mappings.

Lists and mappings look alike on the wire (`metadata[0]=x` is a mapping, `expand[0]=x` a list), so the decoder makes
mappings only and whoever knows the parameter reads it as a list (`params.array`).
"""

from __future__ import annotations

import hashlib
import json
from typing import TypeAlias
from urllib.parse import parse_qsl

from .errors import Invalid

Form: TypeAlias = "dict[str, FormValue]"
FormValue: TypeAlias = "str | Form"


def decode(text: str) -> Form:
    """The nested form of a query string or a form body; a repeated name keeps its last value.

    Raises Invalid for unbalanced brackets and for a name used both as a value and as a mapping.
    """
    form: Form = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        _place(form, _steps(name), value, name)
    return form


def fingerprint(form: Form) -> str:
    """A hash that is equal exactly when two requests carried the same parameters, in whatever order."""
    return hashlib.sha256(json.dumps(form, sort_keys=True).encode()).hexdigest()


def _steps(name: str) -> list[str]:
    head, bracket, rest = name.partition("[")
    if not bracket:
        return [head]
    if not head or not rest.endswith("]"):
        raise Invalid("Invalid request: a parameter name has unbalanced brackets.")
    return [head, *rest[:-1].split("][")]


def _place(form: Form, steps: list[str], value: str, name: str) -> None:
    here = form
    for step in steps[:-1]:
        inner = here.setdefault(step or str(len(here)), {})
        if not isinstance(inner, dict):
            raise Invalid(f"Invalid request: {name} is used both as a value and as a mapping.")
        here = inner
    last = steps[-1] or str(len(here))
    if isinstance(here.get(last), dict):
        raise Invalid(f"Invalid request: {name} is used both as a value and as a mapping.")
    here[last] = value
