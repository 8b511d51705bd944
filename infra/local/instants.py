"""Instants as the file holds them: whole microseconds since 1970 in UTC, so that order and equality are exact."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(instant: datetime) -> int:
    """Exact microseconds since the epoch. Raises TypeError for a naive datetime."""
    return (instant - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The instant, aware, in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def to_micros_or_none(instant: datetime | None) -> int | None:
    """As to_micros, where the instant may be absent."""
    return None if instant is None else to_micros(instant)


def from_micros_or_none(micros: int | None) -> datetime | None:
    """As from_micros, where the instant may be absent."""
    return None if micros is None else from_micros(micros)
