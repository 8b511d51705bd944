"""economics: claims of fraud without decisive evidence are given up where contesting them costs more than it brings."""

from __future__ import annotations

from dataclasses import dataclass

from shared.case.money import Money
from shared.playbooks.disputes import economics as figures
from shared.playbooks.disputes.economics import Costs
from shared.playbooks.disputes.figures import fee
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    absent_or,
    currency,
    number,
    one_of,
    text,
    values,
    whole,
)

KIND = "economics"

_PARAMETERS: Parameters = {
    "currency": ("usd", currency),
    "account_country": (None, absent_or(text)),
    "countered_fee_minor": (None, absent_or(whole(0, 10**6))),
    "labour_minutes": (figures.LABOUR_MINUTES, whole(0, 10_000)),
    "labour_minor_per_hour": (figures.LABOUR_MINOR_PER_HOUR, whole(0, 10**7)),
    "smart_disputes_cut_pct": (figures.SMART_CUT_PCT, whole(0, 100)),
    "accept_below_minor": (None, absent_or(whole(1, 10**9))),
    "when_negative": ("accept", one_of("accept", "escalate")),
    "when_unclear": ("escalate", one_of("accept", "escalate")),
    "when_positive": ("escalate", one_of("escalate")),
}


@dataclass(frozen=True, slots=True)
class EconomicsRule:
    """A rule of this kind.

    `accept_below`: whatever is disputed below it is given up, without weighing. Else the odds band decides: `negative`
    where even its best end brings less than it costs, `unclear` where only its worst end does.
    """

    costs: Costs
    accept_below: Money | None
    accepts_negative: bool
    accepts_unclear: bool


def economics(policy: Policy) -> EconomicsRule:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    code, below, own_fee = str(found["currency"]), found["accept_below_minor"], found["countered_fee_minor"]
    country = found["account_country"]
    standard = fee("countered", None if country is None else str(country)).minor
    return EconomicsRule(
        costs=Costs(
            currency=code,
            countered_fee_minor=standard if own_fee is None else number(own_fee),
            labour_minutes=number(found["labour_minutes"]),
            labour_minor_per_hour=number(found["labour_minor_per_hour"]),
            smart_cut_pct=number(found["smart_disputes_cut_pct"]),
        ),
        accept_below=None if below is None else Money(minor=number(below), currency=code),
        accepts_negative=found["when_negative"] == "accept",
        accepts_unclear=found["when_unclear"] == "accept",
    )
