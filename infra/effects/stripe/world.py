"""The world an action was decided on, read again: fields of what its payload names, and what is left to refund.

A field is `<object>.<name>`, the object being the charge, dispute, invoice, subscription, customer or early fraud
warning that the payload names. The names are Stripe's, with the short ones of the case's facts for what lies deeper.
What cannot be read is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from infra.effects.stripe.payload import reference, text, whole
from shared.case.actions import Action, Json, draws_on_charge

if TYPE_CHECKING:
    import stripe

    from infra.effects.stripe.client import Calls, Object

_DEEPER = {
    "dispute.charge_refundable": "is_charge_refundable",
    "dispute.due_by": "evidence_details.due_by",
    "dispute.has_evidence": "evidence_details.has_evidence",
    "dispute.past_due": "evidence_details.past_due",
    "dispute.submission_count": "evidence_details.submission_count",
    "dispute.method": "payment_method_details.type",
    "dispute.brand": "payment_method_details.card.brand",
    "dispute.case_type": "payment_method_details.card.case_type",
    "dispute.network_reason_code": "payment_method_details.card.network_reason_code",
    "invoice.subscription": "parent.subscription_details.subscription",
}
_RETRIEVE: dict[str, Callable[[stripe.StripeClient, str, stripe.RequestOptions], object]] = {
    "charge": lambda client, id, options: client.v1.charges.retrieve(id, options=options),
    "customer": lambda client, id, options: client.v1.customers.retrieve(id, options=options),
    "dispute": lambda client, id, options: client.v1.disputes.retrieve(id, options=options),
    "invoice": lambda client, id, options: client.v1.invoices.retrieve(id, options=options),
    "subscription": lambda client, id, options: client.v1.subscriptions.retrieve(id, options=options),
    "warning": lambda client, id, options: client.v1.radar.early_fraud_warnings.retrieve(id, options=options),
}
_LEAVES_REFUNDABLE = frozenset({"warning_needs_response", "warning_under_review", "warning_closed", "won"})
"""An inquiry moved no money, a win gave it back; any other status, also one we do not know, keeps it."""


def observe(calls: Calls, action: Action) -> dict[str, Json]:
    """The fields of the action's snapshot as they are now; for what draws on a charge `refundable_minor` too."""
    needed = {field.partition(".")[0] for field in action.snapshot}
    if draws_on_charge(action):
        needed.add("charge")
    objects = {name: found for name in sorted(needed) if (found := _read(calls, action, name)) is not None}
    world: dict[str, Json] = {}
    for field in action.snapshot:
        found = objects.get(field.partition(".")[0])
        if found is not None:
            world.update(_value(found, field))
    charge = objects.get("charge")
    if draws_on_charge(action) and charge is not None:
        world["refundable_minor"] = _refundable(calls, action, charge)
    return world


def _read(calls: Calls, action: Action, name: str) -> Object | None:
    id, retrieve = reference(action.payload, name), _RETRIEVE.get(name)
    if id is None or retrieve is None:
        return None
    return calls.read(lambda client, options: retrieve(client, id, options))


def _value(found: Object, field: str) -> Mapping[str, Json]:
    """The field with its value; empty when the object has no such field."""
    value: Json = found
    for step in _DEEPER.get(field, field.partition(".")[2]).split("."):
        if not isinstance(value, dict) or step not in value:
            return {}
        value = value[step]
    if isinstance(value, dict) and isinstance(value.get("id"), str):
        value = value["id"]
    return {field: value}


def _refundable(calls: Calls, action: Action, charge: Object) -> int:
    """Captured minus refunded, in minor units of the charge; 0 while a chargeback keeps it, or in another currency.

    Stripe refunds in the charge's currency whatever the action says, so an amount in another one must not reach it.
    """
    if text(charge, "currency") != (action.currency or "").lower():
        return 0
    id = text(charge, "id")
    disputes = calls.read_all(lambda client, options: client.v1.disputes.list({"charge": id, "limit": 100}, options))
    if any(text(dispute, "status") not in _LEAVES_REFUNDABLE for dispute in disputes):
        return 0
    return max(0, whole(charge, "amount_captured") - whole(charge, "amount_refunded"))
