"""`StripeEffects`: which kinds of action Stripe carries out, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.effects.stripe import balances, credit_notes, disputes, invoices, refunds, subscriptions, world
from shared.case.actions import Action, ActionKind, Json
from shared.errors import InvalidInput
from shared.ports.effects import Done, EffectContext, EffectRefused

if TYPE_CHECKING:
    from infra.effects.stripe.client import Calls

API_VERSION = "2026-08-26.dahlia"
"""The version whose shapes this house knows; fixed, so that a newer SDK does not change them."""

OBSERVE_TIMEOUT_S = 15.0
"""For reading the world again, all calls together."""


@dataclass(frozen=True, slots=True)
class _Operation:
    perform: Callable[[Calls, Action, EffectContext], Done]
    look_up: Callable[[Calls, Action, EffectContext], Done | None]


_OPERATIONS: dict[ActionKind, _Operation] = {
    ActionKind.STRIPE_REFUND: _Operation(refunds.perform, refunds.look_up),
    ActionKind.STRIPE_STAGE_EVIDENCE: _Operation(disputes.stage, disputes.find_staged),
    ActionKind.STRIPE_SUBMIT_EVIDENCE: _Operation(disputes.submit, disputes.find_submitted),
    ActionKind.STRIPE_CLOSE_DISPUTE: _Operation(disputes.close, disputes.find_closed),
    ActionKind.STRIPE_BALANCE_CREDIT: _Operation(balances.credit, balances.find_credit),
    ActionKind.STRIPE_CREDIT_NOTE: _Operation(credit_notes.issue, credit_notes.find_note),
    ActionKind.STRIPE_CANCEL_SUBSCRIPTION: _Operation(subscriptions.cancel, subscriptions.find_cancelled),
    ActionKind.STRIPE_RETRY_INVOICE: _Operation(invoices.retry, invoices.find_paid),
}


class StripeEffects:
    """Stripe, changed with a secret or restricted key.

    A restricted one needs write permission for what is to be changed (refunds, disputes, files, customers, credit
    notes, subscriptions, invoices), and read permission for charges, payment intents and early fraud warnings. Every
    call is made on the action's connected account, with one attempt. `base_url` is another host's address, such as a
    double's; None is Stripe itself. Raises InvalidInput without a key.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str | None = None,
        api_version: str = API_VERSION,
        observe_timeout_s: float = OBSERVE_TIMEOUT_S,
    ) -> None:
        if not api_key.strip():
            raise InvalidInput("Stripe needs an API key; without one, connect no Stripe")
        self._api_key = api_key.strip()
        self._base_url = base_url
        self._api_version = api_version
        self._observe_timeout_s = observe_timeout_s

    def observe(self, action: Action, org: str) -> Mapping[str, Json]:
        """The snapshot's fields, read from the objects that the payload names; for a refund `refundable_minor`.

        What cannot be mapped or does not exist is left out. Raises EffectUnavailable.
        """
        with self._calls(action, self._observe_timeout_s) as calls:
            return world.observe(calls, action)

    def look_up(self, action: Action, context: EffectContext) -> Done | None:
        """The effect, found by what the call left at Stripe: metadata, a comment, the state of the object itself.

        Raises EffectUnavailable when Stripe cannot be read, and EffectRefused for a refund of ours that failed or was
        canceled, or a credit note that was voided: Stripe took it, and nothing was given.
        """
        operation = _OPERATIONS.get(action.kind)
        if operation is None:
            return None
        with self._calls(action, context.timeout_s) as calls:
            return operation.look_up(calls, action, context)

    def perform(self, action: Action, context: EffectContext) -> Done:
        """One change, under the context's key. Raises EffectRefused, EffectUnknown or EffectUnavailable."""
        operation = _OPERATIONS.get(action.kind)
        if operation is None:
            raise EffectRefused(f"{action.kind.value} is not for Stripe; nothing was sent")
        with self._calls(action, context.timeout_s) as calls:
            return operation.perform(calls, action, context)

    def _calls(self, action: Action, timeout_s: float) -> AbstractContextManager[Calls]:
        from infra.effects.stripe.client import Calls, Connection  # loads the SDK, which most processes never need

        connection = Connection(self._api_key, self._base_url, self._api_version)
        return Calls(connection, action.account, timeout_s)
