"""What people said: customers and staff, with the instant, and what of it bears on the dispute."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.case.evidence import Evidence
from shared.playbooks.disputes.matter import Matter
from shared.team import language
from shared.team import promises as promises_
from shared.team.exhibits import text
from shared.team.moments import moment

_CHANNELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "intercom.conversations": ("source_author_email", ("source_subject", "source_body")),
    "intercom.conversation_parts": ("author_email", ("body",)),
    "zendesk.tickets": ("requester_email", ("subject", "description")),
    "zendesk.ticket_comments": ("author_email", ("body",)),
}
"""Where customers and staff talk to each other: who wrote, and which fields hold the text."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something somebody wrote. `theirs`: one of the customer's people did; else one of our staff."""

    evidence: Evidence
    at: datetime
    author: str
    text: str
    theirs: bool


def undated(matter: Matter) -> list[Evidence]:
    """What the customer's people wrote at a time that cannot be read."""
    rows = [item for item in matter.exhibits.rows(*_CHANNELS) if written_at(item) is None]
    return [item for item in rows if matter.is_theirs(text(item, _CHANNELS[item.row.table][0]))]


def statements(matter: Matter) -> list[Statement]:
    """What the customer's people and our staff wrote to each other, in order; third parties are left out."""
    found = []
    for item in matter.exhibits.rows(*_CHANNELS):
        author_field, text_fields = _CHANNELS[item.row.table]
        author, at = text(item, author_field), written_at(item)
        theirs = matter.is_theirs(author)
        if at is not None and (theirs or not item.row.untrusted):
            found.append(Statement(item, at, author, text(item, *text_fields), theirs))
    return sorted(found, key=lambda statement: (statement.at, statement.evidence.index))


def complaints(said: list[Statement]) -> list[Statement]:
    """What the customer's people wrote about something that did not work."""
    return [statement for statement in said if statement.theirs and language.is_complaint(statement.text)]


def unclear_complaints(said: list[Statement]) -> list[Statement]:
    """What the customer's people wrote that may be one, and that only a person can read."""
    return [statement for statement in said if statement.theirs and language.may_be_complaint(statement.text)]


def about(found: list[Statement], services: frozenset[str]) -> list[Statement]:
    """Those that can mean one of these services."""
    return [item for item in found if any(language.touches(item.text, service) for service in services)]


def within(found: list[Statement], start: datetime, end: datetime, days_after: int) -> list[Statement]:
    """Those made between `start` and `days_after` days after `end`, that last day included."""
    last = end + timedelta(days=days_after)
    return [item for item in found if start <= item.at <= last]


def different(found: list[Statement]) -> list[Statement]:
    """Each text once: a ticket's first comment repeats the ticket."""
    return list({(item.author, item.text.strip()): item for item in reversed(found)}.values())[::-1]


def promises(said: list[Statement], since: datetime) -> list[Statement]:
    """Where our staff committed to a credit or refund in writing to the customer, from an instant on."""
    return [item for item in said if not item.theirs and item.at >= since and language.promise_in(item.text)]


def about_money(said: list[Statement], since: datetime) -> list[Statement]:
    """Where our staff wrote to the customer about money coming back, in whatever sense, from an instant on."""
    return [item for item in said if not item.theirs and item.at >= since and promises_.speaks_of_money(item.text)]


def cancellations(said: list[Statement]) -> list[Statement]:
    """Where the customer's people asked to end the subscription."""
    return [item for item in said if item.theirs and language.is_cancellation(item.text)]


def courtesies(matter: Matter) -> list[Evidence]:
    """Where a colleague suggested to pay something as a gesture; an opinion, not a policy."""
    return [item for item in matter.exhibits.rows("slack.messages") if language.is_courtesy(text(item, "text"))]


def left_tier(matter: Matter, tier: str) -> Evidence | None:
    """The first CRM note that records a move of this customer away from a tier."""
    notes = [
        (at, note.index, note)
        for note in matter.exhibits.rows("hubspot.notes")
        if (at := written_at(note)) is not None and language.leaves_tier(text(note, "body"), tier)
    ]
    return min(notes)[2] if notes else None


def written_at(item: Evidence) -> datetime | None:
    """When a row was written."""
    return moment(item.row.fields.get("created_at"))
