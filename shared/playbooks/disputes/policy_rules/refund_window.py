"""refund_window: a charge for a plan of some interval is refunded in full when asked for within some days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    number,
    one_of,
    text,
    values,
    whole,
)

KIND = "refund_window"
_PARAMETERS: Parameters = {
    "plan_interval": (None, absent_or(one_of("day", "week", "month", "year"))),
    "within_days": (None, whole(0, 3660)),
    "counts_from": ("charge", one_of("charge")),
    "amount": ("full", one_of("full")),
    "exception_event": (None, absent_or(text)),
    "exception_max_events": (None, absent_or(whole(0, 100_000))),
    "exception_for_strategic": (False, one_of(True, False)),
    "exception": ("person", one_of("person")),
}


@dataclass(frozen=True, slots=True)
class RefundWindow:
    """A rule of this kind. `plan_interval` None: whatever the interval. `within_days`: the last day is inside.

    After the window a person may make an exception: for whoever has at most `exception_max_events` usage events named
    `exception_event` since the charge, and with `exception_for_strategic` for accounts that the CRM marks so.
    """

    plan_interval: str | None
    within_days: int
    exception_event: str | None = None
    exception_max_events: int | None = None
    exception_for_strategic: bool = False

    def covers(self, interval: str) -> bool:
        """Whether it is about plans of this interval."""
        return self.plan_interval is None or self.plan_interval == interval

    def last_instant(self, paid_at: datetime, timezone: str) -> datetime:
        """The end of the window: of the day so many calendar days after the charge, in the org's time zone."""
        paid_on = paid_at.astimezone(ZoneInfo(timezone))
        last = (paid_on + timedelta(days=self.within_days)).date()
        return datetime.combine(last, time.max, tzinfo=paid_on.tzinfo)


def refund_window(policy: Policy) -> RefundWindow:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    interval, event, most = (found[name] for name in ("plan_interval", "exception_event", "exception_max_events"))
    if (event is None) != (most is None):
        raise Unevaluable("its rule names an exception by use without both the event and how many of them")
    return RefundWindow(
        plan_interval=None if interval is None else str(interval),
        within_days=number(found["within_days"]),
        exception_event=None if event is None else str(event),
        exception_max_events=None if most is None else number(most),
        exception_for_strategic=bool(found["exception_for_strategic"]),
    )
