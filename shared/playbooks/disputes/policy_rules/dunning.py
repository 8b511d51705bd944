"""dunning: whom to tell when a payment fails, when trying again makes sense, and what is left to people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    names,
    number,
    one_of,
    subset,
    values,
    whole,
    words,
)

KIND = "dunning"


_AMOUNT: Callable[[object], bool] = whole(0, 10**12)
_PARAMETERS: Parameters = {
    "contact_on": (None, words),
    "retry_on": (None, words),
    "automatic_retries_below_minor": (None, absent_or(_AMOUNT)),
    "owner_ticket_from_minor": (None, absent_or(_AMOUNT)),
    "currency": (None, absent_or(lambda value: isinstance(value, str) and len(value) == 3)),
    "suspend_after_days": (None, absent_or(whole(0, 366))),
    "never_suspend": ((), subset(frozenset({"strategic"}))),
    "suspended_by": ("people", one_of("people")),
}


@dataclass(frozen=True, slots=True)
class Dunning:
    """A rule of this kind. Amounts are minor units of `currency`.

    `contact_on`, `retry_on`: decline codes. From `owner_ticket_from_minor` on the owner of the account gets a ticket;
    from `automatic_retries_below_minor` on nothing is tried again by itself. Suspending is for people, and here it is
    only named: never before `suspend_after_days`, never for who is on `never_suspend`.
    """

    contact_on: frozenset[str]
    retry_on: frozenset[str]
    automatic_retries_below_minor: int | None
    owner_ticket_from_minor: int | None
    currency: str | None
    suspend_after_days: int | None
    never_suspend: frozenset[str]


def dunning(policy: Policy) -> Dunning:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    below, owner = (
        None if (value := found[name]) is None else number(value)
        for name in ("automatic_retries_below_minor", "owner_ticket_from_minor")
    )
    currency, days = found["currency"], found["suspend_after_days"]
    if currency is None and (below is not None or owner is not None):
        raise Unevaluable("its rule names amounts without their currency")
    return Dunning(
        contact_on=frozenset(names(found["contact_on"])),
        retry_on=frozenset(names(found["retry_on"])),
        automatic_retries_below_minor=below,
        owner_ticket_from_minor=owner,
        currency=None if currency is None else str(currency).lower(),
        suspend_after_days=None if days is None else number(days),
        never_suspend=frozenset(names(found["never_suspend"])),
    )
