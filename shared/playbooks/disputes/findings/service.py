"""What the customer used, and whether it worked."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import Finding
from shared.case.evidence import Evidence
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, claimed
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.trouble import Trouble
from shared.playbooks.disputes.usage import Use, people, per_day
from shared.team import language
from shared.team.exhibits import text
from shared.team.words import count, feature, hours_and_days, listed, minute

_SYSTEMS = {
    "datadog.monitor_events": "the monitors",
    "datadog.incidents": "the incident tool",
    "pagerduty.incidents": "the pager",
    "sentry.events": "the error tracker",
}
_RECORDS = {
    "datadog.monitor_events": "monitor",
    "datadog.incidents": "incident",
    "pagerduty.incidents": "page",
}


def incident(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """The trouble that concerned the customer."""
    if not seen.relevant or ruling.clean is not None:
        return None
    told = "; ".join(_trouble_in_words(item) for item in seen.relevant)
    by = _corroboration(matter, {item.service for item in seen.relevant})
    absent = [
        item
        for item in matter.exhibits.absences(labels.NO_INCIDENT, labels.NO_PAGE, labels.NO_ALERT)
        if item.row.table not in {trouble.table for trouble in seen.relevant}
    ]
    other = f" ({listed([_SYSTEMS[item.row.table] for item in absent])} hold none)" if absent else ""
    rows = [item.evidence for item in seen.relevant]
    return claimed(f"{told}{other}", READ_OUT if by else INFERRED, *rows, *by, *absent)


def trouble_aside(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Trouble on their services that did not, or may not have."""
    others = [*seen.aside, *seen.unclear]
    told = "; ".join(f"{_trouble_in_words(item)}: {item.why}" for item in others)
    return claimed(f"on record, but not counted: {told}", INFERRED, *[item.evidence for item in others])


def clean(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """That nothing was wrong."""
    if seen.relevant or seen.unclear or matter.cycle is None:
        return None
    absent = matter.exhibits.absences(labels.NO_ALERT, labels.NO_INCIDENT, labels.NO_PAGE, labels.NO_ERROR)
    systems = listed([_SYSTEMS[item.row.table] for item in absent])
    uptime = matter.exhibits.rows("datadog.slo_history")
    figures = [f"{text(row, 'service')} {text(row, 'uptime_pct')} %" for row in uptime if text(row, "uptime_pct")]
    tail = f"; uptime {listed(figures)}" if figures else ""
    claim = f"no trouble that concerned them is on record in the cycle: {systems} hold none{tail}"
    return claimed(claim, INFERRED, *absent, *uptime) if absent else None


def use(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Who used what, and when."""
    if not seen.uses:
        return claimed(
            "nobody of this customer is seen using the product in the cycle",
            INFERRED,
            *matter.exhibits.absences(labels.NO_USE),
        )
    services = {item.service for item in seen.relevant}
    used = [use for use in seen.uses if use.service in services] or seen.uses
    what = listed(sorted({feature(use.service) for use in used if use.service})) or "the product"
    days = per_day(used)
    spread = f"on {count(len(days), 'day')} from {_iso_day(used[0])} to {_iso_day(used[-1])}"
    told = f"{people(used)} of their people used {what} {spread}"
    if services:
        during = [use for use in used if any(_inside(item, use) for item in seen.relevant)]
        per = ", ".join(f"{number} on {date.isoformat()}" for date, number in days.items())
        inside = f"{len(during)} of them during the incident{_tiers(during)}"
        told = f"{told}: {count(len(used), 'event')} ({per}), {inside}"
    return claimed(told, READ_OUT, *[use.evidence for use in used])


def later_use(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What they went on using afterwards."""
    ends = [item.end for item in seen.relevant if item.end is not None]
    after = [use for use in seen.uses if ends and use.at > max(ends)]
    if not after:
        return None
    when = f"on {count(len(per_day(after)), 'day')} up to {_iso_day(after[-1])}"
    what = listed(sorted({feature(use.service) for use in after if use.service})) or "the product"
    return claimed(
        f"after the incident they went on using {what}, {when}{_tiers(after)}",
        INFERRED,
        *[use.evidence for use in after],
    )


def _corroboration(matter: Matter, services: set[str]) -> list[Evidence]:
    """What engineers wrote about the services, and the error lines of their logs."""
    talk = [
        item
        for item in matter.exhibits.rows("slack.messages")
        if any(language.is_about(text(item, "text"), service) for service in services)
        and language.is_complaint(text(item, "text"))
    ]
    return talk + [item for item in matter.exhibits.rows("datadog.logs") if text(item, "service").lower() in services]


def _trouble_in_words(item: Trouble) -> str:
    name = text(item.evidence, "monitor_name", "title").split("\n")[0] or item.service
    until = (
        f"to {minute(item.end)}, {hours_and_days(int((item.end - item.start).total_seconds()))}"
        if item.end
        else "and goes on"
    )
    scope = f", {listed(sorted(item.tiers))} tier only" if item.tiers else ""
    where = f"{item.service} ({feature(item.service)}{scope})"
    return f'{_RECORDS[item.table]} "{name}" on {where} from {minute(item.start)} {until}'


def _inside(item: Trouble, use: Use) -> bool:
    return use.service == item.service and item.start <= use.at and (item.end is None or use.at <= item.end)


def _tiers(used: Sequence[Use]) -> str:
    tiers = sorted({use.tier for use in used if use.tier})
    return f", on {listed(tiers)}" if tiers else ""


def _iso_day(use: Use) -> str:
    return use.at.date().isoformat()
