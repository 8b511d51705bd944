"""Reliability analyst: what the customer used in the billing cycle, and whether it worked."""

from __future__ import annotations

from datetime import datetime, timedelta

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.analysts import around, causes, receivables, seats
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.identity import Identity, billing_cycle, identify
from shared.team import language
from shared.team.contract import Job
from shared.team.literals import instant, mentions, one_of
from shared.team.tools import Answer, Tools

MARGIN = timedelta(days=3)
"""Messages about an incident are read a little beyond the cycle: people write before and after."""

LONG_PLAN = timedelta(days=60)
LOOK_BACK = timedelta(days=90)
"""How long before the cycle of a plan that is at least `LONG_PLAN` long incidents are read, to be named."""

LATELY = timedelta(days=120)
"""How long before a request its sender's use, and what went wrong meanwhile, are read."""

MOST_USES, MOST_SEAT_EVENTS = 300, 50

_CHANNELS = ("incident", "outage", "status", "ops", "oncall")
"""What the channels of engineers have in their names."""

_INCIDENTS = (
    "SELECT i.id, i.title, i.status, i.severity, i.service, i.created, i.resolved_at, i.customer_impacted, "
    "i.description, i.tags FROM datadog.incidents i"
)
_USE = "e.id, e.event, e.person_email, e.timestamp, e.ip, e.device_id, e.properties"
_SERVICE = "lower(trim(json_extract_string(e.properties, '$.service')))"


def ask(job: Job, tools: Tools) -> None:
    """Use decides which services matter; every operations system is then asked about those alone."""
    who = identify(tools, job)
    if job.case.subject.kind == "request":
        causes.ask(tools, who)
        _lately(tools, who, Cycle(job.now - LATELY, job.now))
        return
    if job.case.subject.kind == "invoice":
        receivables.ask(job, tools, who)
        return
    around.ask(job, tools, who)
    cycle = billing_cycle(tools, who)
    seats.sign_ins(job, tools, who, cycle)
    if cycle is None:
        tools.gap("the billing cycle of the charge", "no invoice line with a period was found: read since the charge")
        paid_at = who.paid_at or job.now
        cycle = Cycle(paid_at, max(job.now, paid_at + timedelta(seconds=1)))
    services = _services(tools, who, cycle)
    if not services:
        tools.gap("whether the service worked", "no use by this customer says which services to look at")
        return
    affected = _operations(tools, services, cycle)
    _before(tools, services, cycle)
    _use(tools, who, cycle, affected)
    _people_and_errors(tools, who, services, cycle)


def _lately(tools: Tools, who: Identity, time: Cycle) -> None:
    """What they used in this time, which seats came and went, and what operations recorded of the services."""
    services = _services(tools, who, time)
    seats = "TRY_CAST(json_extract_string(e.properties, '$.seats') AS BIGINT)"
    what = f"SELECT {_USE}, {seats} AS seats FROM posthog.events e WHERE {_in_cycle(who, time)}"
    tools.gather(
        labels.SEATS,
        f"{what} AND {seats} IS NOT NULL ORDER BY e.timestamp, e.id",
        table="posthog.events",
        limit=MOST_SEAT_EVENTS,
    )
    tools.gather(labels.USE, f"{what} ORDER BY e.timestamp DESC, e.id", table="posthog.events", limit=MOST_USES)
    if services:
        _operations(tools, services, time)


def _in_cycle(who: Identity, cycle: Cycle) -> str:
    known = f"SELECT n.distinct_id FROM posthog.persons n WHERE {who.wrote('n.email')}"
    person = f"({who.wrote('e.person_email')} OR e.distinct_id IN ({known}))"
    return f"{person} AND {_between('e.timestamp', cycle.start, cycle.end)}"


def _services(tools: Tools, who: Identity, cycle: Cycle) -> list[str]:
    answer = tools.ask(
        "what the customer used",
        f"SELECT {_SERVICE} AS service, count(*) AS uses FROM posthog.events e WHERE {_in_cycle(who, cycle)} "
        "GROUP BY 1 ORDER BY 2 DESC, 1",
    )
    tools.absence(
        answer,
        table="posthog.events",
        label=labels.NO_USE,
        question="Did this customer use the product in the billing cycle?",
    )
    return [str(row["service"]) for row in answer.rows if row["service"]]


def _operations(tools: Tools, services: list[str], cycle: Cycle) -> list[str]:
    """What the monitors, the incident tool, the pager and the logs hold; the services that any of them names."""
    answers = [
        _alerts(tools, services, cycle),
        _incidents(tools, services, cycle),
        _pages(tools, services, cycle),
    ]
    affected = sorted({str(row["service"]).lower() for answer in answers for row in answer.rows})
    if affected:
        tools.gather(
            "the logs of the affected services",
            "SELECT g.id, g.service, g.status, g.message, g.timestamp, g.tags FROM datadog.logs g "
            f"WHERE lower(g.service) IN {one_of(affected)} AND {_between('g.timestamp', cycle.start, cycle.end)} "
            "ORDER BY g.timestamp",
            table="datadog.logs",
            limit=20,
        )
    tools.gather(
        labels.UPTIME,
        # All columns: some monitors record an error rate beside the ones that the catalogue knows.
        "SELECT o.* "
        f"FROM datadog.slo_history o WHERE lower(o.service) IN {one_of(services)} "
        f"AND {_overlaps('o.window_start', 'o.window_end', cycle)}",
        table="datadog.slo_history",
    )
    return affected


def _alerts(tools: Tools, services: list[str], cycle: Cycle) -> Answer:
    answer = tools.gather(
        labels.ALERTS,
        "SELECT a.id, a.monitor_id, m.name AS monitor_name, m.metric AS monitor_metric, a.service, a.status, a.value, "
        "a.started_at, a.ended_at, a.tags FROM datadog.monitor_events a "
        f"LEFT JOIN datadog.monitors m ON m.id = a.monitor_id WHERE lower(a.service) IN {one_of(services)} "
        f"AND {_overlaps('a.started_at', 'a.ended_at', cycle)} ORDER BY a.started_at, a.id",
        table="datadog.monitor_events",
    )
    tools.absence(
        answer,
        table="datadog.monitor_events",
        label=labels.NO_ALERT,
        question=f"Did a monitor alert on {', '.join(services)} in the billing cycle?",
    )
    return answer


def _incidents(tools: Tools, services: list[str], cycle: Cycle) -> Answer:
    answer = tools.gather(
        labels.INCIDENTS,
        f"{_INCIDENTS} WHERE lower(i.service) IN {one_of(services)} "
        f"AND {_overlaps('i.created', 'i.resolved_at', cycle)} ORDER BY i.created, i.id",
        table="datadog.incidents",
    )
    tools.absence(
        answer,
        table="datadog.incidents",
        label=labels.NO_INCIDENT,
        question=f"Does the incident tool hold an incident of {', '.join(services)} in the billing cycle?",
    )
    return answer


def _pages(tools: Tools, services: list[str], cycle: Cycle) -> Answer:
    answer = tools.gather(
        labels.PAGES,
        "SELECT p.id, p.title, p.status, p.urgency, p.priority, p.service, p.created_at, p.acknowledged_at, "
        f"p.resolved_at, p.resolution_note FROM pagerduty.incidents p WHERE lower(p.service) IN {one_of(services)} "
        f"AND {_overlaps('p.created_at', 'p.resolved_at', cycle)} ORDER BY p.created_at, p.id",
        table="pagerduty.incidents",
    )
    tools.absence(
        answer,
        table="pagerduty.incidents",
        label=labels.NO_PAGE,
        question=f"Was anybody paged about {', '.join(services)} in the billing cycle?",
    )
    return answer


def _before(tools: Tools, services: list[str], cycle: Cycle) -> None:
    """A claim against a long plan is often about the time before its renewal, which this charge did not pay for."""
    if cycle.end - cycle.start < LONG_PLAN:
        return
    earlier = Cycle(cycle.start - LOOK_BACK, cycle.start)
    tools.gather(
        "incident records before the cycle",
        f"{_INCIDENTS} WHERE lower(i.service) IN {one_of(services)} "
        f"AND {_overlaps('i.created', 'i.resolved_at', earlier)} ORDER BY i.created, i.id",
        table="datadog.incidents",
        limit=20,
    )


def _use(tools: Tools, who: Identity, cycle: Cycle, affected: list[str]) -> None:
    """Every use of an affected service, and of each other one the first in each day."""
    if affected:
        tools.gather(
            "use of the affected services",
            f"SELECT {_USE} FROM posthog.events e WHERE {_in_cycle(who, cycle)} AND {_SERVICE} IN {one_of(affected)} "
            "ORDER BY e.timestamp, e.id",
            table="posthog.events",
            limit=200,
        )
    other = f"({_SERVICE} IS NULL OR {_SERVICE} NOT IN {one_of(affected)})" if affected else "1 = 1"
    day = "floor(epoch(e.timestamp) / 86400)"
    tools.gather(
        "use of the other services, one event a day",
        f"SELECT id, event, person_email, timestamp, ip, device_id, properties FROM (SELECT {_USE}, row_number() OVER "
        f"(PARTITION BY {_SERVICE}, {day} ORDER BY e.timestamp, e.id) AS place FROM posthog.events e "
        f"WHERE {_in_cycle(who, cycle)} AND {other}) u WHERE u.place = 1 ORDER BY timestamp, id",
        table="posthog.events",
        limit=120,
    )


def _people_and_errors(tools: Tools, who: Identity, services: list[str], cycle: Cycle) -> None:
    phrases = [phrase for service in services for phrase in language.phrases(service)]
    tools.gather(
        "what engineers wrote about the services",
        f"SELECT s.id, s.channel, s.user_email, s.text, s.ts FROM slack.messages s WHERE {mentions('s.text', phrases)} "
        f"AND {mentions('s.channel', _CHANNELS)} AND {_between('s.ts', cycle.start - MARGIN, cycle.end + MARGIN)} "
        "ORDER BY s.ts",
        table="slack.messages",
    )
    errors = tools.gather(
        "errors of the customer",
        "SELECT x.id, x.issue_id, y.title AS issue_title, y.project, x.message, x.level, x.timestamp, x.user_email, "
        "x.tags FROM sentry.events x LEFT JOIN sentry.issues y ON y.id = x.issue_id "
        f"WHERE {who.wrote('x.user_email')} AND {_between('x.timestamp', cycle.start, cycle.end)} "
        "ORDER BY x.timestamp",
        table="sentry.events",
        limit=50,
    )
    tools.absence(
        errors,
        table="sentry.events",
        label=labels.NO_ERROR,
        question="Did the error tracker record an error for this customer's people in the billing cycle?",
    )


def _between(column: str, start: datetime, end: datetime) -> str:
    return f"{column} >= {instant(start)} AND {column} < {instant(end)}"


def _overlaps(start: str, end: str, cycle: Cycle) -> str:
    return f"{start} < {instant(cycle.end)} AND ({end} IS NULL OR {end} > {instant(cycle.start)})"
