"""repeat_disputer: what happens when a customer who has won disputes before disputes again without having cancelled."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import Parameters, number, one_of, values, whole

KIND = "repeat_disputer"

_PARAMETERS: Parameters = {
    "within_months": (14, whole(1, 60)),
    "counts": ("customer_won", one_of("customer_won")),
    "second": ("accept_and_warn", one_of("accept_and_warn", "contest")),
    "third": ("contest_and_cancel", one_of("contest_and_cancel", "contest")),
    "unused_time": ("refund_after_win", one_of("refund_after_win", "keep")),
    "unused_from": ("dispute_opened", one_of("dispute_opened")),
}


@dataclass(frozen=True, slots=True)
class RepeatDisputer:
    """A rule of this kind.

    Disputes that the customer won and that were opened in the `within_months` months before this one count, that day
    included. With one of them this is the second dispute, with two or more the third. `refunds_unused`: once the third
    is won, the share of the cycle from the day on which it was opened goes back.
    """

    within_months: int
    accepts_second: bool
    cancels_third: bool
    refunds_unused: bool


def repeat_disputer(policy: Policy) -> RepeatDisputer:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    return RepeatDisputer(
        within_months=number(found["within_months"]),
        accepts_second=found["second"] == "accept_and_warn",
        cancels_third=found["third"] == "contest_and_cancel",
        refunds_unused=found["unused_time"] == "refund_after_win",
    )
