"""The one way to change a case: read, decide, fold, write if nothing has changed; else read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from shared.case.case import Case
from shared.case.due import due_steps, wake_at
from shared.case.events import EpisodeRecorded, Event
from shared.case.evolve import evolve
from shared.case.log import chain, genesis
from shared.errors import Contended
from shared.ports.store import (
    Bookkeeping,
    CaseRecord,
    ChargeLedger,
    Episode,
    Head,
    InboxChange,
    LoggedCommit,
    PreconditionFailed,
    Write,
)
from shared.steps.context import Ports, RequestContext

MAX_ATTEMPTS = 40
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.01, 0.25


@dataclass(frozen=True, slots=True)
class Change:
    """What a decision leads to: events, and what must hold or change together with them."""

    events: Sequence[Event] = ()
    inbox: Sequence[InboxChange] = field(default_factory=tuple)
    ledger: ChargeLedger | None = None


Decide = Callable[[Case | None, datetime], Change]
"""Pure apart from quick reads; may run several times. Fencing is checked in here."""


@dataclass(frozen=True, slots=True)
class Committed:
    """The case after the commit and before it. `changed` is False when there was nothing to do."""

    before: Case | None
    after: Case | None
    changed: bool
    generation: int = 0
    record: CaseRecord | None = None
    """The case as stored now, to go on from without reading it again. None: there is none, or others may have moved it
    on already."""


def unchanged(record: CaseRecord | None) -> Committed:
    """What a step has that finds nothing to do in the case it read."""
    case = record.case if record else None
    return Committed(case, case, False, record.bookkeeping.generation if record else 0, record)


def commit(
    ports: Ports, context: RequestContext, case_id: str, decide: Decide, *, seen: CaseRecord | None = None
) -> Committed:
    """Apply what `decide` says of the present case, exactly once.

    `seen` is the case as this step has read it already: the first attempt starts from it, and if it has changed since,
    the write fails and it is read again. Raises whatever `decide` raises, and Contended when other writers win every
    one of a bounded number of races.
    """
    for attempt in range(MAX_ATTEMPTS):
        record = seen if seen and attempt == 0 else ports.store.read(context.org, case_id)
        before = record.case if record else None
        # Time never runs backwards within a case, whatever two machines' clocks say.
        now = max(ports.clock.now(), before.updated_at) if before else ports.clock.now()
        change = decide(before, now)
        if not change.events:
            for settled in change.inbox:
                ports.inbox.settle(context.org, settled)
            return unchanged(record)
        write = _build(ports, context, case_id, record, change, now)
        generation = write.bookkeeping.generation
        try:
            version = ports.store.write(write)
        except PreconditionFailed:
            if _was_ours(ports, context, write):
                return Committed(before, write.case, True, generation)
            _pause(ports, attempt)
        else:
            stored = CaseRecord(write.case, version, write.head, write.bookkeeping)
            return Committed(before, write.case, True, generation, stored)
    raise Contended(f"case {case_id} is being changed by too many at once; try again", after=1.0)


def _build(
    ports: Ports, context: RequestContext, case_id: str, record: CaseRecord | None, change: Change, now: datetime
) -> Write:
    case = record.case if record else None
    head = record.head if record else Head(seq=0, hash=genesis(context.org, case_id))
    commit_id = ports.entropy.token()
    for event in change.events:
        case = evolve(case, event, now)
    assert case is not None
    chained = chain(
        change.events,
        first_seq=head.seq,
        head=head.hash,
        at=now,
        actor=context.actor,
        trace=context.trace,
        commit_id=commit_id,
    )
    return Write(
        org=context.org,
        case=case,
        expected=record.version if record else None,
        commit=LoggedCommit(case_id, commit_id, head.seq, chained.entries, chained.hashes),
        head=Head(seq=head.seq + len(change.events), hash=chained.head),
        bookkeeping=_bookkeeping(record, case, now),
        inbox=tuple(change.inbox),
        ledger=change.ledger,
        episode=_episode(case, change.events, now),
    )


def _bookkeeping(record: CaseRecord | None, case: Case, now: datetime) -> Bookkeeping:
    """Any commit means that the case moves: the sweeper's back-off starts again."""
    following = wake_at(case, now)
    if record is None:
        return Bookkeeping(wake_at=following)
    before, due = record.bookkeeping, due_steps(case, now)
    if following is not None and before.wake_at is not None and due and due == due_steps(record.case, now):
        # It did nothing of what is due, whose hints may be lost: it must not put off the sweeper's look at that.
        following = min(before.wake_at, following)
    return Bookkeeping(wake_at=following, generation=before.generation)


def _episode(case: Case, events: Sequence[Event], now: datetime) -> Episode | None:
    recorded = next((event for event in events if isinstance(event, EpisodeRecorded)), None)
    if recorded is None:
        return None
    return Episode(
        case_id=case.id,
        customer=recorded.customer,
        kind=case.subject.kind,
        decision=recorded.decision,
        amount_minor=recorded.amount_minor,
        currency=recorded.currency,
        outcome=recorded.outcome,
        decided_at=now,
        rationale=f"{case.brief.decision.rationale if case.brief else ''} {recorded.lesson}".strip(),
    )


def _was_ours(ports: Ports, context: RequestContext, write: Write) -> bool:
    """Whether the write that seemed to fail had succeeded, its acknowledgement lost."""
    stored = ports.store.commit_at(context.org, write.case.id, write.commit.first_seq)
    return stored is not None and stored.commit_id == write.commit.commit_id


def _pause(ports: Ports, attempt: int) -> None:
    longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2 ** min(attempt, 10))
    ports.clock.pause(longest * ports.entropy.jitter())
