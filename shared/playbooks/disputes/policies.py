"""The merchant's policies: which page is for which claim, which of them is in force, and what its rule says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from shared.case.evidence import Cell, Evidence
from shared.playbooks.disputes.codes import lookup
from shared.team.exhibits import text

EVERYTHING = frozenset({"any", "all", "dispute", "disputes", "chargeback", "chargebacks"})
"""Topics that stand for every dispute."""

KIND = "incident_proration"
DEFAULT_COMPLAINT_DAYS = 7


class Unevaluable(Exception):
    """A rule that cannot be followed mechanically; the message says which part, for the person who decides."""


@dataclass(frozen=True, slots=True)
class Proration:
    """A rule of the kind incident_proration: give back the share of a cycle in which a feature did not work.

    `basis_days`: a fixed number of days, None for the real days of the billing cycle. `complaint_within_days`: days
    after the end of the incident, the last one included.
    """

    clock: str
    basis_days: int | None
    requires: tuple[str, ...]
    complaint_within_days: int
    honours_promise: bool
    exclude: frozenset[str]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy page with the evidence that holds it."""

    evidence: Evidence
    id: str
    title: str
    status: str
    effective_from: date | None
    rule: str

    @property
    def name(self) -> str:
        """How findings call it."""
        return f'"{self.title}" ({self.id}, {self.status})'


def topics_of(network: str | None, code: str | None, reason: str | None) -> frozenset[str]:
    """The topics by which a policy can mean a dispute: its family, Stripe's reason, and every dispute."""
    family = lookup(network, code, reason).family.value
    return EVERYTHING | {family} | ({reason.lower()} if reason else set())


def is_for(applies_to: Cell, topics: frozenset[str]) -> bool:
    """Whether a page is for one of these topics; `applies_to` is a list of topics in text or JSON."""
    named = re.findall(r"[a-z0-9_.]+", str(applies_to or "").lower())
    return not topics.isdisjoint(named)


def read(evidence: Evidence) -> Policy:
    """A policy from the row that holds it."""
    fields = evidence.row.fields
    return Policy(
        evidence=evidence,
        id=evidence.row.record_id,
        title=text(evidence, "title") or evidence.row.record_id,
        status=text(evidence, "status") or "unknown",
        effective_from=_day(fields.get("effective_from")),
        rule=text(evidence, "rule"),
    )


def in_force(policies: Sequence[Policy], now: datetime) -> list[Policy]:
    """The current ones that have taken effect. Superseded and draft pages are named, never applied."""
    return [
        policy
        for policy in policies
        if policy.status == "current" and (policy.effective_from is None or policy.effective_from <= now.date())
    ]


def disagree(policies: Sequence[Policy]) -> bool:
    """Whether these pages say different things, as far as rules can tell: prose beside a rule may disagree with it."""
    return len({json.dumps(_rule_or_text(policy), sort_keys=True) for policy in policies}) > 1


def proration(policy: Policy) -> Proration:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    rule = _rule_or_text(policy)
    if not isinstance(rule, Mapping):
        raise Unevaluable("it has no machine-readable rule")
    if rule.get("kind") != KIND:
        raise Unevaluable(f"its rule is of the kind {rule.get('kind')}, which is not one we can follow for a dispute")
    unknown = sorted(set(rule) - {"kind", "basis_days", *_PARAMETERS})
    if unknown:
        raise Unevaluable(f"its rule has parameters we do not know: {', '.join(unknown)}")
    for name, (default, accepts) in _PARAMETERS.items():
        if not accepts(rule.get(name, default)):
            raise Unevaluable(f"its rule says {name}: {rule.get(name)}, which we cannot follow")
    values = {name: rule.get(name, default) for name, (default, _) in _PARAMETERS.items()}
    return Proration(
        clock=str(values["clock"]),
        basis_days=_basis_days(rule),
        requires=_names(values["requires"]),
        complaint_within_days=int(str(values["complaint_within_days"])),
        honours_promise=bool(values["honours_promise"]),
        exclude=frozenset(_names(values["exclude"])),
    )


REQUIREMENTS = frozenset({"incident_record", "feature_usage", "contemporaneous_complaint"})
EXCLUSIONS = frozenset({"tier_not_affected", "downgraded_before_incident", "outside_charge_cycle"})
CLOCKS = {"monitor_alert": "datadog.monitor_events", "incident_record": "datadog.incidents"}
"""Which table's start and end count. The deploy of the fix and an acknowledgement never do."""


def _one_of(*allowed: object) -> Callable[[object], bool]:
    return lambda value: any(type(value) is type(choice) and value == choice for choice in allowed)


def _subset(allowed: frozenset[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list | tuple) and all(isinstance(i, str) and i in allowed for i in value)


_PARAMETERS: dict[str, tuple[object, Callable[[object], bool]]] = {
    "clock": (None, _one_of(*CLOCKS)),
    "basis": (None, _one_of("billing_cycle_days", "fixed_days")),
    "service_match": ("usage", _one_of("usage")),
    "tier_match": (True, _one_of(True)),
    "requires": ((), _subset(REQUIREMENTS)),
    "complaint_within_days": (DEFAULT_COMPLAINT_DAYS, _one_of(*range(366))),
    "honours_promise": (False, _one_of(True, False)),
    "exclude": ((), _subset(EXCLUSIONS)),
    "rounding": ("half_up", _one_of("half_up")),
    "instrument": (None, _one_of("charge_refund")),
}
"""Every parameter of the rule: its default (None: it must be given) and which values can be followed."""


def _basis_days(rule: Mapping[str, object]) -> int | None:
    days = rule.get("basis_days")
    if rule["basis"] == "billing_cycle_days" and days is None:
        return None
    if rule["basis"] == "fixed_days" and type(days) is int and 0 < days <= 366:
        return days
    raise Unevaluable("its rule names a basis and a number of days that do not fit together")


def _names(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list | tuple) else ()


def _rule_or_text(policy: Policy) -> object:
    try:
        rule: object = json.loads(policy.rule)
    except ValueError:
        return policy.id
    return rule if isinstance(rule, Mapping) else policy.id


def _day(cell: Cell) -> date | None:
    try:
        return date.fromisoformat(str(cell)[:10])
    except ValueError:
        return None
