"""`expand[]`: ids replaced by the objects they name, along paths of up to four steps."""

from __future__ import annotations

from . import params
from .errors import Invalid
from .forms import Form
from .resources import LISTS, REFERENCES, RESOURCES
from .session import Session
from .wire import JsonObject

MAX_DEPTH = 4
LISTED = 10
"""How many objects an expanded list shows."""

_PATHS = {resource.kind: resource.path for resource in RESOURCES}


def expanded(session: Session, value: JsonObject, form: Form) -> JsonObject:
    """The object or list with every `expand[]` path of the request followed.

    An id that names nothing known here stays an id. Raises Invalid for a path that Stripe could not expand.
    """
    for path in params.array(form, "expand"):
        steps = path.split(".")
        if len(steps) > MAX_DEPTH:
            raise Invalid(f"You cannot expand more than {MAX_DEPTH} levels of a property.", param="expand")
        value = _follow(session, value, steps, path)
    return value


def _follow(session: Session, value: JsonObject, steps: list[str], path: str) -> JsonObject:
    if not steps:
        return value
    first, *rest = steps
    if value["object"] == "list":
        if first != "data":
            raise _not_expandable(path)
        return {**value, "data": [_follow(session, item, rest, path) for item in value["data"]]}
    if (value["object"], first) in LISTS:
        whole = value.get(first) or _list(session, value, first)
        return {**value, first: _follow(session, whole, rest, path)}
    for length in range(1, len(steps) + 1):
        kinds = REFERENCES.get(value["object"], {}).get(".".join(steps[:length]))
        if kinds is not None:
            return _replaced(session, value, steps[:length], kinds, steps[length:], path)
    raise _not_expandable(path)


def _replaced(
    session: Session, value: JsonObject, place: list[str], kinds: str, rest: list[str], path: str
) -> JsonObject:
    """The object with what stands at `place` in it expanded, and `rest` followed from there."""
    first, *deeper = place
    inner = value.get(first)
    if deeper:
        return {**value, first: _replaced(session, inner, deeper, kinds, rest, path)} if inner else value
    if isinstance(inner, str):
        inner = next((found for kind in kinds.split() if (found := session.get(kind, inner))), inner)
    if isinstance(inner, dict):
        inner = _follow(session, inner, rest, path)
    return {**value, first: inner}


def _list(session: Session, value: JsonObject, field: str) -> JsonObject:
    kind, back = LISTS[value["object"], field]
    newest = session.find(kind, back, value["id"])[::-1]
    url = f"/v1/{_PATHS[value['object']]}/{value['id']}/{field}"
    return {"object": "list", "data": newest[:LISTED], "has_more": len(newest) > LISTED, "url": url}


def _not_expandable(path: str) -> Invalid:
    return Invalid(f"This property cannot be expanded ({path}).", param="expand")
