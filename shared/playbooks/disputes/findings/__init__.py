"""The findings of a brief: one claim each, the rows it rests on, and how sure we are, in per cent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shared.case.brief import Finding
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.findings import economics, fraud, money, outage, people, rules, service
from shared.playbooks.disputes.matter import Matter

_WRITERS: Sequence[Callable[[Matter, Assessment, Ruling], Finding | None]] = (
    money.payment,
    rules.network,
    rules.legal,
    fraud.earlier_payments,
    fraud.secure,
    service.incident,
    service.trouble_aside,
    service.clean,
    outage.measured,
    outage.disturbances,
    outage.before,
    service.use,
    people.complaint,
    people.no_contact,
    people.promise,
    money.returned,
    people.plan_change,
    service.later_use,
    people.cancellation,
    people.spoke_of_cancelling,
    people.unclear_cancellation,
    people.terms,
    rules.policy,
    rules.policies_aside,
    money.siblings,
    money.warnings,
    money.history,
    people.account,
    people.courtesy,
    economics.worth,
    rules.reasons,
)


def findings(matter: Matter, seen: Assessment, ruling: Ruling) -> tuple[Finding, ...]:
    """Every finding that the evidence supports, in the order in which a reader needs them."""
    found = [write(matter, seen, ruling) for write in _WRITERS]
    return tuple(item for item in (*found, *rules.shown(matter, seen, ruling)) if item is not None)
