"""Reading one parameter of a form, or refusing it the way Stripe does: as `Invalid`, before anything has begun."""

from __future__ import annotations

import re
from collections.abc import Collection

from .errors import Invalid, unknown_parameter
from .forms import Form

METADATA_KEYS = 50
METADATA_NAME_CHARS = 40
METADATA_VALUE_CHARS = 500


def only(form: Form, *allowed: str) -> None:
    """Refuses any parameter that is not named; `expand` is always allowed."""
    for name in form:
        if name not in allowed and name != "expand":
            raise unknown_parameter(name)


def text(form: Form, name: str) -> str | None:
    """A text parameter; an empty one counts as absent."""
    value = form.get(name)
    if isinstance(value, dict):
        raise Invalid(f"Invalid string: {name} is a hash", param=name)
    return value or None


def integer(form: Form, name: str, *, minimum: int | None = None, maximum: int | None = None) -> int | None:
    """A whole number within bounds, or None when absent."""
    value = text(form, name)
    if value is None:
        return None
    if not re.fullmatch(r"-?\d{1,18}", value):
        raise Invalid(f"Invalid integer: {value[:40]}", code="parameter_invalid_integer", param=name)
    number = int(value)
    if minimum is not None and number < minimum:
        message = f"This value must be greater than or equal to {minimum}."
        raise Invalid(message, code="parameter_invalid_integer", param=name)
    if maximum is not None and number > maximum:
        message = f"This value must be less than or equal to {maximum}."
        raise Invalid(message, code="parameter_invalid_integer", param=name)
    return number


def boolean(form: Form, name: str) -> bool | None:
    """`true` or `false`, or None when absent."""
    value = text(form, name)
    if value is None:
        return None
    if value not in ("true", "false"):
        raise Invalid(f"Invalid boolean: {value[:40]}", param=name)
    return value == "true"


def choice(form: Form, name: str, options: Collection[str]) -> str | None:
    """One of the given words, or None when absent."""
    value = text(form, name)
    if value is not None and value not in options:
        *first, last = options
        raise Invalid(f"Invalid {name}: must be one of {', '.join(first)}, or {last}", param=name)
    return value


def mapping(form: Form, name: str) -> Form:
    """A nested parameter; absent or empty means an empty mapping."""
    value = form.get(name, {})
    if isinstance(value, str):
        if value:
            raise Invalid("Invalid object", param=name)
        return {}
    return value


def array(form: Form, name: str) -> list[str]:
    """A list parameter, in the order of its indexes."""
    items = mapping(form, name).items()
    if not all(index.isdigit() and isinstance(value, str) for index, value in items):
        raise Invalid("Invalid array", param=name)
    return [str(value) for _, value in sorted(items, key=lambda item: int(item[0]))]


def metadata(form: Form) -> dict[str, str] | None:
    """Changes to metadata: None when absent; an empty text removes a key; an empty mapping text removes all of them."""
    if "metadata" not in form:
        return None
    changes: dict[str, str] = {}
    for key, value in mapping(form, "metadata").items():
        if isinstance(value, dict):
            raise Invalid("Metadata values must be strings.", param=f"metadata[{key}]")
        if len(key) > METADATA_NAME_CHARS:
            raise Invalid(f"Metadata keys can have up to {METADATA_NAME_CHARS} characters.", param="metadata")
        if len(value) > METADATA_VALUE_CHARS:
            limit = f"Metadata values can have up to {METADATA_VALUE_CHARS} characters"
            raise Invalid(f"{limit}, but you passed in a value that is {len(value)} characters.", param="metadata")
        changes[key] = value
    return changes


def merged_metadata(current: dict[str, str], changes: dict[str, str] | None) -> dict[str, str]:
    """Metadata after an update; refuses more than 50 keys."""
    if changes is None:
        return current
    merged = {**current, **changes} if changes else {}
    kept = {key: value for key, value in merged.items() if value}
    if len(kept) > METADATA_KEYS:
        raise Invalid(f"Metadata can have up to {METADATA_KEYS} keys.", param="metadata")
    return kept
