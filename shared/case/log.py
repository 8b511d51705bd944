"""The hash chain over a case's events: how entries are written, and how the log is verified on its own.

Every entry's canonical text is stored as it was hashed and contains the hash of the entry before it; the first one
chains to a hash of the case's identity. This detects edits, removals and reordering; only an anchor outside the store
would detect a log that was rewritten as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from shared.case.canonical import canonical, sha256
from shared.case.case import Case
from shared.case.events import Entry, Event
from shared.case.evolve import evolve
from shared.errors import ManthanError


@dataclass(frozen=True, slots=True)
class Chained:
    """Entries ready to be stored, and the hash of the last one."""

    entries: tuple[str, ...]
    hashes: tuple[str, ...]
    head: str


def genesis(org: str, case_id: str) -> str:
    """What the first entry chains to: the case's identity, so that one case's log cannot pass for another's."""
    return sha256(f"manthan case log, schema 1: {len(org)}:{org}{case_id}")


def chain(
    events: Sequence[Event], *, first_seq: int, head: str, at: datetime, actor: str, trace: str, commit_id: str
) -> Chained:
    """Write down events as entries that continue the chain at `head`."""
    entries, hashes = [], []
    for offset, event in enumerate(events):
        entry = Entry(
            seq=first_seq + offset, at=at, actor=actor, trace=trace, commit=commit_id, event=event, prev_hash=head
        )
        text = canonical(entry)
        head = sha256(text)
        entries.append(text)
        hashes.append(head)
    return Chained(tuple(entries), tuple(hashes), head)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """One entry as the store returned it."""

    text: str
    hash: str


@dataclass(slots=True)
class Verification:
    """What reading a log again has shown. `case` is the fold of its events as far as they could be read."""

    events: int
    head: str
    case: Case | None
    problems: list[str]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.problems


def verify(entries: Iterable[StoredEntry], *, org: str, case_id: str) -> Verification:
    """Check every hash, the chain, gapless seq and time, and fold the events. Never raises for a broken log."""
    result = Verification(events=0, head=genesis(org, case_id), case=None, problems=[])
    last_at: datetime | None = None
    for expected_seq, stored in enumerate(entries):
        where = f"entry {expected_seq}"
        if sha256(stored.text) != stored.hash:
            result.problems.append(f"{where}: its text does not match its hash")
        try:
            entry = Entry.model_validate_json(stored.text)
        except ValidationError:
            result.problems.append(f"{where}: its text is not a readable entry")
            result.head = stored.hash
            continue
        last_at = _check_place(entry, expected_seq, last_at, result)
        _fold(entry, where, result)
        result.head = stored.hash
        result.events += 1
    return result


def _check_place(entry: Entry, expected_seq: int, last_at: datetime | None, result: Verification) -> datetime:
    where = f"entry {expected_seq}"
    if entry.seq != expected_seq:
        result.problems.append(f"{where}: its seq is {entry.seq}: an entry was removed, added or moved")
    if entry.prev_hash != result.head:
        result.problems.append(f"{where}: it does not chain to the entry before it")
    if last_at is not None and entry.at < last_at:
        result.problems.append(f"{where}: it is dated before the entry before it")
    return max(entry.at, last_at) if last_at is not None else entry.at


def _fold(entry: Entry, where: str, result: Verification) -> None:
    try:
        result.case = evolve(result.case, entry.event, entry.at)
    except ManthanError as error:
        result.problems.append(f"{where}: it cannot follow what came before ({error})")


def compare_state(verification: Verification, stored: Case) -> list[str]:
    """Problems between the stored case and the fold of its log."""
    folded = verification.case
    if folded is None:
        return ["the log holds no case"]
    if canonical(folded) == canonical(stored):
        return []
    left, right = folded.model_dump(mode="json"), stored.model_dump(mode="json")
    names = sorted(name for name in left if left[name] != right[name])
    return [f"the stored case differs from the fold of its log in: {', '.join(names)}"]
