"""On which day of the month a customer usually has the money: the day on which most of their payments went through."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from shared.case.evidence import Evidence
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.team.exhibits import text
from shared.team.moments import moment

_AT = time(9)
"""When on that day it is tried, in the org's timezone: the night's transfers have arrived by then."""


@dataclass(frozen=True, slots=True)
class UsualDay:
    """A day of the month, the payments that show it, and when it comes next (UTC; today counts)."""

    day: int
    payments: tuple[Evidence, ...]
    next_at: datetime
    is_today: bool


def usual_day(bill: Bill, least: int) -> UsualDay | None:
    """The day on which more than half of the payments of the past year went through, at least `least` of them."""
    zone = ZoneInfo(bill.org.timezone)
    paid = [
        (at.astimezone(zone).date(), row)
        for row in bill.exhibits.rows("stripe.charges")
        if text(row, "status") == "succeeded" and (at := moment(row.row.fields.get("created"))) is not None
    ]
    ranked = Counter(on.day for on, _ in paid).most_common(1)
    if not ranked or ranked[0][1] < least or ranked[0][1] * 2 <= len(paid):
        return None
    found = ranked[0][0]
    today = bill.now.astimezone(zone).date()
    coming = _coming(today, found)
    return UsualDay(
        day=found,
        payments=tuple(row for on, row in paid if on.day == found),
        next_at=datetime.combine(coming, _AT, tzinfo=zone).astimezone(bill.now.tzinfo),
        is_today=coming == today,
    )


def _coming(today: date, day: int) -> date:
    """The next date with this day of the month, today included; the last day of a month that is too short for it."""
    this = today.replace(day=min(day, monthrange(today.year, today.month)[1]))
    if this >= today:
        return this
    year, month = (today.year + 1, 1) if today.month == 12 else (today.year, today.month + 1)
    return date(year, month, min(day, monthrange(year, month)[1]))
