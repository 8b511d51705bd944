"""Where cases live. Adapters give reads, one conditional atomic write, and a few queries; the core does the rest.

Every method is scoped to an org: an adapter must not be able to return another org's data.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from shared.case.case import Case
from shared.case.evidence import EvidenceRow, Report


class PreconditionFailed(Exception):
    """The case (or the charge's ledger) is not what it was when it was read; nothing was written.

    Not a ManthanError: it never leaves the commit loop, which reads again and decides again.
    """


Version = int | str
"""An adapter's opaque token for one stored state of a document."""


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """When to look at a case again. Outside the fold and the hash: losing it costs time, never truth."""

    wake_at: datetime | None
    generation: int = 0
    """Raised by the sweeper, so that a re-sent task gets a name that was never used."""
    backoff: int = 0
    """How many sweeps in a row found nothing moving."""


@dataclass(frozen=True, slots=True)
class Head:
    """The end of the case's chain: the seq the next event gets, and the hash of the last one."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """A case as stored."""

    case: Case
    version: Version
    head: Head
    bookkeeping: Bookkeeping


@dataclass(frozen=True, slots=True)
class LoggedCommit:
    """One document of the log: the canonical text of each of a commit's entries, with each entry's hash."""

    case_id: str
    commit_id: str
    first_seq: int
    entries: tuple[str, ...]
    hashes: tuple[str, ...]


class InboxStatus(StrEnum):
    """What became of an event that arrived."""

    RECEIVED = "received"
    ATTACHED = "attached"
    IGNORED = "ignored"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class InboxEntry:
    """An event as it arrived: stored once, before we answer, and kept longer than anything can redeliver it."""

    org: str
    id: str
    """The sender's event id."""
    type: str
    received_at: datetime
    body: str
    """The JSON text as it was verified."""
    status: InboxStatus = InboxStatus.RECEIVED
    case_id: str | None = None
    """The case it is attached to or, while received, the case it waits for."""
    reason: str = ""
    expires_at: datetime | None = None
    look_at: datetime | None = None
    """While received: when the sweeper looks at it again, if nobody has taken it up by then."""


@dataclass(frozen=True, slots=True)
class InboxChange:
    """What becomes of an entry in the same batch as the commit it causes."""

    id: str
    status: InboxStatus
    case_id: str | None = None
    reason: str = ""
    look_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """Money that an action is about to take from a charge, or has taken."""

    case_id: str
    action_id: str
    amount_minor: int
    paid: bool = False
    external_ref: str | None = None


@dataclass(frozen=True, slots=True)
class ChargeLedger:
    """What all our cases together reserved on and paid from one charge. `version` None: nothing stored yet."""

    account: str | None
    charge: str
    reservations: tuple[Reservation, ...] = ()
    version: Version | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """What we remember of a finished case: about whom, what we decided and why, and how it ended."""

    case_id: str
    customer: str
    kind: str
    decision: str
    amount_minor: int | None
    currency: str | None
    outcome: str
    decided_at: datetime
    rationale: str


@dataclass(frozen=True, slots=True)
class Write:
    """One atomic batch: all of it holds, or none of it. `expected` None means that the case must not exist yet.

    A batch whose `ledger.version` is stale fails as a whole, like a stale case.
    """

    org: str
    case: Case
    expected: Version | None
    commit: LoggedCommit
    head: Head
    bookkeeping: Bookkeeping
    inbox: tuple[InboxChange, ...] = ()
    ledger: ChargeLedger | None = None
    episode: Episode | None = None


@dataclass(frozen=True, slots=True)
class CaseQuery:
    """Which cases to list: by state, newest change first; `after` continues a page."""

    states: tuple[str, ...] = ()
    limit: int = 50
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of cases; `next` is None on the last one."""

    cases: tuple[Case, ...] = field(default_factory=tuple)
    next: str | None = None


class CaseStore(Protocol):
    """Cases, their log, their reports, the ledger of charges, and memory."""

    def read(self, org: str, case_id: str) -> CaseRecord | None:
        """The case as it stands; strongly consistent."""
        ...

    def write(self, write: Write) -> Version:
        """Apply the batch: the case's version from now on.

        Raises PreconditionFailed and changes nothing when what it expects does not hold.
        """
        ...

    def commit_at(self, org: str, case_id: str, first_seq: int) -> LoggedCommit | None:
        """The commit whose first event has this seq: how a lost acknowledgement is recognised."""
        ...

    def log(self, org: str, case_id: str) -> Iterator[LoggedCommit]:
        """All commits of a case in order."""
        ...

    def put_chunk(self, org: str, case_id: str, sha256: str, rows: Sequence[EvidenceRow], expires_at: datetime) -> None:
        """Store bulk rows under their content's hash; storing the same again changes nothing."""
        ...

    def read_chunk(self, org: str, case_id: str, sha256: str) -> Sequence[EvidenceRow] | None:
        """The rows of a chunk."""
        ...

    def put_texts(self, org: str, case_id: str, texts: Mapping[str, str]) -> None:
        """Store texts under the hash of each (texts.py), in one go, to stay; storing the same again changes nothing."""
        ...

    def read_texts(self, org: str, case_id: str, hashes: Collection[str]) -> Mapping[str, str]:
        """Those of these texts that are stored, by hash; one that was erased is left out."""
        ...

    def create_report(self, org: str, case_id: str, report: Report) -> int | None:
        """Create the report of its round and specialist if absent: how many reports the round has now, with this one.

        None: another one stands, and stays; it may be this very one, created by a call whose answer was lost. Of
        reports created at the same time, whoever is told the highest number was the last.
        """
        ...

    def reports(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """The reports of a round that exist by now; strongly consistent."""
        ...

    def report_heads(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """As `reports`, but with no rows in them: for whoever asks how they ended, not what was found."""
        ...

    def due(self, org: str | None, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        """(org, case id) of cases whose wake_at has come, oldest first. `org` None: of all orgs."""
        ...

    def next_wake(self) -> datetime | None:
        """The earliest wake_at of any case; None when nothing waits."""
        ...

    def set_bookkeeping(self, org: str, case_id: str, expected: Version, bookkeeping: Bookkeeping) -> bool:
        """Change only the bookkeeping, if the case has not changed since. False: it has."""
        ...

    def list_cases(self, org: str, query: CaseQuery) -> Page:
        """Cases of an org, latest change first."""
        ...

    def read_ledger(self, org: str, account: str | None, charge: str) -> ChargeLedger:
        """The ledger of a charge; an empty one with version None when nothing is stored."""
        ...

    def episodes(self, org: str, customer: str, limit: int = 20) -> Sequence[Episode]:
        """What we remember about a customer, latest first."""
        ...


class Inbox(Protocol):
    """Events as they arrived."""

    def put(self, entry: InboxEntry) -> bool:
        """Store an event once, durably, before answering. False: it was already there and is unchanged."""
        ...

    def get(self, org: str, entry_id: str) -> InboxEntry | None:
        """An entry by the sender's event id."""
        ...

    def settle(self, org: str, change: InboxChange) -> None:
        """Change an entry that causes no commit: ignored, quarantined, or received and waiting for a case."""
        ...

    def waiting_for(self, org: str, case_id: str) -> Sequence[InboxEntry]:
        """Entries still received that wait for this case to be opened, in the order they arrived."""
        ...

    def unsettled(self, now: datetime | None, limit: int) -> Sequence[InboxEntry]:
        """Entries of every org still received whose `look_at` has come, earliest first; `now` None: all received."""
        ...

    def list_entries(self, org: str, status: InboxStatus | None = None, limit: int = 200) -> Sequence[InboxEntry]:
        """Entries of an org, oldest first."""
        ...


@dataclass(frozen=True, slots=True)
class Claim:
    """Who works on a piece of work until when; ordered by (generation, retry)."""

    key: str
    owner: str
    generation: int
    retry: int
    expires_at: datetime


class Claims(Protocol):
    """Claims keep a duplicate delivery from paying twice for the same model call; correctness does not rest on them."""

    def take(self, org: str, claim: Claim, now: datetime) -> Claim | None:
        """Take the claim if it is free, expired or of a lower order. Returns None when taken, else the live one."""
        ...

    def live(self, org: str, key: str, now: datetime) -> Claim | None:
        """The claim that is alive for this key."""
        ...

    def release(self, org: str, key: str, owner: str) -> None:
        """Give the claim back, if it is still ours."""
        ...
