"""Where a secret's value comes from: the variable itself, the file that NAME_FILE names, or a reference to a store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from shared.errors import InvalidInput

REFERENCE: Final = "sm://"
"""How a reference to Secret Manager begins."""

Reveal = Callable[[str], str]
"""Reads the secret that a reference names. Raises InvalidInput or Retryable, without the secret."""


def secret_value(environment: Mapping[str, str], name: str, reveal: Reveal) -> str | None:
    """The value of the secret that this variable stands for; None when it is not given.

    A JSON object may hold references as its values, too. Raises InvalidInput, which names the variable and never holds
    any part of the value.
    """
    value = _given(environment, name)
    if value is None:
        return None
    try:
        return reveal(value) if value.startswith(REFERENCE) else _with_values_revealed(value, reveal)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None


def _given(environment: Mapping[str, str], name: str) -> str | None:
    value, path = environment.get(name), environment.get(f"{name}_FILE")
    if path is None:
        return value
    if value is not None:
        raise InvalidInput(f"{name} and {name}_FILE are both set: choose one")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{name}_FILE: {path} cannot be read ({type(error).__name__})") from None


def _with_values_revealed(value: str, reveal: Reveal) -> str:
    if REFERENCE not in value or not value.lstrip().startswith("{"):
        return value
    try:
        held = json.loads(value)
    except ValueError:
        return value  # whoever parses it says so
    return json.dumps({name: _revealed(inner, reveal) for name, inner in held.items()})


def _revealed(value: object, reveal: Reveal) -> object:
    return reveal(value) if isinstance(value, str) and value.startswith(REFERENCE) else value
