"""A claim of an outage against the records: what the merchant's policy calls clean, measured, or what keeps it from it.

Short disturbances of low severity are named and do not count; anything else that concerned the customer does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shared.case.evidence import Evidence
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.outage_claim import OutageClaim
from shared.playbooks.disputes.trouble import Trouble
from shared.playbooks.disputes.usage import Use
from shared.team.exhibits import decimal, text
from shared.team.moments import moment, months_before
from shared.team.words import listed, percent

BLIP_SEVERITY = 3
"""SEV-3 and P3, and what is less urgent, are disturbances; SEV-1, SEV-2 and what has no severity are outages."""

_SEVERITY = re.compile(r"\b(?:sev|p)[-_ ]?([1-5])\b", re.IGNORECASE)
_ENTERING = frozenset(
    {"login", "logged_in", "sign_in", "signed_in", "pageview", "$pageview", "page_view", "session_start"}
)
"""Events that show somebody arriving, not working."""


@dataclass(frozen=True, slots=True)
class Clean:
    """What made it clean: the lowest uptime and the highest error rate of the services they used, in per cent."""

    policy: Policy
    rule: OutageClaim
    uptime_pct: Fraction
    error_rate_pct: Fraction
    uptimes: tuple[Evidence, ...]
    work: tuple[Use, ...]
    blips: tuple[Trouble, ...]


def split(relevant: Sequence[Trouble]) -> tuple[list[Trouble], list[Trouble]]:
    """The disturbances and the outages among these records. An alert inside a disturbance is the same one."""
    blips = [item for item in relevant if _is_minor(item)]
    for item in relevant:
        if item.table == "datadog.monitor_events" and any(_is_part_of(item, blip) for blip in blips):
            blips.append(item)
    return blips, [item for item in relevant if item not in blips]


def clean(matter: Matter, seen: Assessment, policy: Policy, rule: OutageClaim) -> Clean:
    """The measurements that make a claim without outages clean. Raises Stop with what is not, or not known."""
    _check_repeat(matter, seen, policy, rule)
    uptimes = [row for row in matter.exhibits.rows("datadog.slo_history") if _measures(row, matter)]
    used = sorted({use.service for use in seen.uses if use.service})
    unmeasured = [name for name in used if not any(text(row, "service").lower() == name for row in uptimes)]
    lowest = min(_figures(uptimes, "uptime_pct"), default=None)
    highest = max(_figures(uptimes, "error_rate_pct"), default=None)
    work = [use for use in seen.uses if use.event.lower() not in _ENTERING]
    missing = [f"the uptime of {name}" for name in unmeasured]
    missing += [] if highest is not None else ["the error rate of the services they used"]
    if missing or lowest is None or highest is None:
        raise _not_clean(policy, uptimes, f"asks for more than is on file; missing: {listed(missing) or 'any uptime'}")
    if lowest < rule.uptime_min_pct:
        raise _not_clean(policy, uptimes, f"calls {percent(lowest)} uptime not clean")
    if highest > rule.error_rate_max_pct:
        raise _not_clean(policy, uptimes, f"calls an error rate of {percent(highest)} not clean")
    if rule.usage_continued and not work:
        raise _not_clean(policy, uptimes, "asks for work with the product, not only for sign-ins")
    blips, _ = split(seen.relevant)
    return Clean(policy, rule, lowest, highest, tuple(uptimes), tuple(work), tuple(blips))


def _check_repeat(matter: Matter, seen: Assessment, policy: Policy, rule: OutageClaim) -> None:
    opened = moment(matter.dispute.row.fields.get("created")) or matter.now
    if rule.repeat_within_months is None:
        return
    since = months_before(opened, rule.repeat_within_months)
    won = [row for row in seen.lost_before if (moment(row.row.fields.get("created")) or opened) >= since]
    if won:
        page, months = rule.repeat_policy or "a person", rule.repeat_within_months
        raise Stop(
            (f"they won a dispute in the {months} months before: {policy.name} leaves it to {page}",),
            (policy.evidence, *won),
        )


def _not_clean(policy: Policy, uptimes: Sequence[Evidence], why: str) -> Stop:
    return Stop((f"{policy.name} {why}",), (policy.evidence, *uptimes))


def _measures(row: Evidence, matter: Matter) -> bool:
    start, end = (moment(row.row.fields.get(name)) for name in ("window_start", "window_end"))
    return start is not None and matter.cycle is not None and matter.cycle.meets(start, end)


def _figures(rows: Sequence[Evidence], name: str) -> list[Fraction]:
    return [figure for row in rows if (figure := decimal(row.row.fields.get(name))) is not None]


def _is_minor(item: Trouble) -> bool:
    severity = _severity(item)
    return severity is not None and severity >= BLIP_SEVERITY


def is_major(item: Trouble) -> bool:
    """Whether whoever recorded it called it an outage, by its severity."""
    severity = _severity(item)
    return severity is not None and severity < BLIP_SEVERITY


def _severity(item: Trouble) -> int | None:
    found = _SEVERITY.search(text(item.evidence, "severity", "priority"))
    return int(found[1]) if found else None


def _is_part_of(alert: Trouble, blip: Trouble) -> bool:
    if alert.service != blip.service or alert.end is None or blip.end is None:
        return False
    return blip.start <= alert.start and alert.end <= blip.end
