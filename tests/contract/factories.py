"""Small, valid cases and batches, built the way the core builds them: events, folded, chained by hash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from shared.case.canonical import canonical, sha256
from shared.case.case import Case, Subject, Trigger, case_id
from shared.case.events import CaseOpened, Entry, Event, Moved, OutsideChanged
from shared.case.evidence import Ended, EvidenceRow, Report
from shared.case.evolve import evolve
from shared.case.lifecycle import State
from shared.ports.store import (
    Bookkeeping,
    CaseRecord,
    CaseStore,
    Claim,
    Episode,
    Head,
    InboxEntry,
    LoggedCommit,
    PreconditionFailed,
    Write,
)

START = datetime(2026, 5, 4, 9, 30, 15, 123456, tzinfo=UTC)
"""An instant with all six digits of its microseconds in use."""
ORG = "acme"
OTHER_ORG = "globex"

_commits = count(1)


def at(seconds: float = 0, *, microseconds: int = 0) -> datetime:
    """An instant after START."""
    return START + timedelta(seconds=seconds, microseconds=microseconds)


def opening(number: int | str = 1, *, org: str = ORG, facts: dict[str, Any] | None = None) -> CaseOpened:
    """The first event of the case about dispute number N; its id depends on the org, as in production."""
    subject = Subject(kind="dispute", id=f"dp_{number}")
    return CaseOpened(
        case_id=case_id(org, subject),
        org=org,
        subject=subject,
        playbook="disputes",
        trigger=Trigger(event_id=f"evt_{number}", type="charge.dispute.created", summary="A dispute", created_at=START),
        facts={"dispute.status": "needs_response", "dispute.amount": 8400} if facts is None else facts,
    )


def moved(to: State = State.INVESTIGATING, reason: str = "planned") -> Moved:
    """The case moves on."""
    return Moved(to=to, reason=reason)


def fact(name: str, value: Any) -> OutsideChanged:
    """The outside world says one thing."""
    return OutsideChanged(event_id="evt_outside", event_type="charge.dispute.updated", facts={name: value})


def batch(
    record: CaseRecord | None,
    *events: Event,
    when: datetime = START,
    commit_id: str | None = None,
    wake_at: datetime | None = None,
    **more: Any,
) -> Write:
    """What the core would write after these events: case, commit document, head and bookkeeping."""
    case = None if record is None else record.case
    head = Head(0, "") if record is None else record.head
    commit_id = commit_id or f"commit-{next(_commits)}"
    first_seq, entries, hashes = head.seq, [], []
    for event in events:
        case = evolve(case, event, when)
        entry = Entry(
            seq=head.seq, at=when, actor="system", trace="t", commit=commit_id, event=event, prev_hash=head.hash
        )
        entries.append(canonical(entry))
        hashes.append(sha256(entries[-1]))
        head = Head(head.seq + 1, hashes[-1])
    assert case is not None
    return Write(
        org=case.org,
        case=case,
        expected=None if record is None else record.version,
        commit=LoggedCommit(case.id, commit_id, first_seq, tuple(entries), tuple(hashes)),
        head=head,
        bookkeeping=Bookkeeping(wake_at),
        **more,
    )


def stored(store: CaseStore, write: Write) -> CaseRecord:
    """Write the batch and read the case back."""
    store.write(write)
    record = store.read(write.org, write.case.id)
    assert record is not None
    return record


def committed(store: CaseStore, org: str, case_id: str, decide: Callable[[Case], Event], *, attempts: int = 500) -> int:
    """The commit loop in its smallest form: read, decide, write, again when it was stale. How many attempts it took."""
    for attempt in range(1, attempts + 1):
        record = store.read(org, case_id)
        assert record is not None
        try:
            store.write(batch(record, decide(record.case)))
        except PreconditionFailed:
            continue
        return attempt
    raise AssertionError("compare-and-set never succeeded")


def row(number: int = 0, text: str = "", *, untrusted: bool = False) -> EvidenceRow:
    """A row of evidence."""
    return EvidenceRow(
        source="stripe",
        table="stripe.charges",
        record_id=f"ch_{number}",
        fields={"id": f"ch_{number}", "amount": 8400, "paid": True, "refunded": None, "note": text},
        query="SELECT * FROM stripe.charges",
        retrieved_at=at(number, microseconds=number),
        link=f"https://dashboard.stripe.com/payments/ch_{number}",
        untrusted=untrusted,
    )


def report(specialist: str = "payments", *, round_number: int = 1, **changes: Any) -> Report:
    """A specialist's report."""
    rows: Sequence[EvidenceRow] = changes.pop("rows", (row(1),))
    return Report(
        round=round_number,
        specialist=specialist,
        ended=changes.pop("ended", Ended.REPORTED),
        summary=changes.pop("summary", "found the charge"),
        count=len(rows),
        sha256=sha256(canonical([item.model_dump(mode="json") for item in rows])),
        rows=tuple(rows),
        created_at=START,
        **changes,
    )


def entry(number: int | str = 1, *, org: str = ORG, received_at: datetime = START, **changes: Any) -> InboxEntry:
    """An event as it arrived."""
    kind = changes.pop("type", "charge.dispute.created")
    body = changes.pop("body", f'{{"id":"evt_{number}"}}')
    return InboxEntry(org=org, id=f"evt_{number}", type=kind, received_at=received_at, body=body, **changes)


def episode(case: str, *, customer: str = "cus_1", decided_at: datetime = START, outcome: str = "refunded") -> Episode:
    """What is remembered of a case."""
    return Episode(case, customer, "disputes", "refund", 8400, "usd", outcome, decided_at, "twice charged")


def claim(
    owner: str, *, generation: int = 0, retry: int = 0, lasts_s: float = 60, key: str = "case_1/1/payments"
) -> Claim:
    """A claim from START."""
    return Claim(key, owner, generation, retry, at(lasts_s))
