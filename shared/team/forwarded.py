"""A mail that somebody passed on: who wrote it, when, and its words, taken out of the message that carries it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from shared.team.moments import moment

_ADDRESS = r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
_FROM = re.compile(rf"^from:.*?(?P<author>{_ADDRESS})", re.IGNORECASE)
_WROTE = re.compile(rf"^on .{{0,120}}?(?P<author>{_ADDRESS})>? wrote:$", re.IGNORECASE)
_SENT = re.compile(r"^(date|sent):\s*(?P<when>.+)$", re.IGNORECASE)
_HEADER = re.compile(r"^(from|to|cc|date|sent|subject):", re.IGNORECASE)
_QUOTE = re.compile(r"^[ \t]*(>[ \t]?)+")


@dataclass(frozen=True, slots=True)
class SharedMail:
    """A mail inside a message. `sent_at`: None where it does not say so with an offset."""

    author: str
    sent_at: datetime | None
    words: str


def shared_mail(text: str) -> SharedMail | None:
    """The first mail that a message carries, known by the address of who wrote it; None where it carries none."""
    lines = [_QUOTE.sub("", line).strip() for line in text.splitlines()]
    for place, line in enumerate(lines):
        found = _FROM.match(line) or _WROTE.match(line)
        if found is not None:
            return _read(found["author"].lower(), lines[place + 1 :])
    return None


def _read(author: str, lines: list[str]) -> SharedMail:
    sent_at = None
    rest = lines
    while rest and _HEADER.match(rest[0]):
        said = _SENT.match(rest[0])
        sent_at = _instant(said["when"]) if said else sent_at
        rest = rest[1:]
    return SharedMail(author, sent_at, "\n".join(rest).strip())


def _instant(written: str) -> datetime | None:
    try:
        parsed = parsedate_to_datetime(written)
    except (ValueError, TypeError):
        return moment(written)
    return parsed.astimezone(UTC) if parsed.tzinfo is not None else None
