"""Lists: newest first, with cursors, the resource's filters and `created`."""

from __future__ import annotations

import json
import sqlite3

from . import params
from .errors import Invalid, missing, unknown_parameter
from .forms import Form
from .resources import Resource
from .session import Session
from .wire import JsonObject

DEFAULT_LIMIT = 10
MAX_LIMIT = 100
_CURSOR = ("ending_before", "limit", "starting_after")
_PLACES = {
    ("invoice", "subscription"): "coalesce(json_extract(body, '$.parent.subscription_details.subscription'), "
    "json_extract(body, '$.subscription'))",
}
"""Where a filter looks when it is not at the top of the object."""
_RANGE = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def page(session: Session, resource: Resource, form: Form, **within: str) -> JsonObject:
    """One page of a resource's list; `within` are fields that the list's place in the API fixes, like a customer."""
    extra = {"event": ("types",), "invoice_payment": ("payment",)}.get(resource.kind, ())
    params.only(form, "created", *_CURSOR, *resource.filters, *extra)
    limit, after, before = _paging(form)

    query = _Query("kind = ?", [resource.kind])
    for name, value in within.items():
        query.add(f"json_extract(body, '$.{name}') = ?", value)
    _filter(query, resource, form)
    _created(query, form)
    if cursor := after or before:
        row = _cursor(session, resource, cursor, "starting_after" if after else "ending_before")
        query.add(f"(created, seq) {'<' if after else '>'} (?, ?)", row["created"], row["seq"])
    order = "ASC" if before else "DESC"
    found = query.run(session, f"ORDER BY created {order}, seq {order} LIMIT {limit + 1}")
    data = found[:limit]
    return {
        "object": "list",
        "data": data[::-1] if before else data,
        "has_more": len(found) > limit,
        "url": f"/v1/{resource.path}",
    }


def part(items: list[JsonObject], form: Form, *, url: str, noun: str) -> JsonObject:
    """One page of a list that an object holds itself, in its own order."""
    params.only(form, *_CURSOR)
    limit, after, before = _paging(form)
    ids = [item["id"] for item in items]
    for cursor, param in ((after, "starting_after"), (before, "ending_before")):
        if cursor and cursor not in ids:
            raise missing(noun, cursor, param=param, status=400)
    if before:
        here = items[: ids.index(before)]
        data, has_more = here[-limit:], len(here) > limit
    else:
        here = items[ids.index(after) + 1 :] if after else items
        data, has_more = here[:limit], len(here) > limit
    return {"object": "list", "data": data, "has_more": has_more, "url": url}


class _Query:
    """A WHERE clause in the making; names come from code, values are always bound."""

    def __init__(self, clause: str, values: list[str | int]) -> None:
        self.clauses = [clause]
        self.values = values

    def add(self, clause: str, *values: str | int) -> None:
        self.clauses.append(clause)
        self.values.extend(values)

    def run(self, session: Session, tail: str) -> list[JsonObject]:
        sql = f"SELECT body FROM objects WHERE {' AND '.join(self.clauses)} {tail}"
        return [json.loads(row["body"]) for row in session.db.execute(sql, self.values)]


def _paging(form: Form) -> tuple[int, str | None, str | None]:
    """Limit and the two cursors, of which only one may be given."""
    limit = params.integer(form, "limit", minimum=1, maximum=MAX_LIMIT) or DEFAULT_LIMIT
    after, before = params.text(form, "starting_after"), params.text(form, "ending_before")
    if after and before:
        raise Invalid("Received both starting_after and ending_before parameters. Please pass in only one.")
    return limit, after, before


def _filter(query: _Query, resource: Resource, form: Form) -> None:
    for name in resource.filters:
        value = params.text(form, name)
        if (resource.kind, name) == ("subscription", "status"):
            _subscription_status(query, value)
        elif value is not None:
            place = _PLACES.get((resource.kind, name), f"json_extract(body, '$.{name}')")
            query.add(f"{place} = ?", value)
    if resource.kind == "event" and (types := params.array(form, "types")):
        query.add(f"json_extract(body, '$.type') IN ({', '.join('?' * len(types))})", *types)
    if resource.kind == "invoice_payment":
        _payment(query, params.mapping(form, "payment"))


def _payment(query: _Query, given: Form) -> None:
    for name, value in given.items():
        if name not in ("payment_intent", "type") or isinstance(value, dict):
            raise unknown_parameter(f"payment[{name}]")
        query.add(f"json_extract(body, '$.payment.{name}') = ?", value)


def _subscription_status(query: _Query, status: str | None) -> None:
    """Cancelled subscriptions are listed only when asked for."""
    if status is None:
        query.add("json_extract(body, '$.status') <> ?", "canceled")
    elif status != "all":
        query.add("json_extract(body, '$.status') = ?", status)


def _created(query: _Query, form: Form) -> None:
    if isinstance(form.get("created"), str):
        query.add("created = ?", params.integer(form, "created") or 0)
        return
    bounds = params.mapping(form, "created")
    for name in bounds:
        if name not in _RANGE:
            raise Invalid(f"Received unknown parameter: created[{name}]", code="parameter_unknown", param="created")
        query.add(f"created {_RANGE[name]} ?", params.integer(bounds, name) or 0)


def _cursor(session: Session, resource: Resource, id: str, param: str) -> sqlite3.Row:
    sql = "SELECT created, seq FROM objects WHERE kind = ? AND id = ?"
    row: sqlite3.Row | None = session.db.execute(sql, (resource.kind, id)).fetchone()
    if row is None:
        raise missing(resource.noun, id, param=param, status=400)
    return row
