"""seat_reconciliation: a claim that too many seats were billed, held against who signed for them and who signed in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    decimal,
    exact,
    number,
    one_of,
    values,
    whole,
)

KIND = "seat_reconciliation"

_PARAMETERS: Parameters = {
    "authenticated_min_pct": ("80", decimal),
    "used_below_pct": ("50", decimal),
    "signed_by": ("c_level", one_of("c_level")),
    "crm": ("either", one_of("either")),
    "complaint_free_days": (90, whole(1, 120)),
    "when_all_hold": ("contest_and_call", one_of("contest_and_call")),
    "when_one_fails": ("accept", one_of("accept", "escalate")),
    "between": ("escalate", one_of("escalate")),
}


@dataclass(frozen=True, slots=True)
class SeatReconciliation:
    """A rule of this kind. Percentages are of the billed seats that signed in during the billed period.

    Contest from `authenticated_min_pct` on, with an addendum and without a complaint about bills in
    `complaint_free_days`; below `used_below_pct`, without an addendum or with an open complaint `accepts` says whether
    the chargeback is given up or a person decides.
    """

    authenticated_min_pct: Fraction
    used_below_pct: Fraction
    complaint_free_days: int
    accepts: bool


def seat_reconciliation(policy: Policy) -> SeatReconciliation:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    least, below = exact(found["authenticated_min_pct"]), exact(found["used_below_pct"])
    if not below <= least <= 100:
        raise Unevaluable("its rule names percentages that do not fit together")
    return SeatReconciliation(least, below, number(found["complaint_free_days"]), found["when_one_fails"] == "accept")
