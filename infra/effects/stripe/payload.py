"""What an action's payload names, and what a Stripe object says, each checked for its type."""

from __future__ import annotations

from collections.abc import Mapping

from shared.case.actions import Action, Json
from shared.case.money import Money
from shared.ports.effects import EffectContext, EffectRefused


def reference(payload: Mapping[str, Json], name: str) -> str | None:
    """The id of an object, given as such or as the expanded object."""
    value = payload.get(name)
    if isinstance(value, dict):
        value = value.get("id")
    return value if isinstance(value, str) and value else None


def required(action: Action, name: str) -> str:
    """The id the action cannot do without. Raises EffectRefused."""
    value = reference(action.payload, name)
    if value is None:
        raise EffectRefused(f"{action.id} names no {name}; nothing was sent to Stripe")
    return value


def optional(action: Action, name: str) -> dict[str, str]:
    """A text of the payload as a parameter; empty when there is none. Raises EffectRefused for another type."""
    value = action.payload.get(name)
    if value is not None and not isinstance(value, str):
        raise EffectRefused(f"the {name} of {action.id} is not a text; nothing was sent to Stripe")
    return {name: value} if value else {}


def money(action: Action) -> Money:
    """What the action gives. Raises EffectRefused when it does not say how much, or in which currency."""
    if action.amount_minor is None or not action.currency:
        raise EffectRefused(f"{action.id} names no amount in a currency; nothing was sent to Stripe")
    return Money(minor=action.amount_minor, currency=action.currency.lower())


def inside(value: Mapping[str, Json], name: str) -> dict[str, Json]:
    """A nested object; empty when there is none."""
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def whole(value: Mapping[str, Json], name: str) -> int:
    """A whole number, such as an amount in minor units; 0 when the object does not say."""
    number = value.get(name)
    return number if isinstance(number, int) and not isinstance(number, bool) else 0


def text(value: Mapping[str, Json], name: str) -> str:
    """A text; empty when the object does not say."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def marks(context: EffectContext, **more: str) -> dict[str, str]:
    """The metadata by which an effect is found again and its events are attached to the case."""
    return {"manthan_org": context.org, "manthan_case": context.case_id, **more}


def is_of(value: Mapping[str, Json], action: Action, context: EffectContext) -> bool:
    """Whether an object's metadata says that this action of this case made it."""
    metadata, wanted = inside(value, "metadata"), marks(context, manthan_action=action.id)
    return all(metadata.get(name) == mark for name, mark in wanted.items())
