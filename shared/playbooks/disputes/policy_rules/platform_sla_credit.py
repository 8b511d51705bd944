"""platform_sla_credit: what part of a month's fee is given back when too little of the month was available."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument, instrument
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

KIND = "platform_sla_credit"
CLOCKS = {"monitor_alerts": "datadog.monitor_events", "incident_records": "datadog.incidents"}
"""Which table's start and end say when the platform was not available."""

SLO_HISTORY = "slo_history"


@dataclass(frozen=True, slots=True)
class Tier:
    """Below this availability, in per cent of the month, this part of the fee is given back, in per cent."""

    below_pct: Fraction
    credit_pct: int


def _is_tier(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"below_pct", "credit_pct"}
        and decimal(value["below_pct"])
        and exact(value["below_pct"]) <= 100
        and whole(1, 100)(value["credit_pct"])
    )


def _are_tiers(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) > 0 and all(_is_tier(item) for item in value)


_PARAMETERS: Parameters = {
    "tiers": (None, _are_tiers),
    "uptime_from": (None, one_of(SLO_HISTORY, *CLOCKS)),
    "period": ("calendar_month", one_of("calendar_month")),
    "claim_within_days": (None, whole(0, 366)),
    "claim_counts_from": ("incident_end", one_of("incident_end", "month_end")),
    "instrument": (None, instrument),
}


@dataclass(frozen=True, slots=True)
class PlatformSlaCredit:
    """A rule of this kind. `tiers`: the deepest first. `uptime_from`: slo_history, or a name of `CLOCKS`. The month is
    one of the calendar, in the org's time zone. `claim_within_days`: day N itself is inside.
    """

    tiers: tuple[Tier, ...]
    uptime_from: str
    claim_within_days: int
    from_month_end: bool
    instrument: Instrument

    def tier_of(self, uptime_pct: Fraction) -> Tier | None:
        """The deepest tier that an availability is below; None when the promise was kept."""
        return next((tier for tier in self.tiers if uptime_pct < tier.below_pct), None)


def platform_sla_credit(policy: Policy) -> PlatformSlaCredit:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    listed = found["tiers"]
    assert isinstance(listed, list | tuple)
    tiers = sorted((Tier(exact(item["below_pct"]), int(item["credit_pct"])) for item in listed), key=_depth)
    for deeper, higher in pairwise(tiers):
        if deeper.below_pct == higher.below_pct or deeper.credit_pct <= higher.credit_pct:
            raise Unevaluable("its rule has tiers that give less for less availability")
    return PlatformSlaCredit(
        tiers=tuple(tiers),
        uptime_from=str(found["uptime_from"]),
        claim_within_days=number(found["claim_within_days"]),
        from_month_end=found["claim_counts_from"] == "month_end",
        instrument=Instrument(str(found["instrument"])),
    )


def _depth(tier: Tier) -> Fraction:
    return tier.below_pct
