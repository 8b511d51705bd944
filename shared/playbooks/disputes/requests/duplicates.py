"""Whether two charges are one taken twice by our own fault, by everything that the merchant's policy asks for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.case.evidence import Evidence
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.policy_rules.duplicate_window import DuplicateWindow
from shared.playbooks.disputes.requests.claim import Claim, Twins
from shared.team.exhibits import text, whole
from shared.team.moments import moment, months_before
from shared.team.words import count, lasting, listed

_CLOSED = frozenset({"solved", "closed"})
_MIRROR = timedelta(minutes=10)
"""A ticket made so shortly before the request, or after it, is the request itself."""
_NAMES = {"sentry": "the error tracker", "datadog": "logs and monitors", "pagerduty": "the pager"}


@dataclass(frozen=True, slots=True)
class Checked:
    """What is missing for the policy, in words, and what the systems show of the cause."""

    missing: tuple[str, ...]
    shown: dict[str, list[Evidence]]


def check(claim: Claim, twins: Twins, rule: DuplicateWindow) -> Checked:
    """Hold two charges against the policy."""
    shown = {system: rows for system in sorted(rule.systems) if (rows := _shown_by(claim, twins, system))}
    missing = [
        _price(twins, rule),
        _time(twins, rule),
        None if twins.shared else "a marker, message or event that stands behind both charges",
        _cause(shown, rule),
        _tickets(claim, rule),
        _disputes(claim, rule),
        _in_time(claim, twins, rule),
    ]
    return Checked(tuple(item for item in missing if item is not None), shown)


def _price(twins: Twins, rule: DuplicateWindow) -> str | None:
    if text(twins.later, "currency").lower() != rule.currency:
        return f"an amount in {rule.currency.upper()}, the policy's currency"
    small = (whole(twins.later, "amount") or 0) < rule.below_minor
    return None if small else "an amount below the policy's bound"


def _time(twins: Twins, rule: DuplicateWindow) -> str | None:
    if twins.apart <= timedelta(minutes=rule.within_minutes):
        return None
    return f"charges at most {rule.within_minutes} minutes apart (they are {lasting(twins.apart)} apart)"


def _cause(shown: dict[str, list[Evidence]], rule: DuplicateWindow) -> str | None:
    if len(shown) >= rule.least_systems:
        return None
    asked = listed([_NAMES[system] for system in sorted(rule.systems)])
    return f"what happened, in at least {rule.least_systems} of {asked} (it shows in {len(shown)})"


def _shown_by(claim: Claim, twins: Twins, system: str) -> list[Evidence]:
    """Records of a system that bear on the cause: they name what stands behind both charges, or their service."""
    logs = [row for row in claim.exhibits.rows("datadog.logs") if _names(row, twins, "message")]
    if system == "datadog":
        return logs
    if system == "sentry":
        return [row for row in claim.exhibits.rows("sentry.events") if _names(row, twins, "message", "tags")]
    services = {text(row, "service") for row in logs} - {""}
    return [row for row in claim.exhibits.rows("pagerduty.incidents") if text(row, "service") in services]


def _names(row: Evidence, twins: Twins, *columns: str) -> bool:
    words = text(row, *columns).lower()
    later = {twins.later.row.record_id, text(twins.later, "payment_intent")} - {""}
    values = {marker.rpartition("=")[2] for marker in twins.shared}
    return any(name.lower() in words for name in later | values)


def _tickets(claim: Claim, rule: DuplicateWindow) -> str | None:
    since = claim.received_at - timedelta(days=rule.no_open_tickets_days)
    tickets = claim.exhibits.rows("zendesk.tickets")
    contacts = [*tickets, *claim.exhibits.rows("intercom.conversations"), *claim.exhibits.absences(labels.NO_SUPPORT)]
    if labels.TICKETS in claim.unread or not contacts:
        return "a look at their tickets, which could not be read"
    troubled = [row for row in tickets if _is_troubled(row, since, claim.received_at - _MIRROR)]
    if not troubled:
        return None
    return f"good standing: {count(len(troubled), 'ticket')} of theirs open or escalated"


def _is_troubled(ticket: Evidence, since: datetime, until: datetime) -> bool:
    at = moment(ticket.row.fields.get("created_at"))
    if at is None or not since <= at < until:
        return False
    escalated = text(ticket, "priority").lower() == "urgent" or "escalat" in text(ticket, "tags").lower()
    return escalated or text(ticket, "status").lower() not in _CLOSED


def _disputes(claim: Claim, rule: DuplicateWindow) -> str | None:
    since = months_before(claim.received_at, rule.no_dispute_months)
    rows = claim.exhibits.rows("stripe.disputes")
    if not rows and not claim.exhibits.absences(labels.NO_EARLIER_DISPUTE):
        return "a look at their disputes, which could not be read"
    recent = [row for row in rows if (moment(row.row.fields.get("created")) or since) >= since]
    return f"good standing: they disputed {count(len(recent), 'charge')} of late" if recent else None


def _in_time(claim: Claim, twins: Twins, rule: DuplicateWindow) -> str | None:
    paid_at = moment(twins.later.row.fields.get("created"))
    late = paid_at is None or claim.received_at - paid_at > timedelta(days=rule.complaint_within_days)
    return f"a request within {rule.complaint_within_days} days" if late else None
