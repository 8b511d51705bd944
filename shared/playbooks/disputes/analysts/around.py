"""What our own systems recorded when a payment was made: errors of this customer, and alerts of those services."""

from __future__ import annotations

from datetime import timedelta

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.current import family_of
from shared.playbooks.disputes.identity import Identity
from shared.playbooks.disputes.policy_rules.vendor_failure import KIND, MOST_MINUTES
from shared.team.contract import Job
from shared.team.literals import instant, mentions, one_of, quote
from shared.team.tools import Answer, Tools

MARGIN = timedelta(minutes=MOST_MINUTES)
_DELIVERY = frozenset({Family.NOT_RECEIVED, Family.NOT_AS_DESCRIBED})
_SERVICE = "coalesce(json_extract_string(x.tags, '$.service'), y.project)"


def ask(job: Job, tools: Tools, who: Identity) -> None:
    """For a claim that something was not delivered, where a policy of the merchant asks whether we failed."""
    if who.paid_at is None or job.case.subject.kind != "dispute" or family_of(job.case) not in _DELIVERY:
        return
    wanted = tools.ask(
        "whether the merchant has a page on failures of ours",
        f"SELECT id FROM policies.documents WHERE {mentions('CAST(rule AS VARCHAR)', [KIND])}",
    )
    if not wanted.rows:
        return
    start, end = instant(who.paid_at - MARGIN), instant(who.paid_at + MARGIN)
    answer = tools.gather(
        labels.ERRORS_AROUND,
        "SELECT x.id, x.issue_id, y.title AS issue_title, y.project, x.message, x.level, x.timestamp, x.user_email, "
        f"x.customer, x.tags, {_SERVICE} AS service FROM sentry.events x "
        "LEFT JOIN sentry.issues y ON y.id = x.issue_id "
        f"WHERE x.timestamp >= {start} AND x.timestamp <= {end} "
        f"AND ({who.wrote('x.user_email')} OR x.customer = {quote(who.customer or '')}) ORDER BY x.timestamp, x.id",
        table="sentry.events",
        limit=40,
    )
    _alerts(tools, answer, start, end)


def _alerts(tools: Tools, errors: Answer, start: str, end: str) -> None:
    services = {str(row["service"]) for row in errors.rows if row["service"]}
    if not services:
        return
    tools.gather(
        labels.ALERTS_AROUND,
        "SELECT a.id, a.monitor_id, m.name AS monitor_name, m.metric AS monitor_metric, a.service, a.status, a.value, "
        "a.started_at, a.ended_at, a.tags FROM datadog.monitor_events a "
        f"LEFT JOIN datadog.monitors m ON m.id = a.monitor_id WHERE a.service IN {one_of(services)} "
        f"AND a.started_at <= {end} AND (a.ended_at IS NULL OR a.ended_at >= {start}) ORDER BY a.started_at, a.id",
        table="datadog.monitor_events",
        limit=20,
    )
    tools.gather(
        "incident records around the payment",
        "SELECT i.id, i.title, i.status, i.severity, i.service, i.created, i.resolved_at, i.customer_impacted, "
        f"i.description, i.tags FROM datadog.incidents i WHERE i.service IN {one_of(services)} "
        f"AND i.created <= {end} AND (i.resolved_at IS NULL OR i.resolved_at >= {start}) ORDER BY i.created, i.id",
        table="datadog.incidents",
        limit=20,
    )
