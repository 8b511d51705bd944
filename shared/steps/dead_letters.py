"""What could not be delivered or understood: kept for operators, looked at by them, and replayed when cured.

A replay does not send the old request again. It looks at what the request was about, as the sweeper does: what is due
for the case is sent under a new generation; what has been done meanwhile is not done twice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict, ValidationError

from shared.case.canonical import short_hash
from shared.errors import Conflict, InvalidInput, NotFound, Refused
from shared.ports.directory import Role
from shared.ports.store import Inbox, InboxChange, InboxEntry, InboxStatus
from shared.steps.budgets import INBOX_KEEP
from shared.steps.context import Ports, RequestContext, require_person, system_context
from shared.steps.intake import triage_message
from shared.steps.sweep import sweep_case

TRANSPORT_ORG = "_transport"
"""Where they are kept: they belong to no org that could be trusted."""

_TYPE = "transport."
_MAY_REPLAY = frozenset({Role.ADMIN, Role.OPERATOR})


class About(BaseModel):
    """What a hint is about, as far as a replay needs to know: a case, or an event in the inbox."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    org: str
    case_id: str | None = None
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One request that nobody tries again by itself. `source`: the function, or the topic, that it was for."""

    id: str
    source: str
    status: InboxStatus
    reason: str
    received_at: datetime
    request: str
    """What arrived, word for word."""
    hint: object
    """The hint in it, or None where it could not be read."""
    attributes: Mapping[str, str]


def quarantine(
    ports: Ports,
    source: str,
    request: str,
    reason: str,
    *,
    hint: object = None,
    attributes: Mapping[str, str] | None = None,
    key: str | None = None,
) -> str:
    """Keep a request for operators; its id. The same again is one entry, which is open again if it was closed.

    `key`: what makes it the same, if not every byte of the request.
    """
    now = ports.clock.now()
    entry = InboxEntry(
        org=TRANSPORT_ORG,
        id=f"{source}-{short_hash(request if key is None else key)}",
        type=_TYPE + source,
        received_at=now,
        body=json.dumps({"request": request, "hint": hint, "attributes": dict(attributes or {})}),
        status=InboxStatus.QUARANTINED,
        reason=reason,
        expires_at=now + INBOX_KEEP,
    )
    if not ports.inbox.put(entry):
        ports.inbox.settle(TRANSPORT_ORG, InboxChange(entry.id, InboxStatus.QUARANTINED, reason=reason))
    return entry.id


def dead_letters(inbox: Inbox, *, closed: bool = False, limit: int = 200) -> Sequence[DeadLetter]:
    """What waits for operators, oldest first; with `closed` also what was replayed."""
    status = None if closed else InboxStatus.QUARANTINED
    return tuple(_letter(entry) for entry in inbox.list_entries(TRANSPORT_ORG, status, limit))


def dead_letter(inbox: Inbox, letter_id: str) -> DeadLetter:
    """One of them. Raises NotFound."""
    entry = inbox.get(TRANSPORT_ORG, letter_id)
    if entry is None:
        raise NotFound(f"there is no dead letter {letter_id}")
    return _letter(entry)


def replay(ports: Ports, context: RequestContext, letter_id: str, reason: str) -> About:
    """Look again at what a dead letter is about, and close it; what that is.

    Raises Refused for whoever is no operator or admin of the org it is about, NotFound, Conflict when it was replayed
    already, and InvalidInput when it does not say what it is about.
    """
    by = _require_operator(ports, context)
    letter = dead_letter(ports.inbox, letter_id)
    if letter.status is not InboxStatus.QUARANTINED:
        raise Conflict(f"{letter_id} is not open any more: {letter.reason}")
    try:
        about = About.model_validate(letter.hint)
    except ValidationError:
        raise InvalidInput(f"{letter_id} does not say which org and case it is about: it cannot be replayed") from None
    if about.org != context.org:
        raise Refused(f"{letter_id} is about another org")
    if about.case_id is not None:
        _look_at_case(ports, about.org, about.case_id, context.trace)
    elif about.event_id is not None:
        _look_at_event(ports, about.org, about.event_id, context.trace)
    else:
        raise InvalidInput(f"{letter_id} names neither a case nor an event: it cannot be replayed")
    closed = InboxChange(letter_id, InboxStatus.IGNORED, reason=f"replayed by {by}: {reason}")
    ports.inbox.settle(TRANSPORT_ORG, closed)
    return about


def _require_operator(ports: Ports, context: RequestContext) -> str:
    member = ports.directory.org(context.org).member(require_person(context))
    if member is None or member.role not in _MAY_REPLAY:
        raise Refused(f"{context.actor} is no operator or admin of {context.org}: they replay dead letters")
    return member.email


def _look_at_case(ports: Ports, org: str, case_id: str, trace: str) -> None:
    if ports.store.read(org, case_id) is None:
        raise NotFound(f"there is no case {case_id} in {org}")
    sweep_case(ports, system_context(org, trace), case_id)


def _look_at_event(ports: Ports, org: str, event_id: str, trace: str) -> None:
    entry = ports.inbox.get(org, event_id)
    if entry is None:
        raise NotFound(f"there is no event {event_id} in the inbox of {org}")
    if entry.status is not InboxStatus.RECEIVED:
        raise Conflict(f"event {event_id} is not waiting any more: it is {entry.status.value}")
    ports.messages.publish(triage_message(org, event_id, trace))


def _letter(entry: InboxEntry) -> DeadLetter:
    kept = json.loads(entry.body)
    return DeadLetter(
        id=entry.id,
        source=entry.type.removeprefix(_TYPE),
        status=entry.status,
        reason=entry.reason,
        received_at=entry.received_at,
        request=kept["request"],
        hint=kept["hint"],
        attributes=kept["attributes"],
    )
