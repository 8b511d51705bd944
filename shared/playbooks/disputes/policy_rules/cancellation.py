"""cancellation: when a charge that is disputed as cancelled is contested, and when it is given up."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import Parameters, names, number, one_of, subset, values, whole

KIND = "cancellation"
ACTIVE, USE, TERMS, NOTICE = "active_at_charge", "usage_in_period", "terms_accepted", "renewal_notice_opened"
LONGEST_LOOK_BACK = 120
"""Days before the charge for which the channels are read."""

_PARAMETERS: Parameters = {
    "look_back_days": (60, whole(1, LONGEST_LOOK_BACK)),
    "formal": ("explicit_written_request", one_of("explicit_written_request")),
    "requires": ((ACTIVE, USE), subset(frozenset({ACTIVE, USE, TERMS, NOTICE}))),
    "usage_days_min": (1, whole(1, 366)),
    "when_cancelled": ("accept", one_of("accept", "escalate")),
    "when_not_cancelled": ("contest", one_of("contest")),
    "otherwise": ("escalate", one_of("escalate")),
}


@dataclass(frozen=True, slots=True)
class CancellationRule:
    """A rule of this kind.

    A formal request at most `look_back_days` calendar days (the org's) before the charge covers it, the last day
    included. Without one the charge is contested where everything in `requires` is on record; `usage_days_min` is on
    how many different days of the paid period somebody must have used the product.
    """

    look_back_days: int
    requires: tuple[str, ...]
    usage_days_min: int
    accepts: bool


DEFAULT = CancellationRule(look_back_days=60, requires=(ACTIVE, USE), usage_days_min=3, accepts=True)
"""Where a merchant has no rule: the stance of the network's code, with more use than a rule would ask for."""


def cancellation(policy: Policy) -> CancellationRule:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    return CancellationRule(
        look_back_days=number(found["look_back_days"]),
        requires=names(found["requires"]),
        usage_days_min=number(found["usage_days_min"]),
        accepts=found["when_cancelled"] == "accept",
    )
