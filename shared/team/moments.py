"""Instants as the sources write them: epoch seconds at Stripe, ISO 8601 with an offset everywhere else."""

from __future__ import annotations

from datetime import UTC, datetime

from shared.case.evidence import Cell


def moment(cell: Cell) -> datetime | None:
    """The instant in UTC; None for anything that does not name one: empty, a date alone, a time without an offset."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, int):
        try:
            return datetime.fromtimestamp(cell, UTC)
        except (OverflowError, OSError, ValueError):
            return None
    try:
        parsed = datetime.fromisoformat(cell.strip())
    except ValueError:
        return None
    return None if parsed.tzinfo is None else parsed.astimezone(UTC)


def months_before(instant: datetime, months: int) -> datetime:
    """The same day so many months earlier; the 28th where the month is too short for it."""
    years, month = divmod(instant.year * 12 + instant.month - 1 - months, 12)
    return instant.replace(year=years, month=month + 1, day=min(instant.day, 28))
