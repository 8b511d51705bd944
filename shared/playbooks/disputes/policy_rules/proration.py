"""incident_proration: give back the share of a billing cycle in which a feature did not work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    names,
    number,
    one_of,
    subset,
    values,
    whole,
)

KIND = "incident_proration"
CLOCKS = {"monitor_alert": "datadog.monitor_events", "incident_record": "datadog.incidents"}
"""Which table's start and end count. The deploy of the fix and an acknowledgement never do."""

_REQUIREMENTS = frozenset({"incident_record", "feature_usage", "contemporaneous_complaint"})
_EXCLUSIONS = frozenset({"tier_not_affected", "downgraded_before_incident", "outside_charge_cycle"})
_PARAMETERS: Parameters = {
    "clock": (None, one_of(*CLOCKS)),
    "basis": (None, one_of("billing_cycle_days", "fixed_days")),
    "basis_days": (None, absent_or(whole(1, 366))),
    "service_match": ("usage", one_of("usage")),
    "tier_match": (True, one_of(True)),
    "requires": ((), subset(_REQUIREMENTS)),
    "complaint_within_days": (7, whole(0, 365)),
    "honours_promise": (False, one_of(True, False)),
    "exclude": ((), subset(_EXCLUSIONS)),
    "rounding": ("half_up", one_of("half_up")),
    "instrument": (None, one_of("charge_refund")),
}


@dataclass(frozen=True, slots=True)
class Proration:
    """A rule of this kind.

    `basis_days`: a fixed number of days, None for the real days of the billing cycle. `complaint_within_days`: days
    after the end of the incident, the last one included.
    """

    clock: str
    basis_days: int | None
    requires: tuple[str, ...]
    complaint_within_days: int
    honours_promise: bool
    exclude: frozenset[str]


def proration(policy: Policy) -> Proration:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    return Proration(
        clock=str(found["clock"]),
        basis_days=_basis_days(found),
        requires=names(found["requires"]),
        complaint_within_days=number(found["complaint_within_days"]),
        honours_promise=bool(found["honours_promise"]),
        exclude=frozenset(names(found["exclude"])),
    )


def _basis_days(found: Mapping[str, object]) -> int | None:
    days = found["basis_days"]
    if (found["basis"] == "fixed_days") != (days is not None):
        raise Unevaluable("its rule names a basis and a number of days that do not fit together")
    return None if days is None else number(days)
