"""What a policy on claims of an outage measured, and what was recorded before the cycle."""

from __future__ import annotations

from datetime import datetime

from shared.case.brief import Finding
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, claimed
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.usage import people
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import count, lasting, listed, minute, percent


def measured(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """The measurements by which the policy calls it clean."""
    clean = ruling.clean
    if clean is None:
        return None
    rule = clean.rule
    claim = (
        f"{clean.policy.name} calls the time clean: uptime at least {percent(clean.uptime_pct)} (wanted: "
        f"{percent(rule.uptime_min_pct)}), error rate at most {percent(clean.error_rate_pct)} (allowed: "
        f"{percent(rule.error_rate_max_pct)}), no outage on record, and "
        f"{count(people(clean.work), 'person')} of theirs went on working with it"
    )
    return claimed(claim, READ_OUT, clean.policy.evidence, *clean.uptimes, *[use.evidence for use in clean.work])


def disturbances(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Disturbances in the cycle that the policy does not call an outage."""
    blips = ruling.clean.blips if ruling.clean else ()
    told = [f"{item.service} from {minute(item.start)}{_lasted(item.start, item.end)}" for item in blips]
    claim = f"disturbances of low severity, named and not counted: {listed(told)}"
    return claimed(claim, READ_OUT, *[item.evidence for item in blips])


def before(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Incidents that had ended before the cycle began: they are not about this charge."""
    if matter.cycle is None:
        return None
    earlier, told = [], []
    for row in matter.exhibits.rows("datadog.incidents"):
        start, end = (moment(row.row.fields.get(name)) for name in ("created", "resolved_at"))
        if start is not None and end is not None and end <= matter.cycle.start:
            earlier.append(row)
            named = ", ".join(filter(None, [text(row, "title"), text(row, "severity")]))
            told.append(f"{named} from {minute(start)}{_lasted(start, end)}")
    claim = f"recorded before the cycle that was paid for, so not about this charge: {'; '.join(told)}"
    return claimed(claim, INFERRED, *earlier)


def _lasted(start: datetime, end: datetime | None) -> str:
    return f" ({lasting(end - start)})" if end else ""
