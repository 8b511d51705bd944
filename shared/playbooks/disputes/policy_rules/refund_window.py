"""refund_window: a charge for a plan of some interval is refunded in full when asked for within some days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import Parameters, absent_or, number, one_of, values, whole

KIND = "refund_window"
_PARAMETERS: Parameters = {
    "plan_interval": (None, absent_or(one_of("day", "week", "month", "year"))),
    "within_days": (None, whole(0, 3660)),
    "counts_from": ("charge", one_of("charge")),
    "amount": ("full", one_of("full")),
}


@dataclass(frozen=True, slots=True)
class RefundWindow:
    """A rule of this kind. `plan_interval` None: whatever the interval. `within_days`: the last day is inside."""

    plan_interval: str | None
    within_days: int

    def covers(self, interval: str) -> bool:
        """Whether it is about plans of this interval."""
        return self.plan_interval is None or self.plan_interval == interval

    def last_instant(self, paid_at: datetime) -> datetime:
        """The end of the window: the same instant so many days later."""
        return paid_at + timedelta(days=self.within_days)


def refund_window(policy: Policy) -> RefundWindow:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    interval = found["plan_interval"]
    return RefundWindow(None if interval is None else str(interval), number(found["within_days"]))
