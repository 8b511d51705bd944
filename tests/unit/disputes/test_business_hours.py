"""Business hours pass on the clocks of the merchant, Monday to Friday."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from shared.team.business import business_time


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "end", "timezone", "hours"),
    [
        ("2026-07-06T09:00", "2026-07-06T17:00", "UTC", 8),
        ("2026-07-06T06:00", "2026-07-06T22:00", "UTC", 8),
        ("2026-07-06T06:00", "2026-07-06T22:00", "America/New_York", 8),
        ("2026-07-06T12:40", "2026-07-06T14:00", "America/New_York", 1),
        ("2026-07-03T16:00", "2026-07-06T10:00", "UTC", 2),
        ("2026-07-04T08:00", "2026-07-05T18:00", "UTC", 0),
        ("2026-03-27T16:00", "2026-03-30T08:00", "Europe/Paris", 1),
        ("2026-07-06T10:00", "2026-07-06T10:00", "UTC", 0),
    ],
)
def test_only_time_within_business_hours_counts(start: str, end: str, timezone: str, hours: int) -> None:
    passed = business_time(at(start), at(end), timezone=timezone, opens=9, closes=17)
    assert passed == timedelta(hours=hours)


def test_a_day_can_be_open_around_the_clock() -> None:
    assert business_time(at("2026-07-06T00:00"), at("2026-07-08T00:00"), timezone="UTC", opens=0, closes=24) == (
        timedelta(hours=48)
    )
