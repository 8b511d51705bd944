"""What happened in our own systems when two equal charges were made shortly after each other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.playbooks.disputes import markers
from shared.playbooks.disputes.identity import Identity
from shared.ports.sources import Row
from shared.team.literals import instant, mentions, one_of, quote
from shared.team.moments import moment
from shared.team.tools import Tools

BEFORE, AFTER = timedelta(minutes=5), timedelta(minutes=60)
"""How far around two charges the systems are read."""

APART = timedelta(days=1)
MOST_PAIRS = 3


def ask(tools: Tools, who: Identity) -> None:
    """Logs that name the charges, what else bears the same markers, errors of the customer, pages of those services."""
    for pair in _pairs(tools, who):
        _around(tools, who, pair)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two equal charges, and when they were made."""

    first: Row
    later: Row
    start: datetime
    end: datetime


def _pairs(tools: Tools, who: Identity) -> list[_Pair]:
    answer = tools.ask(
        "equal charges of the customer",
        "SELECT c.id, c.payment_intent, c.amount, c.currency, c.created FROM stripe.charges c "
        f"WHERE c.customer = {quote(who.customer or '')} AND c.status = 'succeeded' ORDER BY c.created, c.id",
    )
    pairs = []
    for place, first in enumerate(answer.rows):
        for later in answer.rows[place + 1 :]:
            same = (first["amount"], first["currency"]) == (later["amount"], later["currency"])
            start, end = moment(first["created"]), moment(later["created"])
            if same and start is not None and end is not None and end - start <= APART:
                pairs.append(_Pair(first, later, start, end))
    return pairs[-MOST_PAIRS:]


def _around(tools: Tools, who: Identity, pair: _Pair) -> None:
    start, end = pair.start - BEFORE, pair.end + AFTER
    ids = {str(row[name]) for row in (pair.first, pair.later) for name in ("id", "payment_intent") if row[name]}
    lines = tools.ask(
        "log lines that name the charges",
        f"SELECT g.message FROM datadog.logs g WHERE {_between('g.timestamp', start, end)} AND "
        f"{mentions('g.message', ids)}",
    )
    named = ids | {marker for row in lines.rows for marker in markers.in_text(str(row["message"]))}
    logs = tools.gather(
        "logs around the charges",
        f"SELECT g.id, g.service, g.status, g.message, g.timestamp, g.tags FROM datadog.logs g "
        f"WHERE {_between('g.timestamp', start, end)} AND {mentions('g.message', named)} ORDER BY g.timestamp, g.id",
        table="datadog.logs",
        limit=50,
    )
    services = {str(row["service"]) for row in logs.rows if row["service"]}
    _errors(tools, who, named, start, end)
    tools.gather(
        "pages around the charges",
        "SELECT p.id, p.title, p.status, p.urgency, p.priority, p.service, p.created_at, p.acknowledged_at, "
        f"p.resolved_at, p.resolution_note FROM pagerduty.incidents p WHERE p.service IN {one_of(services)} "
        f"AND {_between('p.created_at', start, end)} ORDER BY p.created_at, p.id",
        table="pagerduty.incidents",
        limit=20,
    )


def _errors(tools: Tools, who: Identity, named: set[str], start: datetime, end: datetime) -> None:
    text = "(coalesce(x.message, '') || ' ' || coalesce(CAST(x.tags AS VARCHAR), ''))"
    theirs = f"{who.wrote('x.user_email')} OR x.customer = {quote(who.customer or '')}"
    tools.gather(
        "errors around the charges",
        "SELECT x.id, x.issue_id, y.title AS issue_title, y.project, x.message, x.level, x.timestamp, x.user_email, "
        "x.customer, x.tags FROM sentry.events x LEFT JOIN sentry.issues y ON y.id = x.issue_id "
        f"WHERE {_between('x.timestamp', start, end)} AND ({theirs} OR {mentions(text, named)}) "
        "ORDER BY x.timestamp, x.id",
        table="sentry.events",
        limit=20,
    )


def _between(column: str, start: datetime, end: datetime) -> str:
    return f"{column} >= {instant(start)} AND {column} <= {instant(end)}"
