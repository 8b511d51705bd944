"""dunning: whom to tell when a payment fails, when trying again makes sense, and what is left to people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    addresses,
    names,
    number,
    one_of,
    subset,
    values,
    whole,
    words,
)

KIND = "dunning"
STRATEGIC, CRITICAL = "strategic", "critical_integration"

_AMOUNT: Callable[[object], bool] = whole(0, 10**12)
_PARAMETERS: Parameters = {
    "contact_on": (None, words),
    "retry_on": (None, words),
    "automatic_retries_below_minor": (None, absent_or(_AMOUNT)),
    "owner_ticket_from_minor": (None, absent_or(_AMOUNT)),
    "currency": (None, absent_or(lambda value: isinstance(value, str) and len(value) == 3)),
    "retry_on_usual_day": (False, one_of(True, False)),
    "usual_day_payments": (3, whole(2, 24)),
    "message_before_usual_day": (True, one_of(True, False)),
    "suspend_after_days": (None, absent_or(whole(0, 366))),
    "never_suspend": ((), subset(frozenset({STRATEGIC, CRITICAL}))),
    "critical_services": ((), words),
    "critical_used_within_days": (30, whole(1, 90)),
    "overridden_by": ((), addresses),
    "suspended_by": ("people", one_of("people")),
}


@dataclass(frozen=True, slots=True)
class Dunning:
    """A rule of this kind. Amounts are minor units of `currency`.

    `contact_on`, `retry_on`: decline codes. From `owner_ticket_from_minor` on the owner of the account gets a ticket;
    from `automatic_retries_below_minor` on nothing is tried again by itself. `usual_day_payments`: how many earlier
    payments must have gone through on one day of the month for that day to be waited for when money was short; None:
    nothing is waited for. Suspending is for people, and here it is only named: never before `suspend_after_days`, never
    for who is on `never_suspend`, and not when one of `overridden_by` (addresses) has written against it.
    """

    contact_on: frozenset[str]
    retry_on: frozenset[str]
    automatic_retries_below_minor: int | None
    owner_ticket_from_minor: int | None
    currency: str | None
    usual_day_payments: int | None
    message_before_usual_day: bool
    suspend_after_days: int | None
    never_suspend: frozenset[str]
    critical_services: frozenset[str]
    critical_used_within_days: int
    overridden_by: frozenset[str]


def dunning(policy: Policy) -> Dunning:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    below, owner, days = (
        None if (value := found[name]) is None else number(value)
        for name in ("automatic_retries_below_minor", "owner_ticket_from_minor", "suspend_after_days")
    )
    currency, spared = found["currency"], frozenset(names(found["never_suspend"]))
    if currency is None and (below is not None or owner is not None):
        raise Unevaluable("its rule names amounts without their currency")
    if (CRITICAL in spared) != bool(names(found["critical_services"])):
        raise Unevaluable("its rule spares critical integrations, or names their services, but not both")
    return Dunning(
        contact_on=frozenset(names(found["contact_on"])),
        retry_on=frozenset(names(found["retry_on"])),
        automatic_retries_below_minor=below,
        owner_ticket_from_minor=owner,
        currency=None if currency is None else str(currency).lower(),
        usual_day_payments=_usual_day_payments(found),
        message_before_usual_day=bool(found["message_before_usual_day"]),
        suspend_after_days=days,
        never_suspend=spared,
        critical_services=frozenset(names(found["critical_services"])),
        critical_used_within_days=number(found["critical_used_within_days"]),
        overridden_by=frozenset(name.strip().lower() for name in names(found["overridden_by"])),
    )


def _usual_day_payments(found: Mapping[str, object]) -> int | None:
    return number(found["usual_day_payments"]) if found["retry_on_usual_day"] else None
