"""Cancelling a subscription at once.

Cancelling is a DELETE: it takes neither metadata nor an idempotency key (docs.stripe.com/api/idempotent_requests), and
a cancelled subscription cannot be found for another one. So the comment of the cancellation says which action it was:
that is how it is found again, and how it is told from somebody else's. What a customer wrote there, when they asked
for the end themselves, stays in front of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from infra.effects.stripe.payload import inside, reference, required, text
from shared.case.actions import Action
from shared.ports.effects import Done, EffectContext, EffectRefused, EffectUnavailable, EffectUnknown

if TYPE_CHECKING:
    from stripe.params import SubscriptionCancelParams

    from infra.effects.stripe.client import Calls, Object


def cancel(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Ends the subscription now, once. Raises EffectRefused when somebody else has cancelled it.

    The payload's `prorate` (false when absent) has Stripe credit the unused time to the customer's next invoice.
    """
    id, prorate = required(action, "subscription"), _prorate(action)
    subscription = _find(calls, action)
    if subscription is None:
        raise EffectRefused(f"Stripe knows no subscription {id}; nothing was changed")
    over = _over(subscription, action, context)
    if over is not None:
        return over
    params = {"prorate": prorate, "cancellation_details": {"comment": _comment(subscription, action, context)}}
    typed = cast("SubscriptionCancelParams", params)
    try:
        reply = calls.write(lambda client, options: client.v1.subscriptions.cancel(id, typed, options), None)
    except EffectRefused as refusal:
        return _explained(calls, action, context, refusal)
    if text(reply.object, "status") != "canceled":
        raise EffectUnknown(f"Stripe answered, but shows subscription {id} as {text(reply.object, 'status')}")
    return _done(reply.object)


def find_cancelled(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """Whether the subscription is cancelled, and by this action."""
    subscription = _find(calls, action)
    ours = subscription is not None and _is_over(subscription) and _mark(action, context) in _said(subscription)
    return _done(subscription) if subscription and ours else None


def _prorate(action: Action) -> bool:
    prorate = action.payload.get("prorate", False)
    if not isinstance(prorate, bool):
        raise EffectRefused(f"prorate is either true or false, not {prorate}; nothing was changed")
    return prorate


def _find(calls: Calls, action: Action) -> Object | None:
    id = reference(action.payload, "subscription")
    return calls.read(lambda client, options: client.v1.subscriptions.retrieve(id, options=options)) if id else None


def _over(subscription: Object, action: Action, context: EffectContext) -> Done | None:
    """What a cancelled subscription means for this action; None while it runs."""
    if not _is_over(subscription):
        return None
    if _mark(action, context) in _said(subscription):
        return _done(subscription)
    raise EffectRefused(f"subscription {text(subscription, 'id')} was already cancelled, and not by this action")


def _explained(calls: Calls, action: Action, context: EffectContext, refusal: EffectRefused) -> Done:
    """Why there was nothing to cancel: an earlier call of ours may have arrived after the subscription was read."""
    try:
        subscription = _find(calls, action)
    except EffectUnavailable as error:
        raise EffectUnknown(f"{refusal}; whether an earlier attempt cancelled it is not known") from error
    over = _over(subscription, action, context) if subscription else None
    if over is None:
        raise refusal
    return over


def _is_over(subscription: Object) -> bool:
    return text(subscription, "status") == "canceled"


def _said(subscription: Object) -> str:
    return text(inside(subscription, "cancellation_details"), "comment")


def _mark(action: Action, context: EffectContext) -> str:
    # Closed by a bracket: one action's id can be the beginning of another's.
    return f"[manthan {context.org} {context.case_id} {action.id}]"


def _comment(subscription: Object, action: Action, context: EffectContext) -> str:
    return " ".join(part for part in (_said(subscription), _mark(action, context)) if part)


def _done(subscription: Object) -> Done:
    id = text(subscription, "id")
    return Done(id, f"subscription {id} is cancelled")
