"""Instants, durations, names and quotes as people read them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from fractions import Fraction

QUOTE_LIMIT = 400
WHOLE_QUOTE_LIMIT = 2000
"""Characters of a quote that may be left whole in a text for the bank."""
_SENTENCE_END = re.compile(r"[.!?](?= )")
_SUFFIXES = {"svc", "service", "api", "app", "server", "worker", "backend"}


def day(moment: datetime) -> str:
    """12 April 2026."""
    return f"{moment.day} {moment:%B %Y}"


def minute(moment: datetime) -> str:
    """2026-04-12 09:00 UTC."""
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def number(value: Fraction) -> str:
    """2, 1.25, or 0.33 where the exact number has no short form."""
    whole, hundredths = divmod(round(value * 100), 100)
    return f"{whole}.{hundredths:02d}".rstrip("0").rstrip(".") if hundredths else f"{whole}"


def percent(value: Fraction) -> str:
    """99.97 %."""
    return f"{number(value)} %"


def count(amount: Fraction | int, noun: str) -> str:
    """2 days, 1 day, 2 people."""
    value = Fraction(amount)
    plural = {"person": "people"}.get(noun, f"{noun}s")
    return f"{number(value)} {noun if value == 1 else plural}"


def hours_and_days(seconds: int) -> str:
    """48 h (2 days)."""
    return f"{number(Fraction(seconds, 3600))} h ({count(Fraction(seconds, 86400), 'day')})"


def lasting(span: timedelta) -> str:
    """4 minutes, or hours and days from two hours on."""
    seconds = int(span.total_seconds())
    return hours_and_days(seconds) if seconds >= 7200 else count((seconds + 30) // 60, "minute")


def feature(service: str) -> str:
    """The name of a service as a customer knows it: audit-trail-svc is Audit Trail."""
    parts = [part for part in re.split(r"[-_.\s]+", service) if part]
    kept = [part for part in parts if part.lower() not in _SUFFIXES] or parts
    return " ".join(part[:1].upper() + part[1:] for part in kept)


def listed(items: Sequence[str]) -> str:
    """a, b and c."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def quoted(text: str) -> str:
    """Someone else's words on one line, in quotation marks; what is left out is shown as […]."""
    line = " ".join(text.split()).replace('"', "'")
    return f'"{line}"' if len(line) <= QUOTE_LIMIT else f'"{line[:QUOTE_LIMIT].rsplit(" ", 1)[0]} […]"'


def quoted_whole(text: str, limit: int = WHOLE_QUOTE_LIMIT) -> str:
    """Someone else's words on one line, in quotation marks, in whole sentences; empty where the first is too long.

    Sentences that are left out are shown as […] behind the last one that fits: no sentence is ever cut.
    """
    line = " ".join(text.split()).replace('"', "'")
    if len(line) <= limit:
        return f'"{line}"' if line else ""
    ends = [match.end() for match in _SENTENCE_END.finditer(line) if match.end() <= limit]
    return f'"{line[: ends[-1]]} […]"' if ends else ""
