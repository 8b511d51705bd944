"""Business hours: Monday to Friday between two hours of the day, in the merchant's own time zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


def business_time(start: datetime, end: datetime, *, timezone: str, opens: int, closes: int) -> timedelta:
    """How much of the time from `start` to `end` lies within business hours.

    `opens`, `closes`: hours of the day on the clocks of `timezone` (IANA), 24 being its end. Holidays are not known.
    """
    zone = ZoneInfo(timezone)
    day, last, total = start.astimezone(zone).date(), end.astimezone(zone).date(), timedelta(0)
    while day <= last:
        if day.weekday() < 5:
            opened, closed = _instant(day, opens, zone), _instant(day, closes, zone)
            total += max(timedelta(0), min(end, closed) - max(start, opened))
        day += timedelta(days=1)
    return total


def _instant(day: date, hour: int, zone: ZoneInfo) -> datetime:
    """An hour of a day as an instant; in UTC, so that differences are the time that passes."""
    later, clock = (day + timedelta(days=1), time(0)) if hour == 24 else (day, time(hour))
    return datetime.combine(later, clock, zone).astimezone(UTC)
