"""The case store on Firestore: implements shared.ports.store.CaseStore."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from infra.google import ledgers, reports, wording
from infra.google.batches import bookkeeping_fields, fill
from infra.google.documents import END_OF_TIME, Document, Documents
from infra.google.faults import Absent, Stale
from infra.google.layout import (
    CASES,
    CASES_BY_STATE,
    CASES_DUE,
    CASES_DUE_OF_ORG,
    COMMITS,
    EPISODES,
    NEXT_WAKE,
    case_path,
    charge_path,
    commit_path,
    inbox_path,
    org_path,
)
from infra.google.texts import restored
from shared.case.case import Case
from shared.case.evidence import EvidenceRow, Report
from shared.errors import InvalidInput, NotFound
from shared.ports.store import (
    Bookkeeping,
    CaseQuery,
    CaseRecord,
    ChargeLedger,
    Episode,
    Head,
    LoggedCommit,
    Page,
    PreconditionFailed,
    Version,
    Write,
)

_COMMITS_PER_CALL: Final = 50


class FirestoreStore:
    """Cases, their log, their reports, the ledger of charges, and memory; every write is durable when it returns."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def read(self, org: str, case_id: str) -> CaseRecord | None:
        """The case as it stands; strongly consistent."""
        found = self._documents.get(case_path(org, case_id))
        if found is None:
            return None
        fields = found.fields
        return CaseRecord(
            case=Case.model_validate_json(restored(fields["body"])),
            version=found.version,
            head=Head(fields["seq"], fields["head_hash"]),
            bookkeeping=Bookkeeping(found.instant("wake_at"), fields["generation"], fields["backoff"]),
        )

    def write(self, write: Write) -> Version:
        """Apply the batch: the case's new version.

        Raises PreconditionFailed and changes nothing when what it expects does not hold, and NotFound when it settles
        an inbox entry that does not exist. It may be sent again after a lost answer, and then fail because of its own
        success: the commit's id tells.
        """
        if write.case.org != write.org or write.commit.case_id != write.case.id:
            raise InvalidInput(f"the batch for case {write.case.id} mixes orgs or cases")
        batch = self._documents.batch()
        fill(batch, write)
        try:
            written = self._documents.commit(batch)
        except Stale as error:
            raise PreconditionFailed(f"case {write.case.id} is not at version {write.expected}") from error
        except Absent as error:
            self._require_inbox(write)
            raise PreconditionFailed(f"case {write.case.id} or its charge's ledger does not exist") from error
        version = written[0].version
        assert version is not None
        return version

    def _require_inbox(self, write: Write) -> None:
        """Of a batch that changes what is not there: an entry of the inbox that is missing will not come about."""
        if not write.inbox:
            return
        entries = self._documents.get_all(*(inbox_path(write.org, change.id) for change in write.inbox))
        for change, entry in zip(write.inbox, entries, strict=True):
            if entry is None:
                raise NotFound(f"the inbox has no event {change.id} for this commit to settle")

    def commit_at(self, org: str, case_id: str, first_seq: int) -> LoggedCommit | None:
        """The commit whose first event has this seq: how a lost acknowledgement is recognised."""
        found = self._documents.get(commit_path(org, case_id, first_seq))
        return None if found is None else _commit(case_id, found)

    def log(self, org: str, case_id: str) -> Iterator[LoggedCommit]:
        """All commits of a case in order, a bounded number at a time."""
        after: tuple[tuple[str, ...], ...] = ()
        while True:
            found = self._documents.find(COMMITS, case_path(org, case_id), after=after, limit=_COMMITS_PER_CALL)
            for document in found:
                yield _commit(case_id, document)
            if len(found) < _COMMITS_PER_CALL:
                return
            after = (found[-1].path,)

    def put_chunk(self, org: str, case_id: str, sha256: str, rows: Sequence[EvidenceRow], expires_at: datetime) -> None:
        """Store bulk rows under their content's hash; storing the same again changes nothing."""
        reports.put_chunk(self._documents, org, case_id, sha256, rows, expires_at)

    def read_chunk(self, org: str, case_id: str, sha256: str) -> Sequence[EvidenceRow] | None:
        """The rows of a chunk."""
        return reports.read_chunk(self._documents, org, case_id, sha256)

    def put_texts(self, org: str, case_id: str, texts: Mapping[str, str]) -> None:
        """Store texts under the hash of each, to stay; storing the same again changes nothing."""
        wording.put_texts(self._documents, org, case_id, texts)

    def read_texts(self, org: str, case_id: str, hashes: Collection[str]) -> Mapping[str, str]:
        """Those of these texts that are stored, by hash."""
        return wording.read_texts(self._documents, org, case_id, hashes)

    def create_report(self, org: str, case_id: str, report: Report) -> int | None:
        """Create the report of its round and specialist if absent: how many its round has now. None: another stands.

        The chunks it names no longer expire. Raises NotFound, and changes nothing, when one of them is not stored.
        """
        return reports.create_report(self._documents, org, case_id, report)

    def reports(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """The reports of a round that exist by now; strongly consistent."""
        return reports.reports_of(self._documents, org, case_id, round_number)

    def report_heads(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """As `reports`, but with no rows in them."""
        return reports.heads_of(self._documents, org, case_id, round_number)

    def due(self, org: str | None, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        """(org, case id) of cases whose wake_at has come, oldest first. `org` None: of all orgs."""
        if org is None:
            found = self._documents.find(CASES_DUE, up_to=now, limit=limit)
        else:
            found = self._documents.find(CASES_DUE_OF_ORG, org_path(org), up_to=now, limit=limit)
        return tuple((document.path[1], document.path[3]) for document in found)

    def next_wake(self) -> datetime | None:
        """The earliest wake_at of any case; None when nothing waits."""
        found = self._documents.find(NEXT_WAKE, up_to=END_OF_TIME, limit=1)
        return found[0].instant("wake_at") if found else None

    def set_bookkeeping(self, org: str, case_id: str, expected: Version, bookkeeping: Bookkeeping) -> bool:
        """Change only the bookkeeping, if the case has not changed since. False: it has."""
        batch = self._documents.batch()
        batch.change(case_path(org, case_id), bookkeeping_fields(bookkeeping), expected=expected)
        try:
            self._documents.commit(batch)
        except (Stale, Absent):
            return False
        return True

    def list_cases(self, org: str, query: CaseQuery) -> Page:
        """Cases of an org, latest change first.

        A page goes on from the instant of the last case shown: what changes meanwhile moves to the front and is not
        shown twice; everything else is shown exactly once.
        """
        found = self._documents.find(
            CASES_BY_STATE if query.states else CASES,
            org_path(org),
            any_of=query.states,
            after=() if query.after is None else _cursor(org, query.after),
            limit=query.limit + 1,
        )
        shown = found[: query.limit]
        cases = tuple(Case.model_validate_json(restored(document.fields["body"])) for document in shown)
        more = f"{cases[-1].updated_at.isoformat()}|{cases[-1].id}" if shown and len(found) > len(shown) else None
        return Page(cases=cases, next=more)

    def read_ledger(self, org: str, account: str | None, charge: str) -> ChargeLedger:
        """The ledger of a charge; an empty one with version None when nothing is stored."""
        return ledgers.ledger(account, charge, self._documents.get(charge_path(org, account, charge)))

    def episodes(self, org: str, customer: str, limit: int = 20) -> Sequence[Episode]:
        """What we remember about a customer, latest first."""
        found = self._documents.find(EPISODES, org_path(org), equal=(customer,), limit=limit)
        return tuple(ledgers.episode(document) for document in found)


def _commit(case_id: str, document: Document) -> LoggedCommit:
    fields = document.fields
    entries, hashes = json.loads(restored(fields["entries"])), json.loads(restored(fields["hashes"]))
    return LoggedCommit(case_id, fields["commit_id"], fields["first_seq"], tuple(entries), tuple(hashes))


def _cursor(org: str, after: str) -> tuple[datetime, tuple[str, ...]]:
    instant, separator, case_id = after.partition("|")
    try:
        moment = datetime.fromisoformat(instant)
    except ValueError:
        moment = None
    if moment is not None and moment.tzinfo is not None and separator:
        return moment, case_path(org, case_id)
    raise InvalidInput("the page token is not one that a page has given; start again without it")
