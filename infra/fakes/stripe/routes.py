"""Which method and path leads to which handler, and what a restricted key must be allowed for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import (
    balances,
    charges,
    credit_notes,
    customers,
    disputes,
    files,
    invoices,
    listing,
    params,
    refunds,
    subscriptions,
)
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


def _list(resource: Resource, session: Session, form: Form) -> JsonObject:
    return listing.page(session, resource, form)


def _retrieve(resource: Resource, session: Session, id: str, form: Form) -> JsonObject:
    params.only(form)
    found = session.get(resource.kind, id)
    if found is None:
        raise missing(resource.noun, id, param=resource.param)
    return found


_HANDLERS: dict[tuple[str, str], Callable[..., JsonObject]] = {
    ("POST", "charges/*"): charges.update,
    ("POST", "credit_notes"): credit_notes.create,
    ("GET", "credit_notes/*/lines"): credit_notes.lines,
    ("POST", "customers"): customers.create,
    ("POST", "customers/*"): customers.update,
    ("GET", "customers/*/balance_transactions"): balances.page,
    ("POST", "customers/*/balance_transactions"): balances.create,
    ("GET", "customers/*/balance_transactions/*"): balances.retrieve,
    ("POST", "disputes/*"): disputes.update,
    ("POST", "disputes/*/close"): disputes.close,
    ("GET", "invoices/*/lines"): invoices.lines,
    ("POST", "files"): files.create,
    ("POST", "invoices/*/mark_uncollectible"): invoices.mark_uncollectible,
    ("POST", "invoices/*/pay"): invoices.pay,
    ("POST", "refunds"): refunds.create,
    ("POST", "refunds/*"): refunds.update,
    ("POST", "subscriptions/*"): subscriptions.update,
    ("DELETE", "subscriptions/*"): subscriptions.cancel,
}
"""Each takes the session, the ids that stand for the stars, and the form."""


def _handler(method: str, resource: Resource, rest: list[str]) -> Handler | None:
    """`rest` is what follows the resource's path: an id, then a name, then an id, and so on."""
    named = ["*" if place % 2 == 0 else step for place, step in enumerate(rest)]
    handler = _HANDLERS.get((method, "/".join([resource.path, *named])))
    if handler is None and method == "GET" and len(rest) < 2:
        handler = partial(_retrieve if rest else _list, resource)
    if handler is None:
        return None
    chosen, ids = handler, rest[::2]
    return lambda session, form: chosen(session, *ids, form)
