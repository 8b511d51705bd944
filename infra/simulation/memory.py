"""The store ports in memory: what the world keeps. Correct by itself; what goes wrong happens in front of it (gate.py).

The contract tests hold it to the same promises as the adapters of production.
"""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from infra.local.reports import check_text
from shared.case.case import Case
from shared.case.evidence import EvidenceRow, Report
from shared.errors import InvalidInput, NotFound
from shared.ports.store import (
    Bookkeeping,
    CaseQuery,
    CaseRecord,
    ChargeLedger,
    Claim,
    Episode,
    InboxChange,
    InboxEntry,
    InboxStatus,
    LoggedCommit,
    Page,
    PreconditionFailed,
    Version,
    Write,
)

_Key = tuple[str, str]


@dataclass
class MemoryState:
    """Everything that is stored, by org and id; one lock for all of it."""

    cases: dict[_Key, CaseRecord] = field(default_factory=dict)
    commits: dict[_Key, dict[int, LoggedCommit]] = field(default_factory=dict)
    reports: dict[tuple[str, str, int], dict[str, Report]] = field(default_factory=dict)
    chunks: dict[tuple[str, str, str], tuple[EvidenceRow, ...]] = field(default_factory=dict)
    texts: dict[tuple[str, str, str], str] = field(default_factory=dict)
    ledgers: dict[tuple[str, str | None, str], ChargeLedger] = field(default_factory=dict)
    episodes: dict[_Key, Episode] = field(default_factory=dict)
    inbox: dict[_Key, InboxEntry] = field(default_factory=dict)
    claims: dict[_Key, Claim] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)


class MemoryStore:
    """Cases, their log, their reports, the ledger of charges, and memory; implements CaseStore."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def read(self, org: str, case_id: str) -> CaseRecord | None:
        """The case as it stands."""
        return self._state.cases.get((org, case_id))

    def write(self, write: Write) -> Version:
        """Apply the batch, or raise PreconditionFailed and change nothing."""
        if write.case.org != write.org or write.commit.case_id != write.case.id:
            raise InvalidInput(f"the batch for case {write.case.id} mixes orgs or cases")
        _check_storable(write.case)
        with self._state.lock:
            return self._apply(write)

    def _apply(self, write: Write) -> Version:
        state, key = self._state, (write.org, write.case.id)
        present = state.cases.get(key)
        commits = state.commits.get(key, {})
        if (present.version if present else None) != write.expected or write.commit.first_seq in commits:
            raise PreconditionFailed(f"case {write.case.id} is not at version {write.expected}")
        ledger = write.ledger
        if ledger is not None and self.read_ledger(write.org, ledger.account, ledger.charge).version != ledger.version:
            raise PreconditionFailed(f"the ledger of charge {ledger.charge} is not at version {ledger.version}")
        for change in write.inbox:
            if (write.org, change.id) not in state.inbox:
                raise NotFound(f"the inbox has no event {change.id} for this commit to settle")
        version = _next(write.expected)
        state.cases[key] = CaseRecord(write.case, version, write.head, write.bookkeeping)
        state.commits[key] = {**commits, write.commit.first_seq: write.commit}
        for change in write.inbox:
            _change(state, write.org, change)
        if ledger is not None:
            state.ledgers[write.org, ledger.account, ledger.charge] = replace(ledger, version=_next(ledger.version))
        if write.episode is not None:
            state.episodes[write.org, write.episode.case_id] = write.episode
        return version

    def commit_at(self, org: str, case_id: str, first_seq: int) -> LoggedCommit | None:
        """The commit whose first event has this seq."""
        return self._state.commits.get((org, case_id), {}).get(first_seq)

    def log(self, org: str, case_id: str) -> Iterator[LoggedCommit]:
        """All commits of a case in order."""
        return iter([commit for _, commit in sorted(self._state.commits.get((org, case_id), {}).items())])

    def put_chunk(self, org: str, case_id: str, sha256: str, rows: Sequence[EvidenceRow], expires_at: datetime) -> None:
        """Store bulk rows under their content's hash."""
        for row in rows:
            _check_storable(row)
        self._state.chunks.setdefault((org, case_id, sha256), tuple(rows))

    def read_chunk(self, org: str, case_id: str, sha256: str) -> Sequence[EvidenceRow] | None:
        """The rows of a chunk."""
        return self._state.chunks.get((org, case_id, sha256))

    def put_texts(self, org: str, case_id: str, texts: Mapping[str, str]) -> None:
        """Store texts under the hash of each."""
        for text in texts.values():
            check_text(text)
        for digest, text in texts.items():
            self._state.texts.setdefault((org, case_id, digest), text)

    def read_texts(self, org: str, case_id: str, hashes: Collection[str]) -> Mapping[str, str]:
        """Those of these texts that are stored."""
        texts = self._state.texts
        return {digest: texts[org, case_id, digest] for digest in hashes if (org, case_id, digest) in texts}

    def create_report(self, org: str, case_id: str, report: Report) -> int | None:
        """Create the report if absent: how many its round has now. None: another stands."""
        _check_storable(report)
        with self._state.lock:
            for chunk in report.chunks:
                if (org, case_id, chunk.sha256) not in self._state.chunks:
                    raise NotFound(f"the report of {report.specialist} names a chunk that is not stored")
            standing = self._state.reports.setdefault((org, case_id, report.round), {})
            if report.specialist in standing:
                return None
            standing[report.specialist] = report
            return len(standing)

    def reports(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """The reports of a round, in the order of the specialists' names."""
        standing = self._state.reports.get((org, case_id, round_number), {})
        return tuple(standing[name] for name in sorted(standing))

    def report_heads(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """As `reports`, but with no rows in them."""
        return tuple(
            report.model_copy(update={"rows": ()}) if report.rows else report
            for report in self.reports(org, case_id, round_number)
        )

    def due(self, org: str | None, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        """(org, case id) of cases whose wake_at has come, oldest first."""
        found = sorted(
            (record.bookkeeping.wake_at, *key)
            for key, record in self._state.cases.items()
            if record.bookkeeping.wake_at is not None
            and record.bookkeeping.wake_at <= now
            and (org is None or org == key[0])
        )
        return tuple((owner, case_id) for _, owner, case_id in found[:limit])

    def next_wake(self) -> datetime | None:
        """The earliest wake_at of any case."""
        wakes = (record.bookkeeping.wake_at for record in self._state.cases.values())
        return min((wake for wake in wakes if wake is not None), default=None)

    def set_bookkeeping(self, org: str, case_id: str, expected: Version, bookkeeping: Bookkeeping) -> bool:
        """Change only the bookkeeping, if the case has not changed since; it has a new version then."""
        with self._state.lock:
            present = self._state.cases.get((org, case_id))
            if present is None or present.version != expected:
                return False
            self._state.cases[org, case_id] = replace(present, bookkeeping=bookkeeping, version=_next(expected))
            return True

    def list_cases(self, org: str, query: CaseQuery) -> Page:
        """Cases of an org, latest change first; `after` is the token of the page before."""
        newest: list[tuple[datetime, str, Case]] = []
        for (owner, case_id), record in list(self._state.cases.items()):
            if owner == org and (not query.states or record.case.state.value in query.states):
                insort(newest, (record.case.updated_at, case_id, record.case), key=lambda item: item[:2])
        newest.reverse()
        if query.after is not None:
            before = _cursor(query.after)
            newest = [item for item in newest if item[:2] < before]
        shown = newest[: query.limit]
        more = f"{shown[-1][0].isoformat()} {shown[-1][1]}" if len(newest) > len(shown) else None
        return Page(cases=tuple(case for _, _, case in shown), next=more)

    def read_ledger(self, org: str, account: str | None, charge: str) -> ChargeLedger:
        """The ledger of a charge; an empty one when nothing is stored."""
        return self._state.ledgers.get((org, account, charge)) or ChargeLedger(account, charge)

    def episodes(self, org: str, customer: str, limit: int = 20) -> Sequence[Episode]:
        """What we remember about a customer, latest first."""
        own = [item for (owner, _), item in self._state.episodes.items() if owner == org and item.customer == customer]
        own.sort(key=lambda item: (item.decided_at, item.case_id), reverse=True)
        return tuple(own[:limit])


class MemoryInbox:
    """Events as they arrived; implements Inbox."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def put(self, entry: InboxEntry) -> bool:
        """Store an event once."""
        with self._state.lock:
            return self._state.inbox.setdefault((entry.org, entry.id), entry) is entry

    def get(self, org: str, entry_id: str) -> InboxEntry | None:
        """An entry by the sender's event id."""
        return self._state.inbox.get((org, entry_id))

    def settle(self, org: str, change: InboxChange) -> None:
        """Change an entry; one that is attached stays so, and one that is settled is not reopened."""
        with self._state.lock:
            present = self._state.inbox.get((org, change.id))
            if present is None:
                raise NotFound(f"the inbox has no event {change.id}")
            reopens = change.status is InboxStatus.RECEIVED and present.status is not InboxStatus.RECEIVED
            if present.status is not InboxStatus.ATTACHED and not reopens:
                _change(self._state, org, change)

    def waiting_for(self, org: str, case_id: str) -> Sequence[InboxEntry]:
        """Entries still received that wait for this case, in the order they arrived."""
        own = [entry for (owner, _), entry in self._state.inbox.items() if owner == org and entry.case_id == case_id]
        waiting = [entry for entry in own if entry.status is InboxStatus.RECEIVED]
        return tuple(sorted(waiting, key=lambda entry: entry.received_at))

    def unsettled(self, now: datetime | None, limit: int) -> Sequence[InboxEntry]:
        """Entries of every org still received whose `look_at` has come; `now` None: all received."""
        received = [entry for entry in self._state.inbox.values() if entry.status is InboxStatus.RECEIVED]
        if now is not None:
            received = [entry for entry in received if entry.look_at is not None and entry.look_at <= now]
        return tuple(sorted(received, key=_look_at)[:limit])

    def next_look(self) -> datetime | None:
        """The earliest `look_at` of any entry still received."""
        received = (entry for entry in self._state.inbox.values() if entry.status is InboxStatus.RECEIVED)
        return min((entry.look_at for entry in received if entry.look_at is not None), default=None)

    def list_entries(self, org: str, status: InboxStatus | None = None, limit: int = 200) -> Sequence[InboxEntry]:
        """Entries of an org, oldest first."""
        own = [entry for (owner, _), entry in self._state.inbox.items() if owner == org]
        own.sort(key=lambda entry: entry.received_at)
        return tuple(entry for entry in own if status in (None, entry.status))[:limit]


class MemoryClaims:
    """Who works on what; implements Claims."""

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def take(self, org: str, claim: Claim, now: datetime) -> Claim | None:
        """Take the claim if it is free, expired or of a lower order; else the live one."""
        with self._state.lock:
            present = self._state.claims.get((org, claim.key))
            order = (claim.generation, claim.retry)
            if present is None or present.expires_at <= now or (present.generation, present.retry) < order:
                self._state.claims[org, claim.key] = claim
                return None
            return present

    def live(self, org: str, key: str, now: datetime) -> Claim | None:
        """The claim that is alive for this key."""
        present = self._state.claims.get((org, key))
        return present if present is not None and present.expires_at > now else None

    def release(self, org: str, key: str, owner: str) -> None:
        """Give the claim back, if it is still ours."""
        with self._state.lock:
            present = self._state.claims.get((org, key))
            if present is not None and present.owner == owner:
                del self._state.claims[org, key]


def _check_storable(value: BaseModel) -> None:
    """Raises InvalidInput for text that is not valid Unicode, as every store does."""
    try:
        value.model_dump_json()
    except PydanticSerializationError as error:
        raise InvalidInput("text with a lone surrogate is not valid Unicode and cannot be stored") from error


def _cursor(token: str) -> tuple[datetime, str]:
    at, separator, last = token.partition(" ")
    try:
        return datetime.fromisoformat(at if separator else ""), last
    except ValueError:
        raise InvalidInput("the page token is not one that a page has given; start again without it") from None


def _look_at(entry: InboxEntry) -> datetime:
    return entry.look_at or entry.received_at


def _next(version: Version | None) -> Version:
    return int(version or 0) + 1


def _change(state: MemoryState, org: str, change: InboxChange) -> None:
    key = (org, change.id)
    state.inbox[key] = replace(
        state.inbox[key],
        status=change.status,
        case_id=change.case_id,
        reason=change.reason,
        look_at=change.look_at,
    )
