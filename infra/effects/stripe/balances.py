"""Crediting a customer's balance: Stripe takes it off their next invoices, nothing is paid out.

A balance transaction is immutable (docs.stripe.com/api/customer_balance_transactions): what a key repeats is also how
it is now. Whoever takes a credit back books an opposite transaction of their own, which changes nothing of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from infra.effects.stripe.payload import is_of, marks, money, optional, reference, required, text, whole
from shared.case.actions import Action, Json
from shared.case.money import Money
from shared.ports.effects import Done, EffectContext

if TYPE_CHECKING:
    from stripe.params import CustomerBalanceTransactionCreateParams

    from infra.effects.stripe.client import Calls, Object


def credit(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Credits the action's amount. Stripe refuses another currency than the customer is billed in."""
    customer, params = required(action, "customer"), _params(action, context)
    reply = calls.write(
        lambda client, options: client.v1.customers.balance_transactions.create(customer, params, options),
        context.idempotency_key,
    )
    return _done(reply.object)


def find_credit(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """The action's transaction among all of the customer's."""
    customer = reference(action.payload, "customer")
    if customer is None:
        return None
    changes = calls.read_all(
        lambda client, options: client.v1.customers.balance_transactions.list(customer, {"limit": 100}, options)
    )
    return next((_done(change) for change in changes if is_of(change, action, context)), None)


def _params(action: Action, context: EffectContext) -> CustomerBalanceTransactionCreateParams:
    amount = money(action)
    params: dict[str, Json | dict[str, str]] = {
        # A negative change is what the customer is owed.
        "amount": -amount.minor,
        "currency": amount.currency,
        "metadata": marks(context, manthan_action=action.id),
        **optional(action, "description"),
    }
    return cast("CustomerBalanceTransactionCreateParams", params)


def _done(change: Object) -> Done:
    amount = Money(minor=-whole(change, "amount"), currency=text(change, "currency"))
    return Done(text(change, "id"), f"{amount} is credited to the balance of customer {reference(change, 'customer')}")
