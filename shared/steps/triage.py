"""Triage: route an event to a playbook, open its case or attach to it, plan the specialists."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.case.case import Case, Trigger, case_id
from shared.case.events import CaseOpened, Moved
from shared.case.lifecycle import State
from shared.errors import InvalidInput, Retryable
from shared.ports.store import InboxChange, InboxEntry, InboxStatus
from shared.steps.budgets import INBOX_GIVE_UP_AFTER, INBOX_RESEND_AFTER
from shared.steps.commit import Change, commit, unchanged
from shared.steps.context import Ports, RequestContext
from shared.steps.intake import triage_message
from shared.steps.ledger import follow
from shared.steps.outside import start_round, take_note
from shared.steps.sending import drive
from shared.steps.settle import Unfolding, reflect
from shared.team.contract import Ignored, Playbook, Routing

NO_CASE = "no case is about its object"
"""Why an event is ignored that neither opens a case nor waits for one."""


@dataclass(frozen=True, slots=True)
class Triaged:
    """What became of the entry."""

    status: InboxStatus
    case_id: str | None
    reason: str = ""


def triage(ports: Ports, context: RequestContext, event_id: str) -> Triaged:
    """Take up one inbox entry. Raises Retryable when it is not visible yet."""
    entry = ports.inbox.get(context.org, event_id)
    if entry is None:
        raise Retryable(f"event {event_id} is not in the inbox yet", after=1.0)
    if entry.status is not InboxStatus.RECEIVED:
        if entry.case_id is not None:
            drive(ports, context, unchanged(ports.store.read(context.org, entry.case_id)))
        return Triaged(entry.status, entry.case_id, entry.reason)
    try:
        routing = route(ports, entry)
    except InvalidInput as error:
        return _settle(ports, context, entry, InboxStatus.QUARANTINED, str(error))
    if isinstance(routing, Ignored):
        return _settle(ports, context, entry, InboxStatus.IGNORED, routing.reason)
    try:
        return _take_up(ports, context, entry, routing)
    except InvalidInput as error:
        # What cannot be stored, e.g. half a character: the event is kept, and shown to operators.
        return _settle(ports, context, entry, InboxStatus.QUARANTINED, str(error))


def route(ports: Ports, entry: InboxEntry) -> Routing | Ignored:
    """What the entry means to the installed playbooks. Raises InvalidInput for an object that cannot be identified."""
    event = json.loads(entry.body)
    for playbook in ports.playbooks.values():
        routing = playbook.route(entry.org, event)
        if routing is not None:
            return routing
    return Ignored(f"events of type {entry.type or 'unknown'} are not handled")


def _take_up(ports: Ports, context: RequestContext, entry: InboxEntry, routing: Routing) -> Triaged:
    subject_case = routing.case_id or case_id(context.org, routing.subject)
    playbook = ports.playbook(routing.playbook)

    def decide(case: Case | None, now: datetime) -> Change:
        attach = InboxChange(entry.id, InboxStatus.ATTACHED, subject_case)
        if case is not None:
            # An entry is attached in the batch that changes its case: only where there is one can another have been
            # faster.
            present = ports.inbox.get(context.org, entry.id)
            if present is not None and present.status is not InboxStatus.RECEIVED:
                return Change()
            unfolding = Unfolding(case, now)
            take_note(unfolding, playbook, entry.id, entry.type, routing.observation)
            return Change(unfolding.events, inbox=(attach,), ledger=follow(ports, context, case, unfolding.case))
        if not routing.opens:
            return Change(inbox=(_without_case(entry, routing, subject_case, now),))
        waiting = [other for other in ports.inbox.waiting_for(context.org, subject_case) if other.id != entry.id]
        unfolding = _open(ports, context, subject_case, entry, routing, now)
        for other in waiting:
            _take_up_waiting(ports, unfolding, playbook, other)
        if not unfolding.case.terminal:
            start_round(unfolding, playbook, routing.summary)
        attached = [InboxChange(other.id, InboxStatus.ATTACHED, subject_case) for other in waiting]
        return Change(unfolding.events, inbox=(attach, *attached))

    committed = commit(ports, context, subject_case, decide)
    drive(ports, context, committed)
    if committed.after is None:
        return _parked(ports, context, entry, routing, subject_case)
    if committed.before is None:
        _wake_stragglers(ports, context, subject_case)
    return Triaged(InboxStatus.ATTACHED, subject_case)


def _without_case(entry: InboxEntry, routing: Routing, subject_case: str, now: datetime) -> InboxChange:
    """It waits, with the id of its case; opening the case takes it up. The sweeper looks ever less often."""
    if not routing.waits:
        return InboxChange(entry.id, InboxStatus.IGNORED, None, NO_CASE)
    age = now - entry.received_at
    look_at = min(now + max(INBOX_RESEND_AFTER, age), entry.received_at + INBOX_GIVE_UP_AFTER)
    return InboxChange(entry.id, InboxStatus.RECEIVED, subject_case, "waits for its case", look_at=look_at)


def _open(
    ports: Ports, context: RequestContext, new_id: str, entry: InboxEntry, routing: Routing, now: datetime
) -> Unfolding:
    created = json.loads(entry.body).get("created")
    trigger = Trigger(
        event_id=entry.id,
        type=entry.type,
        summary=routing.summary,
        created_at=_instant(created) or entry.received_at,
    )
    unfolding = Unfolding(None, now)
    unfolding.add(
        CaseOpened(
            case_id=new_id,
            org=context.org,
            subject=routing.subject,
            playbook=routing.playbook,
            trigger=trigger,
            facts=dict(routing.observation.facts),
            trace=context.trace,
        )
    )
    if routing.observation.outcome is not None:
        take_note(unfolding, ports.playbook(routing.playbook), entry.id, entry.type, routing.observation)
    settled_by = ports.playbook(routing.playbook).settled_by(unfolding.case)
    if settled_by is not None and not unfolding.case.terminal:
        unfolding.add(Moved(to=State.WITHDRAWN, reason=f"{settled_by}; there is nothing to answer"))
        reflect(unfolding, ports.playbook(routing.playbook))
    return unfolding


def _instant(seconds: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int) else None
    except (OverflowError, ValueError, OSError):
        return None


def _take_up_waiting(ports: Ports, unfolding: Unfolding, playbook: Playbook, entry: InboxEntry) -> None:
    routing = route(ports, entry)
    if isinstance(routing, Routing):
        take_note(unfolding, playbook, entry.id, entry.type, routing.observation)


def _parked(ports: Ports, context: RequestContext, entry: InboxEntry, routing: Routing, subject_case: str) -> Triaged:
    """The event was parked; if its case was opened at the same moment, it must not be left behind."""
    if not routing.waits:
        return Triaged(InboxStatus.IGNORED, None, NO_CASE)
    if ports.store.read(context.org, subject_case) is not None:
        ports.messages.publish(triage_message(context.org, entry.id, context.trace))
    return Triaged(InboxStatus.RECEIVED, subject_case, "waits for its case")


def _wake_stragglers(ports: Ports, context: RequestContext, subject_case: str) -> None:
    """Entries parked between our look at the inbox and our commit."""
    for other in ports.inbox.waiting_for(context.org, subject_case):
        ports.messages.publish(triage_message(context.org, other.id, context.trace))


def _settle(ports: Ports, context: RequestContext, entry: InboxEntry, status: InboxStatus, reason: str) -> Triaged:
    ports.inbox.settle(context.org, InboxChange(entry.id, status, None, reason))
    return Triaged(status, None, reason)


def give_up(ports: Ports, context: RequestContext, event_id: str, reason: str) -> None:
    """Quarantine an entry that triage could not take up in many attempts: a fault of ours, shown to operators."""
    ports.inbox.settle(context.org, InboxChange(event_id, InboxStatus.QUARANTINED, None, reason))
