"""contractual_sla_credit: what a signed addendum gives for downtime, by the severity of the incident."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    absent_or,
    names,
    number,
    one_of,
    subset,
    text,
    values,
    whole,
)

KIND = "contractual_sla_credit"
RECORDS: dict[str, tuple[str, str]] = {
    "pager": ("pagerduty.incidents", "priority"),
    "incident_record": ("datadog.incidents", "severity"),
    "monitor_alert": ("datadog.monitor_events", ""),
}
"""The systems that record downtime: the table, and the field that holds the severity. A status page is none of them."""


def _multipliers(value: object) -> bool:
    return (
        isinstance(value, Mapping)
        and 0 < len(value) <= 10
        and all(isinstance(name, str) and 0 < len(name) <= 40 for name in value)
        and all(whole(0, 100)(factor) for factor in value.values())
    )


_PARAMETERS: Parameters = {
    "agreement": (None, text),
    "clock": (None, one_of("pager", "incident_record")),
    "confirmed_by": ((), subset(frozenset(RECORDS))),
    "month_hours": (None, absent_or(whole(1, 744))),
    "multipliers": (None, _multipliers),
    "cap_months": (1, whole(1, 12)),
    "claim_within_days": (None, whole(0, 366)),
    "short_pay": ("refused", one_of("refused")),
    "instrument": (None, one_of(Instrument.CREDIT_NOTE_BALANCE.value, Instrument.ACCOUNT_CREDIT.value)),
    "rounding": ("half_up", one_of("half_up")),
}


@dataclass(frozen=True, slots=True)
class ContractualSla:
    """A rule of this kind: hours of downtime / hours of the month x monthly fee x multiplier of the severity.

    `agreement`: the kind of signed document that gives the right. `clock`: which record's start, end and severity
    count; `confirmed_by`: the other systems that must show the same time. `month_hours` None: the real hours of the
    billed period. `cap_months`: at most so many monthly fees. `claim_within_days`: days after the end of the incident,
    the last one included.
    """

    agreement: str
    clock: str
    confirmed_by: tuple[str, ...]
    month_hours: int | None
    multipliers: Mapping[str, int]
    cap_months: int
    claim_within_days: int
    instrument: Instrument


def contractual_sla(policy: Policy) -> ContractualSla:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    factors = found["multipliers"]
    if str(found["clock"]) in names(found["confirmed_by"]):
        raise Unevaluable("its rule wants a clock confirmed by itself")
    return ContractualSla(
        agreement=str(found["agreement"]),
        clock=str(found["clock"]),
        confirmed_by=names(found["confirmed_by"]),
        month_hours=None if found["month_hours"] is None else number(found["month_hours"]),
        multipliers={str(name).upper(): number(value) for name, value in factors.items()}
        if isinstance(factors, Mapping)
        else {},
        cap_months=number(found["cap_months"]),
        claim_within_days=number(found["claim_within_days"]),
        instrument=Instrument(str(found["instrument"])),
    )
