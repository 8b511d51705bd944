"""The ledger per charge: what all cases together have reserved on it and paid from it.

Several cases can concern one charge. Money is reserved in the same batch as the intent to pay it, and the reservation
is released when the payment fails, is voided, skipped, or fails later.
"""

from __future__ import annotations

from dataclasses import replace

from shared.case.actions import Action, ActionState, draws_on_charge
from shared.case.case import Case
from shared.errors import Refused
from shared.ports.store import ChargeLedger, Reservation
from shared.steps.context import Ports, RequestContext


def charge_of(action: Action) -> str | None:
    """The charge that an action takes money from; None for actions that touch no charge's money."""
    charge = action.payload.get("charge")
    if isinstance(charge, dict):
        charge = charge.get("id")  # an expanded object
    return charge if draws_on_charge(action) and isinstance(charge, str) else None


def reserve(ledger: ChargeLedger, case_id: str, action: Action, refundable_minor: int) -> ChargeLedger:
    """The ledger with this payment reserved.

    `refundable_minor` is what Stripe shows as captured minus refunded, read after the ledger. Raises Refused when the
    payment does not fit beside what others have reserved and Stripe does not show yet.
    """
    amount = action.amount_minor or 0
    others = [item for item in ledger.reservations if item.action_id != action.id]
    unseen = sum(item.amount_minor for item in others if not item.paid)
    if amount > refundable_minor - unseen:
        raise Refused(
            f"{amount} is more than can be refunded: {refundable_minor} is left on the charge, "
            f"of which {unseen} is reserved by other cases"
        )
    return replace(ledger, reservations=(*others, Reservation(case_id, action.id, amount)))


def follow(ports: Ports, context: RequestContext, before: Case, after: Case) -> ChargeLedger | None:
    """The ledger after actions of this case have ended: paid, or released. None when nothing changes."""
    for action in after.actions:
        charge, earlier = charge_of(action), before.action(action.id)
        if charge is None or earlier is None or earlier.state is action.state or not action.attempt:
            continue
        ledger = ports.store.read_ledger(context.org, action.account, charge)
        changed = _after(ledger, action)
        if changed != ledger:
            return changed
    return None


def _after(ledger: ChargeLedger, action: Action) -> ChargeLedger:
    kept = []
    for item in ledger.reservations:
        if item.action_id != action.id or action.state in (ActionState.INTENDED, ActionState.UNKNOWN):
            kept.append(item)
        elif action.state is ActionState.SUCCEEDED:
            kept.append(replace(item, paid=True, external_ref=action.external_ref))
    return replace(ledger, reservations=tuple(kept))
