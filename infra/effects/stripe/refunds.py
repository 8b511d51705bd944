"""Refunding a charge: one refund per action, found again by its metadata whatever has become of it.

`pending` and `requires_action` are not final, and `succeeded` is not either: a refund can fail days later, which only
its events tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from infra.effects.stripe.payload import is_of, marks, reference, required, text, whole
from shared.case.actions import Action, Json
from shared.case.money import Money
from shared.ports.effects import Done, EffectContext, EffectRefused, EffectUnavailable, EffectUnknown

if TYPE_CHECKING:
    from stripe.params import RefundCreateParams

    from infra.effects.stripe.client import Calls, Object

REASONS = frozenset({"duplicate", "requested_by_customer"})
"""Never `fraudulent`: Stripe would also put the card and the e-mail address on the account's block list."""

NO_MONEY = frozenset({"failed", "canceled"})
"""The statuses of a refund by which nothing went out."""


def perform(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Refunds the action's amount, in the charge's currency."""
    reply = calls.write(
        lambda client, options: client.v1.refunds.create(_params(action, context), options),
        context.idempotency_key,
    )
    refund = _present(calls, reply.object) if reply.replayed else reply.object
    return _done(refund)


def look_up(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """The action's refund among all refunds of the charge.

    Raises EffectRefused, with Stripe's reason, when it exists and has failed or was canceled: it was tried, no money
    went out, and trying again under the same key would change nothing.
    """
    charge = reference(action.payload, "charge")
    if charge is None:
        return None
    refunds = calls.read_all(lambda client, options: client.v1.refunds.list({"charge": charge, "limit": 100}, options))
    ours = [refund for refund in refunds if is_of(refund, action, context)]
    standing = [refund for refund in ours if text(refund, "status") not in NO_MONEY]
    found = standing or ours
    return _done(found[0]) if found else None


def _params(action: Action, context: EffectContext) -> RefundCreateParams:
    if action.amount_minor is None:
        raise EffectRefused(f"{action.id} names no amount; nothing was sent to Stripe")
    params: dict[str, Json | dict[str, str]] = {
        "charge": required(action, "charge"),
        "amount": action.amount_minor,
        "metadata": marks(context, manthan_action=action.id),
    }
    reason = action.payload.get("reason")
    if reason is not None:
        if reason not in REASONS:
            raise EffectRefused(f"{reason} is not a reason we give for a refund; nothing was sent to Stripe")
        params["reason"] = reason
    return cast("RefundCreateParams", params)


def _present(calls: Calls, refund: Object) -> Object:
    """The refund as it is now: under a key used before, Stripe repeats how it was then."""
    id = text(refund, "id")
    try:
        present = calls.read(lambda client, options: client.v1.refunds.retrieve(id, options=options))
    except EffectUnavailable as error:
        raise EffectUnknown(f"refund {id} was made by an earlier attempt; what became of it is not known") from error
    return present or refund


def _done(refund: Object) -> Done:
    id, status = text(refund, "id"), text(refund, "status")
    if status in NO_MONEY:
        why = text(refund, "failure_reason") or "no reason given"
        raise EffectRefused(f"Stripe shows refund {id} as {status}: {why}")
    amount = Money(minor=whole(refund, "amount"), currency=text(refund, "currency"))
    shown = status if status in ("succeeded", "pending") else f"pending ({status})"
    return Done(id, f"refund {id} of {amount} is {shown}", pending=status != "succeeded")
