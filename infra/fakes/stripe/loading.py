"""Bringing objects in from outside: completing what they leave out, and fitting them into what is there.

Loading an object says how things stand: nothing is told of it, but a dispute's money is booked as its status demands.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from . import charges, lifecycle, refunds
from .defaults import AMOUNTS, DEFAULTS, REQUIRED, complete
from .errors import Invalid
from .resources import REFERENCES
from .session import Session
from .wire import JsonObject


def load(session: Session, objects: Iterable[object]) -> int:
    """Stores objects of any kind, replacing those with the same id; returns how many, counting nested ones.

    Raises Invalid for an object without `object` and `id`, for an amount that is not a whole number, and for a dispute
    about a charge that is not there.
    """
    loaded = [part for value in objects for part in parts(session, value)]
    for value in loaded:
        session.put(value)
    for value in loaded:
        if value["object"] == "radar.early_fraud_warning" and charges.is_settled(session, value["charge"]):
            session.put({**value, "actionable": False})
    for value in loaded:
        if value["object"] == "refund" and value["status"] == "pending":
            refunds.expect(session, value)
        if value["object"] == "dispute":
            if session.get("charge", value["charge"]) is None:
                raise Invalid(f"Dispute {value['id']} is about a charge that is not loaded.", param="charge")
            lifecycle.settle_money(session, value)
            lifecycle.save(session, value, None)
    return len(loaded)


def parts(session: Session, value: object) -> list[JsonObject]:
    """The object in the shape it is stored in, followed by the objects that were nested in it."""
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in ("object", "id")):
        raise Invalid("An object needs the texts `object` and `id`.")
    whole = {**DEFAULTS.get(value["object"], {}), "created": session.now, **value}
    for name in REQUIRED.get(whole["object"], ()):
        if whole.get(name) is None:
            raise Invalid(f"{whole['object']} {whole['id']} needs {name}.", param=name)
    for name in AMOUNTS.get(whole["object"], ()):
        if name in whole and not _is_whole(whole[name]):
            raise Invalid(f"{whole['object']} {whole['id']}: {name} is not a whole number of minor units.", param=name)
    nested = _detached(session, whole)
    complete(whole)
    return [whole, *nested]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _detached(session: Session, value: JsonObject) -> list[JsonObject]:
    """Replaces expanded objects by their ids; returns those that are not stored yet. Changes the given object."""
    inner: list[object] = [value[name] for name in REFERENCES.get(value["object"], {}) if _is_object(value.get(name))]
    for name in REFERENCES.get(value["object"], {}):
        if _is_object(value.get(name)):
            value[name] = value[name]["id"]
    if value["object"] == "charge":
        inner += (value.pop("refunds", None) or {}).get("data", [])
    if value["object"] == "dispute":
        value["balance_transactions"] = list(value.get("balance_transactions") or [])
        inner += value["balance_transactions"]
    return [part for item in inner if _is_new(session, item) for part in parts(session, item)]


def _is_object(value: object) -> bool:
    return isinstance(value, dict) and "id" in value


def _is_new(session: Session, value: object) -> bool:
    item = cast(JsonObject, value)
    return not isinstance(value, dict) or session.get(item.get("object", ""), item.get("id")) is None
