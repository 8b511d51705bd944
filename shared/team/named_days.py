"""Days as people write them in a sentence: 31 July 2026, July 31st, 2026-07-31."""

from __future__ import annotations

import re
from datetime import date

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
NAMES = "|".join(MONTHS)
DAY = (
    r"(?P<iso>\d{4}-\d\d-\d\d)"
    rf"|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)? (?P<m1>{NAMES})(?:,? (?P<y1>\d{{4}}))?"
    rf"|(?P<m2>{NAMES}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y2>\d{{4}}))?"
)
"""The pattern of a day, for one place in a larger pattern."""


def read(found: re.Match[str], written: date) -> date | None:
    """The day that a pattern with DAY in it found; without a year, the next such day after it was written."""
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        month = MONTHS.index((found["m1"] or found["m2"]).lower()) + 1
        day, year = int(found["d1"] or found["d2"]), found["y1"] or found["y2"]
        return date(int(year), month, day) if year else following(written, month, day)
    except ValueError:
        return None


def following(written: date, month: int, day: int) -> date:
    """The next such day on or after a day. Raises ValueError where there is none."""
    named = date(written.year, month, day)
    return named if named >= written else named.replace(year=written.year + 1)
