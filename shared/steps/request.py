"""Requests by people: a refund request, a question about a payment, without an event from Stripe.

A request is its own subject, linked to the charge it speaks of: a second legitimate request about the same charge is
another case. It enters through the same inbox as an event, and triage routes it the same way.
"""

from __future__ import annotations

import json
from datetime import datetime

from pydantic import Field

from shared.case.canonical import Record, short_hash
from shared.case.money import currency_code
from shared.errors import InvalidInput, Refused
from shared.ports.directory import Role
from shared.ports.store import InboxEntry, InboxStatus
from shared.steps.budgets import INBOX_KEEP, INBOX_RESEND_AFTER
from shared.steps.context import Ports, RequestContext, require_person
from shared.steps.intake import Received, triage_message

REQUEST_TYPE = "manthan.request.created"

MAX_TEXT = 20_000


class PersonRequest(Record):
    """What somebody asks for. `text` is theirs: it is evidence to be quoted, never an instruction to be followed."""

    id: str = Field(min_length=1, max_length=200)
    channel: str = Field(min_length=1, max_length=50)
    received_at: datetime
    sender: str = Field(min_length=1, max_length=320)
    text: str = Field(min_length=1, max_length=MAX_TEXT)
    customer: str | None = None
    charge: str | None = None
    invoice: str | None = None
    amount_minor: int | None = Field(default=None, ge=1)
    currency: str | None = None


def request_id(channel: str, sender: str, text: str, charge: str | None) -> str:
    """An id for a request that has none of its own: the same words from the same sender are the same request."""
    return "preq_" + short_hash(channel, sender, text, charge or "")


def open_request(ports: Ports, context: RequestContext, request: PersonRequest, *, livemode: bool = False) -> Received:
    """Take a request up on behalf of a member. The same request again changes nothing.

    Raises Refused for whoever may not open cases, InvalidInput for a request that contradicts itself.
    """
    email = require_person(context)
    member = ports.directory.org(context.org).member(email)
    if member is None or member.role is Role.VIEWER:
        raise Refused(f"{email} may not open cases in this org: that takes an operator, approver or admin")
    if (request.amount_minor is None) != (request.currency is None):
        raise InvalidInput("an amount needs its currency, and a currency its amount")
    if request.currency is not None:
        currency_code(request.currency)
    if request.received_at.tzinfo is None:
        raise InvalidInput("received_at needs an offset, such as 2026-05-22T14:30:00+00:00")
    return receive_request(
        ports, context.org, request, requested_by=member.email, trace=context.trace, livemode=livemode
    )


def receive_request(
    ports: Ports, org: str, request: PersonRequest, *, requested_by: str | None, trace: str, livemode: bool = False
) -> Received:
    """Store a request once and send triage. `requested_by`: the member who opened it; never its only approver."""
    now = ports.clock.now()
    entry = InboxEntry(
        org=org,
        id=request.id,
        type=REQUEST_TYPE,
        received_at=now,
        body=json.dumps(_as_event(request, requested_by, livemode), ensure_ascii=False),
        expires_at=now + INBOX_KEEP,
        look_at=now + INBOX_RESEND_AFTER,
    )
    created = ports.inbox.put(entry)
    stored = entry if created else (ports.inbox.get(org, entry.id) or entry)
    if stored.status is InboxStatus.RECEIVED:
        ports.messages.publish(triage_message(org, entry.id, trace))
    return Received(entry.id, stored.status, known=not created, reason=stored.reason)


def _as_event(request: PersonRequest, requested_by: str | None, livemode: bool) -> dict[str, object]:
    """The request in the envelope of an event, so that routing sees one shape."""
    item = request.model_dump(mode="json", exclude_none=True)
    item["from"] = item.pop("sender")
    if requested_by is not None:
        item["requested_by"] = requested_by
    return {
        "id": request.id,
        "object": "event",
        "type": REQUEST_TYPE,
        "created": int(request.received_at.timestamp()),
        "livemode": livemode,
        "data": {"object": item},
    }
