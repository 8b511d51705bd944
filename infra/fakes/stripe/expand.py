"""`expand[]`: ids replaced by the objects they name, along paths of up to four steps."""

from __future__ import annotations

from . import params
from .errors import Invalid
from .forms import Form
from .resources import REFERENCES
from .session import Session
from .wire import JsonObject

MAX_DEPTH = 4


def expanded(session: Session, value: JsonObject, form: Form) -> JsonObject:
    """The object or list with every `expand[]` path of the request followed.

    An id that names nothing known here stays an id. Raises Invalid for a path that Stripe could not expand.
    """
    for path in params.array(form, "expand"):
        steps = path.split(".")
        if len(steps) > MAX_DEPTH:
            raise Invalid(f"You cannot expand more than {MAX_DEPTH} levels of a property.", param="expand")
        if value["object"] == "list":
            if steps[0] != "data":
                raise _not_expandable(path)
            value = {**value, "data": [_follow(session, item, steps[1:], path) for item in value["data"]]}
        else:
            value = _follow(session, value, steps, path)
    return value


def _follow(session: Session, value: JsonObject, steps: list[str], path: str) -> JsonObject:
    if not steps:
        return value
    first, *rest = steps
    if (value["object"], first) == ("charge", "refunds"):
        return {**value, "refunds": _refunds(session, value)}
    kinds = REFERENCES.get(value["object"], {}).get(first)
    if kinds is None:
        raise _not_expandable(path)
    inner = value.get(first)
    if isinstance(inner, str):
        inner = next((found for kind in kinds.split() if (found := session.get(kind, inner))), inner)
    if isinstance(inner, dict):
        inner = _follow(session, inner, rest, path)
    return {**value, first: inner}


def _refunds(session: Session, charge: JsonObject) -> JsonObject:
    newest = session.find("refund", "charge", charge["id"])[::-1]
    url = f"/v1/charges/{charge['id']}/refunds"
    return {"object": "list", "data": newest[:10], "has_more": len(newest) > 10, "url": url}


def _not_expandable(path: str) -> Invalid:
    return Invalid(f"This property cannot be expanded ({path}).", param="expand")
