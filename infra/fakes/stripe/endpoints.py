"""Webhook endpoints and what is still to be delivered to them: kept with the state, so that a crash loses no event."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from .errors import Invalid
from .session import Session
from .wire import JsonObject

FIRST_RETRY = 0.2
LONGEST_RETRY = 30.0


@dataclass(frozen=True)
class Delivery:
    """One event for one endpoint; `body` is the text to post, `attempts` how often it was tried before."""

    seq: int
    url: str
    body: str
    attempts: int
    secrets: tuple[str, ...] = field(repr=False)


def register(session: Session, url: str, secrets: list[str], types: list[str]) -> None:
    """Registers an endpoint, or changes the secrets and event types of a registered one; `*` stands for every type.

    Several secrets give several signatures, as while a secret is rolled.
    """
    if not url.startswith(("http://", "https://")) or not secrets or not types:
        raise Invalid("An endpoint needs an http(s) url, a secret, and at least one event type.", param="url")
    session.db.execute(
        "INSERT INTO endpoints (url, secrets, events) VALUES (?, ?, ?) "
        "ON CONFLICT (url) DO UPDATE SET secrets = excluded.secrets, events = excluded.events",
        (url, json.dumps(secrets), json.dumps(types)),
    )


def move(session: Session, url: str) -> None:
    """Makes `url` the only endpoint: what an earlier receiver did not take is for it."""
    keep = session.db.execute("SELECT id FROM endpoints WHERE url = ?", (url,)).fetchone()["id"]
    session.db.execute("UPDATE deliveries SET endpoint = ?, not_before = 0 WHERE delivered = 0", (keep,))
    session.db.execute("UPDATE endpoints SET events = '[]' WHERE id <> ?", (keep,))


def due(session: Session, now: float) -> Delivery | None:
    """The delivery to try next, at `now` in real time; None when nothing is due, or everything is held back."""
    if session.settings.webhooks.hold:
        return None
    row = session.db.execute(
        "SELECT d.seq, d.attempts, p.url, p.secrets, o.body FROM deliveries d "
        "JOIN endpoints p ON p.id = d.endpoint JOIN objects o ON o.kind = 'event' AND o.id = d.event "
        "WHERE d.delivered = 0 AND d.not_before <= ? ORDER BY d.not_before, d.seq LIMIT 1",
        (now,),
    ).fetchone()
    if row is None:
        return None
    return Delivery(row["seq"], row["url"], row["body"], row["attempts"], tuple(json.loads(row["secrets"])))


def next_try(session: Session) -> float | None:
    """The real time at which the next delivery may be tried; None when none is pending, or all are held back."""
    if session.settings.webhooks.hold:
        return None
    row = session.db.execute("SELECT min(not_before) FROM deliveries WHERE delivered = 0").fetchone()
    return None if row[0] is None else float(row[0])


def is_idle(session: Session) -> bool:
    """Whether every delivery has been accepted."""
    return session.db.execute("SELECT 1 FROM deliveries WHERE delivered = 0 LIMIT 1").fetchone() is None


def note(session: Session, delivery: Delivery, status: int | None, now: float) -> None:
    """Records an attempt made at `now`; a status other than 2xx (None: no answer at all) is tried again later."""
    accepted = status is not None and 200 <= status < 300
    wait = min(FIRST_RETRY * 2**delivery.attempts, LONGEST_RETRY)
    session.db.execute(
        "UPDATE deliveries SET attempts = attempts + 1, last_status = ?, delivered = ?, not_before = ? WHERE seq = ?",
        (status, accepted, now + wait, delivery.seq),
    )


def report(session: Session) -> JsonObject:
    """How many deliveries are pending, and the attempts of every delivery, oldest first."""
    rows = session.db.execute(
        "SELECT d.event, d.type, p.url, d.attempts, d.last_status, d.delivered FROM deliveries d "
        "JOIN endpoints p ON p.id = d.endpoint ORDER BY d.seq"
    )
    deliveries = [{**dict(row), "delivered": bool(row["delivered"])} for row in rows]
    return {"pending": sum(not item["delivered"] for item in deliveries), "deliveries": deliveries}
