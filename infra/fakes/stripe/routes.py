"""Which method and path leads to which handler, and what a restricted key must be allowed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import customers, disputes, listing, params, refunds
from .errors import Invalid, missing
from .forms import Form
from .resources import RESOURCES, Resource
from .session import Session
from .wire import JsonObject

Handler = Callable[[Session, Form], JsonObject]


@dataclass(frozen=True)
class Match:
    """A handler with the ids of the path already bound; `permission` is Stripe's name for what it needs."""

    handler: Handler
    permission: str


def match(method: str, path: str) -> Match:
    """The handler for a request. Raises Invalid, as a 404, for what this double does not offer."""
    for resource in RESOURCES:
        prefix = f"/v1/{resource.path}"
        if path == prefix or path.startswith(f"{prefix}/"):
            handler = _handler(method, resource, [step for step in path[len(prefix) :].split("/") if step])
            if handler is not None:
                access = "read" if method == "GET" else "write"
                return Match(handler, f"rak_{resource.kind.replace('.', '_')}_{access}")
    raise Invalid(f"Unrecognized request URL ({method}: {path}).", status=404)


def _handler(method: str, resource: Resource, rest: list[str]) -> Handler | None:
    match method, resource.path, rest:
        case "GET", _, []:
            return partial(_list, resource)
        case "GET", _, [id]:
            return partial(_retrieve, resource, id)
        case "POST", "refunds", []:
            return refunds.create
        case "POST", "refunds", [id]:
            return lambda session, form: refunds.update(session, id, form)
        case "POST", "disputes", [id]:
            return lambda session, form: disputes.update(session, id, form)
        case "POST", "disputes", [id, "close"]:
            return lambda session, form: disputes.close(session, id, form)
        case "POST", "customers", []:
            return customers.create
    return None


def _list(resource: Resource, session: Session, form: Form) -> JsonObject:
    return listing.page(session, resource, form)


def _retrieve(resource: Resource, id: str, session: Session, form: Form) -> JsonObject:
    params.only(form)
    found = session.get(resource.kind, id)
    if found is None:
        raise missing(resource.noun, id, param=resource.param)
    return found
