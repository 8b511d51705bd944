"""Money at risk: what one action puts at stake, in minor units of the org's currency."""

from __future__ import annotations

from enum import StrEnum

from shared.case.actions import ActionDraft, ActionKind
from shared.case.money import Money, convert, currency_code
from shared.errors import InvalidInput
from shared.ports.directory import Org


class Stake(StrEnum):
    """What counts as money at risk of an action.

    `amount`: what is paid out. `disputed`: the whole disputed amount, whatever part of it is argued about. `involved`:
    the amount of the subscription or invoice. `dependencies`: whatever the message speaks about. `nothing`: no money.
    """

    AMOUNT = "amount"
    DISPUTED = "disputed"
    INVOLVED = "involved"
    DEPENDENCIES = "dependencies"
    NOTHING = "nothing"


STAKE_OF: dict[ActionKind, Stake] = {
    ActionKind.STRIPE_REFUND: Stake.AMOUNT,
    ActionKind.STRIPE_BALANCE_CREDIT: Stake.AMOUNT,
    ActionKind.STRIPE_CREDIT_NOTE: Stake.AMOUNT,
    ActionKind.STRIPE_SUBMIT_EVIDENCE: Stake.DISPUTED,
    ActionKind.STRIPE_CLOSE_DISPUTE: Stake.DISPUTED,
    ActionKind.STRIPE_CANCEL_SUBSCRIPTION: Stake.INVOLVED,
    ActionKind.STRIPE_RETRY_INVOICE: Stake.INVOLVED,
    ActionKind.CUSTOMER_EMAIL: Stake.DEPENDENCIES,
    ActionKind.STRIPE_STAGE_EVIDENCE: Stake.NOTHING,
    ActionKind.CRM_NOTE: Stake.NOTHING,
    ActionKind.SLACK_BRIEF: Stake.NOTHING,
    ActionKind.TICKET: Stake.NOTHING,
    ActionKind.DECISION_LOG: Stake.NOTHING,
}


def money_at_risk(action: ActionDraft, org: Org) -> int:
    """The money at risk of one action by itself, converted at the org's rate; 0 for messages and internal actions.

    Raises InvalidInput where it cannot be told (no amount, no or an odd currency, a negative amount) and MissingRate
    without a usable rate: then nobody knows what is at stake, and people decide.
    """
    match STAKE_OF[action.kind]:
        case Stake.AMOUNT:
            return _converted(action, action.amount_minor, action.currency, org, least=1)
        case Stake.DISPUTED:
            disputed = _converted(action, action.at_risk_minor, action.at_risk_currency, org, least=1)
            if action.amount_minor is None:
                return disputed
            return max(disputed, _converted(action, action.amount_minor, action.currency, org, least=1))
        case Stake.INVOLVED if action.at_risk_minor is not None:
            return _converted(action, action.at_risk_minor, action.at_risk_currency, org, least=0)
        case Stake.INVOLVED:
            return _converted(action, action.amount_minor, action.currency, org, least=0)
        case _:
            return 0


def _converted(action: ActionDraft, minor: int | None, currency: str | None, org: Org, *, least: int) -> int:
    if minor is None or currency is None:
        raise InvalidInput(f"{action.kind.value} without an amount at risk and its currency")
    if minor < least:
        raise InvalidInput(f"{action.kind.value} with {minor} at risk, which cannot be right")
    rates = {currency_code(code): rate for code, rate in org.fx.items()}
    return convert(Money(minor=minor, currency=currency_code(currency)), currency_code(org.currency), rates)
