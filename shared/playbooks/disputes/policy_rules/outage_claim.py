"""outage_claim: what has to be clean for a claim of an outage to be contested, and what counts as an outage."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    absent_or,
    decimal,
    exact,
    number,
    one_of,
    text,
    values,
    whole,
)

KIND = "outage_claim"
_PARAMETERS: Parameters = {
    "error_rate_max_pct": (None, decimal),
    "uptime_min_pct": (None, decimal),
    "p1_incidents_max": (0, one_of(0)),
    "usage_continued": (True, one_of(True, False)),
    "repeat_within_months": (None, absent_or(whole(1, 120))),
    "repeat_policy": (None, absent_or(text)),
    "when_clean": (None, one_of("contest")),
    "when_confirmed": (None, one_of("refund")),
    "mail_customer": ("after_filing", one_of("after_filing", "any_time")),
}


@dataclass(frozen=True, slots=True)
class OutageClaim:
    """A rule of this kind: clean is at most this error rate, at least this uptime, no outage, and use.

    Percentages are of requests and of time. Whoever won a dispute in the last `repeat_within_months` months is for the
    page `repeat_policy`.
    """

    error_rate_max_pct: Fraction
    uptime_min_pct: Fraction
    usage_continued: bool
    repeat_within_months: int | None
    repeat_policy: str | None


def outage_claim(policy: Policy) -> OutageClaim:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    months, page = found["repeat_within_months"], found["repeat_policy"]
    return OutageClaim(
        error_rate_max_pct=exact(found["error_rate_max_pct"]),
        uptime_min_pct=exact(found["uptime_min_pct"]),
        usage_continued=bool(found["usage_continued"]),
        repeat_within_months=None if months is None else number(months),
        repeat_policy=None if page is None else str(page),
    )
