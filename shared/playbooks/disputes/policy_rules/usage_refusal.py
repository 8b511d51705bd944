"""usage_refusal: whoever used what they paid for does not get it back because they say they did not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import Parameters, number, values, whole

KIND = "usage_refusal"
_PARAMETERS: Parameters = {
    "within_days": (None, whole(1, 366)),
    "events_min": (None, whole(1, 100_000)),
    "people_min": (1, whole(1, 10_000)),
}


@dataclass(frozen=True, slots=True)
class UsageRefusal:
    """A rule of this kind: at least so many events of use by at least so many people in the time before they asked."""

    within: timedelta
    events_min: int
    people_min: int


def usage_refusal(policy: Policy) -> UsageRefusal:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    return UsageRefusal(
        within=timedelta(days=number(found["within_days"])),
        events_min=number(found["events_min"]),
        people_min=number(found["people_min"]),
    )
