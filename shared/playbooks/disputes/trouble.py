"""What operations recorded: alerts, incidents and pages, and which of them concern this customer.

A record counts for a service the customer used and, where it is tagged so, for a tier they were on, a region they are
in or their own name. Test environments do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from shared.case.evidence import Evidence
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.setting import Setting
from shared.playbooks.disputes.usage import Use
from shared.team import language
from shared.team.exhibits import text
from shared.team.json_text import parsed
from shared.team.moments import moment

TABLES: dict[str, tuple[str, str]] = {
    "datadog.monitor_events": ("started_at", "ended_at"),
    "datadog.incidents": ("created", "resolved_at"),
    "pagerduty.incidents": ("created_at", "resolved_at"),
}
"""Where trouble is recorded, and which fields hold its start and its end."""

_TELLING = 4
"""Shorter words are in many names: inc, com, llc."""

_ALERTING = frozenset({"alert", "alerting", "triggered", "critical", "error", "firing"})
_PRODUCTION = frozenset({"prod", "prd", "production", "live"})
_ELSEWHERE = frozenset(
    {"staging", "stage", "stg", "test", "testing", "qa", "uat", "dev", "development", "sandbox", "preview"}
    | {"demo", "local", "ci", "pre", "preprod", "non", "nonprod"}
)
"""Words that say of an environment that no customer is on it."""


class Bearing(StrEnum):
    """Whether a record concerns the customer; `unclear`: it depends on something that no evidence tells."""

    CONCERNS = "concerns"
    DOES_NOT = "does not"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One record of trouble, from `start` to `end` (None: it goes on), and its bearing on the customer, with why."""

    evidence: Evidence
    service: str
    start: datetime
    end: datetime | None
    tags: dict[str, frozenset[str]]
    bearing: Bearing
    why: str

    @property
    def table(self) -> str:
        """The table it was recorded in."""
        return self.evidence.row.table

    @property
    def fields(self) -> tuple[str, str]:
        """The fields of the row that hold its start and its end."""
        return TABLES[self.table]

    @property
    def tiers(self) -> frozenset[str]:
        """The tiers it was limited to; empty: all."""
        return self.tags.get("tier", frozenset())


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of trouble: records that overlap, merged, so that no second counts twice."""

    first: Trouble
    """The record that starts it."""
    last: Trouble
    """The record that ends it."""

    @property
    def start(self) -> datetime:
        """When it starts."""
        return self.first.start

    @property
    def end(self) -> datetime:
        """When it ends. Windows are only built from records that have ended."""
        assert self.last.end is not None
        return self.last.end


def troubles(matter: Setting, used: Sequence[Use]) -> list[Trouble]:
    """Every record of trouble in the cycle on a service that the customer used, in order, with its bearing."""
    if matter.cycle is None:
        return []
    found = []
    for item in matter.exhibits.rows(*TABLES):
        start, end = _span(item)
        if start is None:
            found.append(_judged(matter, item, matter.cycle.start, None, used))
        elif matter.cycle.meets(min(start, end or start), max(start, end) if end else None):
            found.append(_judged(matter, item, start, end, used))
    return sorted(found, key=lambda trouble: (trouble.start, trouble.evidence.index))


def windows(found: Iterable[Trouble], cycle: Cycle) -> list[Window]:
    """The merged stretches of records that have ended and share time with the cycle."""
    merged: list[Window] = []
    for trouble in sorted(found, key=lambda item: (item.start, item.evidence.index)):
        if trouble.end is None or not cycle.meets(trouble.start, trouble.end) or trouble.end <= trouble.start:
            continue
        if merged and trouble.start <= merged[-1].end:
            if trouble.end > merged[-1].end:
                merged[-1] = Window(merged[-1].first, trouble)
        else:
            merged.append(Window(trouble, trouble))
    return merged


def tags_of(item: Evidence) -> dict[str, frozenset[str]]:
    """The tags of a row, `key:value` each, in JSON or comma-separated text; in lower case."""
    raw = text(item, "tags")
    listed = parsed(raw) or re.split(r"[,\s]+", raw)
    pairs = [f"{key}:{value}" for key, value in listed.items()] if isinstance(listed, dict) else listed
    tags: dict[str, frozenset[str]] = {}
    for pair in pairs if isinstance(pairs, list) else []:
        key, separator, value = str(pair).lower().partition(":")
        if separator:
            tags[key] = tags.get(key, frozenset()) | {value.strip()}
    return tags


def _span(item: Evidence) -> tuple[datetime | None, datetime | None]:
    start, end = (moment(item.row.fields.get(name)) for name in TABLES[item.row.table])
    return start, end


@dataclass(frozen=True, slots=True)
class _Record:
    """What the checks look at: the row, its tags and time, the uses of its service and of everything."""

    matter: Setting
    item: Evidence
    tags: dict[str, frozenset[str]]
    used: list[Use]
    everything: Sequence[Use]
    start: datetime
    end: datetime | None


_Objection = tuple[Bearing, str] | None


def _judged(matter: Setting, item: Evidence, start: datetime, end: datetime | None, used: Sequence[Use]) -> Trouble:
    service = text(item, "service").strip().lower()
    of_service = [use for use in used if use.service == service]
    record = _Record(matter, item, tags_of(item), of_service, used, start, end)
    checks = (_service, _status, _environment, _tier, _region, _customer, _time)
    objections = [objection for check in checks if (objection := check(record)) is not None]
    # What certainly does not concern them needs no other answer.
    objections.sort(key=lambda objection: objection[0] is not Bearing.DOES_NOT)
    bearing, why = next(iter(objections), (Bearing.CONCERNS, f"{matter.customer_name} used {service}"))
    return Trouble(item, service, start, end, record.tags, bearing, why)


def _service(record: _Record) -> _Objection:
    if record.used:
        return None
    return Bearing.DOES_NOT, f"{record.matter.customer_name} did not use {text(record.item, 'service')}"


def _status(record: _Record) -> _Objection:
    status = text(record.item, "status").lower()
    if record.item.row.table != "datadog.monitor_events" or not status or status in _ALERTING:
        return None
    return Bearing.DOES_NOT, f"the monitor's state was {status}, not an alert"


def _environment(record: _Record) -> _Objection:
    environments = record.tags.get("env", frozenset())
    spelt = [set(_words(name)) for name in environments]
    if not environments or any(words & _PRODUCTION and not words & _ELSEWHERE for words in spelt):
        return None
    named = ", ".join(sorted(environments))
    if all(words & _ELSEWHERE for words in spelt):
        return Bearing.DOES_NOT, f"it concerned {named}, not production"
    return Bearing.UNCLEAR, f"it concerned {named}, and nothing says whether that is production"


def _tier(record: _Record) -> _Objection:
    wanted = record.tags.get("tier")
    if not wanted:
        return None
    named, on = ", ".join(sorted(wanted)), _tiers_at(record)
    if on:
        if on & wanted:
            return None
        bearing = Bearing.UNCLEAR if _resemble(on, wanted) else Bearing.DOES_NOT
        return bearing, f"it concerned {named}; they were on {', '.join(sorted(on))}"
    line = record.matter.line
    bought = text(line, "price__nickname", "description") if line else ""
    if any(language.names_word(bought, tier) for tier in wanted):
        return None
    return Bearing.UNCLEAR, f"it concerned {named}, and nothing says which tier they were on"


def _tiers_at(record: _Record) -> frozenset[str]:
    """The tiers that use of anything in this time shows; without any, the tier that the last use before it shows."""
    seen = [use for use in record.everything if use.tier and (record.end is None or use.at < record.end)]
    during = {use.tier for use in seen if use.at >= record.start}
    return frozenset(during or {use.tier for use in seen[-1:]})


def _region(record: _Record) -> _Objection:
    wanted = record.tags.get("region")
    if not wanted:
        return None
    named, known = ", ".join(sorted(wanted)), {use.region for use in record.used if use.region}
    if not known:
        return Bearing.UNCLEAR, f"it concerned {named}, and nothing says which region serves them"
    return (
        None if known & wanted else (Bearing.DOES_NOT, f"it concerned {named}; they are in {', '.join(sorted(known))}")
    )


def _customer(record: _Record) -> _Objection:
    wanted = record.tags.get("customer")
    ours = {record.matter.customer_name.lower(), text(record.matter.charge, "customer").lower()} | record.matter.domains
    if not wanted or wanted & ours:
        return None
    if _resemble(map(_without_ending, ours), map(_without_ending, wanted)):
        named = ", ".join(sorted(wanted))
        return Bearing.UNCLEAR, f"it concerned {named}, and whether that is {record.matter.customer_name} is not clear"
    return Bearing.DOES_NOT, "it concerned another customer alone"


def _time(record: _Record) -> _Objection:
    start, end = _span(record.item)
    written = record.item.row.fields.get(TABLES[record.item.row.table][1])
    if start is None or (end is None and written not in (None, "")):
        return Bearing.UNCLEAR, "when it was cannot be read"
    if end is not None and end < start:
        return Bearing.UNCLEAR, "by its record it ended before it began"
    return None


def _resemble(ours: Iterable[str], theirs: Iterable[str]) -> bool:
    """Whether two ways to write a name share a word: then it can be one name, written differently."""
    return not {word for name in ours for word in _words(name)}.isdisjoint(
        word for name in theirs for word in _words(name) if len(word) >= _TELLING
    )


def _without_ending(name: str) -> str:
    """A domain without its last part, which thousands share; other names as they are."""
    return re.sub(r"(?<=\w)\.[a-z]{2,}$", "", name.lower())


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", name.lower())
