"""fraud_review: a failed payment that people look at for fraud before anybody collects it."""

from __future__ import annotations

from dataclasses import dataclass

from shared.case.money import Money
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    names,
    number,
    one_of,
    text,
    values,
    whole,
    words,
)

KIND = "fraud_review"
MOST_EVENTS = 25
"""Up to how many uses of one kind are counted exactly."""

_DAYS = whole(1, 3660)
_PARAMETERS: Parameters = {
    "amount_above_minor": (None, whole(0, 10**12)),
    "currency": (None, text),
    "domain_younger_than_days": (None, absent_or(_DAYS)),
    "critical_events": ((), words),
    "critical_events_below": (None, absent_or(whole(1, MOST_EVENTS))),
    "owner_tenure_below_days": (None, absent_or(_DAYS)),
    "risk_score_from": (None, absent_or(whole(0, 100))),
    "review_by": (None, text),
    "retry": ("never", one_of("never")),
    "refund": ("never", one_of("never")),
}


@dataclass(frozen=True, slots=True)
class FraudReview:
    """A rule of this kind: every sign that it names has to be there at once. None: that sign is not asked for.

    `above`: more than this is due. The domain of the customer was registered, and the owner of the account has had it,
    for fewer days than named; the product saw fewer uses of `critical_events`; Radar's score is at least
    `risk_score_from`. `review_by`: who looks at it.
    """

    above: Money
    domain_younger_than_days: int | None
    critical_events: frozenset[str]
    critical_events_below: int | None
    owner_tenure_below_days: int | None
    risk_score_from: int | None
    review_by: str


def fraud_review(policy: Policy) -> FraudReview:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    currency = str(found["currency"]).lower()
    if len(currency) != 3 or not currency.isalpha():
        raise Unevaluable(f"its rule says currency: {found['currency']}, which we cannot follow")
    domain, events, tenure, score = (
        None if (value := found[name]) is None else number(value)
        for name in (
            "domain_younger_than_days",
            "critical_events_below",
            "owner_tenure_below_days",
            "risk_score_from",
        )
    )
    if (events is None) != (not names(found["critical_events"])):
        raise Unevaluable("its rule names critical events, or how many of them there should be, but not both")
    return FraudReview(
        above=Money(minor=number(found["amount_above_minor"]), currency=currency),
        domain_younger_than_days=domain,
        critical_events=frozenset(names(found["critical_events"])),
        critical_events_below=events,
        owner_tenure_below_days=tenure,
        risk_score_from=score,
        review_by=str(found["review_by"]),
    )
