"""double_billing: after a migration two sides billed one period; which of them gives its money back."""

from __future__ import annotations

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
    text,
    values,
    whole,
)

KIND = "double_billing"
LEGACY, ORPHAN = "legacy_ledger", "orphan_customer"

_PARAMETERS: Parameters = {
    "returns": (None, subset(frozenset({LEGACY, ORPHAN}))),
    "known_in": ("any", one_of("any", "salesforce", "hubspot")),
    "overlap_min_days": (1, whole(1, 366)),
    "same_amount": (True, one_of(True)),
    "end_returned_side": (True, one_of(True, False)),
    "tag": (None, absent_or(text)),
    "otherwise": ("escalate", one_of("escalate")),
}


@dataclass(frozen=True, slots=True)
class DoubleBilling:
    """A rule of this kind.

    `returns`: the sides whose money goes back: the ledger of the system before Stripe, or a customer at Stripe whom the
    CRM named by `known_in` does not know. `overlap_min_days`: how much of a period both must have billed.
    """

    returns: frozenset[str]
    known_in: str
    overlap_min_days: int
    end_returned_side: bool
    tag: str | None


def double_billing(policy: Policy) -> DoubleBilling:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    returns, tag = frozenset(names(found["returns"])), found["tag"]
    if not returns:
        raise Unevaluable("its rule names no side that gives its money back")
    return DoubleBilling(
        returns=returns,
        known_in=str(found["known_in"]),
        overlap_min_days=number(found["overlap_min_days"]),
        end_returned_side=found["end_returned_side"] is True,
        tag=None if tag is None else str(tag),
    )
