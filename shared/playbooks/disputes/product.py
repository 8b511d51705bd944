"""What the product itself recorded beside use: the terms that were accepted, renewal notices, and cancellations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from shared.case.evidence import Evidence
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text
from shared.team.json_text import parsed
from shared.team.moments import moment

AGREED = frozenset({"terms_accepted"})
NOTIFIED = frozenset({"renewal_notice_sent", "renewal_notice_opened"})
CANCELLED = frozenset({"subscription_cancelled", "subscription_canceled", "cancellation_requested"})
"""Events that are a request to cancel; any other one that speaks of cancelling may be a look at the page."""

PURCHASES = frozenset({"checkout_completed"})
PASSIVE = frozenset({"signed_in", "page_viewed"})
"""Events that show that somebody was there, and no more."""
NOT_USE = AGREED | NOTIFIED | CANCELLED | PURCHASES


def is_action(event: str) -> bool:
    """Whether an event is something that somebody did with the product: no page view, purchase, notice or sign-in."""
    return bool(event) and not event.startswith("$") and event not in NOT_USE | PASSIVE


def terms(matter: Matter) -> Evidence | None:
    """The last acceptance of the terms before the payment that names a version and came from an address."""
    found = [
        item
        for item in _before(matter, AGREED)
        if str(properties(item).get("terms_version") or "") and text(item, "ip")
    ]
    return found[-1] if found else None


def notice(matter: Matter) -> Evidence | None:
    """The last renewal notice that they opened before the payment."""
    found = _before(matter, frozenset({"renewal_notice_opened"}))
    return found[-1] if found else None


def properties(item: Evidence) -> Mapping[str, object]:
    """The properties of an event; empty where they cannot be read."""
    found = parsed(text(item, "properties"))
    return found if isinstance(found, Mapping) else {}


def happened_at(item: Evidence) -> datetime | None:
    """When an event happened."""
    return moment(item.row.fields.get("timestamp"))


def started_at(subscription: Evidence) -> datetime | None:
    """When a subscription began."""
    fields = subscription.row.fields
    return moment(fields.get("start_date")) or moment(fields.get("created"))


def _before(matter: Matter, events: frozenset[str]) -> list[Evidence]:
    found = [
        (at, item.index, item)
        for item in matter.exhibits.rows("posthog.events")
        if text(item, "event") in events
        and matter.is_theirs(text(item, "person_email"))
        and (at := happened_at(item)) is not None
        and at <= matter.paid_at
    ]
    return [item for _, _, item in sorted(found, key=lambda entry: entry[:2])]
