"""Intake: a signed event is stored once, and only then acknowledged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from shared.case.canonical import short_hash
from shared.errors import InvalidInput
from shared.ports.queue import Message
from shared.ports.store import InboxEntry, InboxStatus
from shared.steps.budgets import INBOX_KEEP, INBOX_RESEND_AFTER
from shared.steps.context import Ports
from shared.steps.signature import verify_signature

UNKNOWN_ORG = "_unknown"
"""Where events are kept whose org nobody knows: visible to operators, acknowledged to Stripe."""

MAX_BODY_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One webhook endpoint: its path, the secrets that are live, and whether it belongs to live mode."""

    path: str
    secrets: Mapping[str, str]
    """Secret by name; never logged."""
    livemode: bool = False


@dataclass(frozen=True, slots=True)
class Received:
    """What became of a delivery. `known`: it had been stored before."""

    event_id: str
    status: InboxStatus
    known: bool
    reason: str = ""


def receive(
    ports: Ports, endpoint: Endpoint, body: bytes, signature: str, *, trace: str, received_at: datetime
) -> Received:
    """Verify, store once, send triage. Raises BadSignature or InvalidInput (nothing is stored) and Retryable.

    `received_at` is the receipt time on the receiver's real clock: signatures are judged against nothing else.
    """
    if len(body) > MAX_BODY_BYTES:
        raise InvalidInput(f"the body has {len(body)} bytes; at most {MAX_BODY_BYTES} are accepted")
    secret_name = verify_signature(body, signature, endpoint.secrets, received_at)
    text, event = _decode(body)
    entry = _entry(ports, endpoint, secret_name, text, event)
    created = ports.inbox.put(entry)
    stored = entry if created else (ports.inbox.get(entry.org, entry.id) or entry)
    if stored.status is InboxStatus.RECEIVED:
        # Also for a redelivery: the hint may have been lost between storing and publishing.
        ports.messages.publish(triage_message(stored.org, stored.id, trace))
    return Received(entry.id, stored.status, known=not created, reason=stored.reason)


def triage_message(org: str, event_id: str, trace: str) -> Message:
    """The hint that an inbox entry should be looked at."""
    return Message(
        topic="triage",
        body={"org": org, "event_id": event_id},
        attributes={"org": org, "ordering_key": event_id, "trace": trace},
    )


def _decode(body: bytes) -> tuple[str, dict[str, object]]:
    try:
        text = body.decode("utf-8")
        event = json.loads(text)
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise InvalidInput("the body is not JSON") from None
    if not isinstance(event, dict):
        raise InvalidInput("the body is not a JSON object")
    return text, event


def _entry(ports: Ports, endpoint: Endpoint, secret_name: str, text: str, event: dict[str, object]) -> InboxEntry:
    now = ports.clock.now()
    event_id, kind, account = event.get("id"), event.get("type"), event.get("account")
    usable = isinstance(event_id, str) and 0 < len(event_id) <= 255 and isinstance(kind, str)
    org = ports.directory.org_of_event(endpoint.path, secret_name, account if isinstance(account, str) else None)
    reason = ""
    if not usable or event.get("object") == "v2.core.event":
        reason = "not a snapshot event: it has no id and type, or is a thin event; register a snapshot endpoint"
    elif org is None:
        reason = "no org is registered for this endpoint and account"
    elif bool(event.get("livemode")) is not endpoint.livemode:
        mode = "live" if endpoint.livemode else "test"
        reason = f"the event's livemode does not match this {mode} endpoint"
    return InboxEntry(
        # What may not come in here must not take the id from a delivery that may, at another endpoint.
        org=UNKNOWN_ORG if reason or org is None else org,
        id=event_id if usable and isinstance(event_id, str) else "body-" + short_hash(text),
        type=kind if isinstance(kind, str) else "",
        received_at=now,
        body=text,
        status=InboxStatus.QUARANTINED if reason else InboxStatus.RECEIVED,
        reason=reason,
        expires_at=now + INBOX_KEEP,
        look_at=now + INBOX_RESEND_AFTER,
    )
