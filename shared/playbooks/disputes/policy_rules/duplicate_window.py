"""duplicate_window: when the later of two equal charges is returned without further ado."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    names,
    number,
    one_of,
    subset,
    values,
    whole,
)

KIND = "duplicate_window"
SYSTEMS = frozenset({"sentry", "datadog", "pagerduty"})
"""Systems that watch our services: the error tracker, logs and monitors, the pager."""

_PARAMETERS: Parameters = {
    "currency": (None, lambda value: isinstance(value, str) and len(value) == 3),
    "below_minor": (None, whole(1, 10**9)),
    "same_amount": (True, one_of(True)),
    "within_minutes": (None, whole(1, 24 * 60)),
    "marker": (None, one_of("retry_marker_or_same_event")),
    "root_cause_sources": (None, subset(SYSTEMS)),
    "root_cause_sources_min": (None, whole(0, len(SYSTEMS))),
    "no_open_tickets_days": (None, whole(0, 366)),
    "no_dispute_months": (None, whole(0, 120)),
    "complaint_within_days": (None, whole(0, 366)),
    "refund": ("later_charge", one_of("later_charge")),
    "instrument": ("charge_refund", one_of("charge_refund")),
    "reply": ("same_thread", one_of("same_thread")),
    "reply_max_words": (120, whole(60, 10_000)),
    "otherwise": ("escalate", one_of("escalate")),
}


@dataclass(frozen=True, slots=True)
class DuplicateWindow:
    """A rule of this kind: everything that has to be true at once. Amounts are minor units of `currency`."""

    currency: str
    below_minor: int
    within_minutes: int
    systems: frozenset[str]
    least_systems: int
    no_open_tickets_days: int
    no_dispute_months: int
    complaint_within_days: int


def duplicate_window(policy: Policy) -> DuplicateWindow:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    systems, least = frozenset(names(found["root_cause_sources"])), number(found["root_cause_sources_min"])
    if least > len(systems):
        raise Unevaluable(f"its rule wants {least} of {len(systems)} systems")
    return DuplicateWindow(
        currency=str(found["currency"]).lower(),
        below_minor=number(found["below_minor"]),
        within_minutes=number(found["within_minutes"]),
        systems=systems,
        least_systems=least,
        no_open_tickets_days=number(found["no_open_tickets_days"]),
        no_dispute_months=number(found["no_dispute_months"]),
        complaint_within_days=number(found["complaint_within_days"]),
    )
