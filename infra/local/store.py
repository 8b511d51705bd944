"""The embedded case store: shared.ports.store.CaseStore on one SQLite file."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from infra.local import batch, reports
from infra.local.database import Database
from infra.local.instants import from_micros, from_micros_or_none, to_micros
from shared.case.canonical import canonical
from shared.case.case import Case
from shared.case.evidence import EvidenceRow, Report
from shared.errors import InvalidInput
from shared.ports.store import (
    Bookkeeping,
    CaseQuery,
    CaseRecord,
    ChargeLedger,
    Episode,
    Head,
    LoggedCommit,
    Page,
    Reservation,
    Version,
    Write,
)

_CASE: Final = """
SELECT body, version, seq, head_hash, wake_at, generation, backoff FROM cases WHERE org = ? AND id = ?"""
_COMMITS: Final = """
SELECT case_id, commit_id, first_seq, entries, hashes FROM commits WHERE org = ? AND case_id = ?"""
_DUE: Final = """
SELECT org, id FROM cases WHERE wake_at <= :now AND (:org IS NULL OR org = :org)
ORDER BY wake_at, org, id LIMIT :limit"""
_LIST: Final = """
SELECT updated_at, id, body FROM cases
WHERE org = :org AND (updated_at, id) < (:before, :before_id)
    AND (:any_state OR state IN (SELECT value FROM json_each(:states)))
ORDER BY updated_at DESC, id DESC LIMIT :limit"""
_EPISODES: Final = """
SELECT case_id, customer, kind, decision, amount_minor, currency, outcome, decided_at, rationale FROM episodes
WHERE org = ? AND customer = ? ORDER BY decided_at DESC, case_id DESC LIMIT ?"""
_END_OF_TIME: Final = 2**63 - 1


class SqliteStore:
    """Cases, their log, their reports, the ledger of charges, and memory; every write is durable when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, org: str, case_id: str) -> CaseRecord | None:
        """The case as it stands; strongly consistent."""
        found = self._database.read(lambda connection: connection.execute(_CASE, (org, case_id)).fetchone())
        if found is None:
            return None
        body, version, seq, head_hash, wake_at, generation, backoff = found
        return CaseRecord(
            case=Case.model_validate_json(body),
            version=version,
            head=Head(seq, head_hash),
            bookkeeping=Bookkeeping(from_micros_or_none(wake_at), generation, backoff),
        )

    def write(self, write: Write) -> Version:
        """Apply the batch: the case's new version.

        Raises PreconditionFailed and changes nothing when what it expects does not hold, and NotFound when it settles
        an inbox entry that does not exist.
        """
        if write.case.org != write.org or write.commit.case_id != write.case.id:
            raise InvalidInput(f"the batch for case {write.case.id} mixes orgs or cases")
        body = canonical(write.case)
        return self._database.write(lambda connection: batch.apply(connection, write, body))

    def commit_at(self, org: str, case_id: str, first_seq: int) -> LoggedCommit | None:
        """The commit whose first event has this seq: how a lost acknowledgement is recognised."""
        found = self._database.read(
            lambda connection: connection.execute(f"{_COMMITS} AND first_seq = ?", (org, case_id, first_seq)).fetchone()
        )
        return None if found is None else _commit(found)

    def log(self, org: str, case_id: str) -> Iterator[LoggedCommit]:
        """All commits of a case in order, as of the moment of the call."""
        found = self._database.read(
            lambda connection: connection.execute(f"{_COMMITS} ORDER BY first_seq", (org, case_id)).fetchall()
        )
        return map(_commit, found)

    def put_chunk(self, org: str, case_id: str, sha256: str, rows: Sequence[EvidenceRow], expires_at: datetime) -> None:
        """Store bulk rows under their content's hash; storing the same again changes nothing.

        Not flushed on its own: the report that points to it is, and takes everything before it along.
        """
        body = reports.rows_text(rows)
        self._database.write(
            lambda connection: reports.put_chunk(connection, org, case_id, sha256, body, expires_at), durable=False
        )

    def read_chunk(self, org: str, case_id: str, sha256: str) -> Sequence[EvidenceRow] | None:
        """The rows of a chunk."""
        return self._database.read(lambda connection: reports.read_chunk(connection, org, case_id, sha256))

    def put_texts(self, org: str, case_id: str, texts: Mapping[str, str]) -> None:
        """Store texts under the hash of each, to stay; storing the same again changes nothing.

        Not flushed on its own: the commit that refers to them is. Raises InvalidInput for what is not valid Unicode.
        """
        for text in texts.values():
            reports.check_text(text)
        self._database.write(lambda connection: reports.put_texts(connection, org, case_id, texts), durable=False)

    def read_texts(self, org: str, case_id: str, hashes: Collection[str]) -> Mapping[str, str]:
        """Those of these texts that are stored, by hash."""
        return self._database.read(lambda connection: reports.read_texts(connection, org, case_id, hashes))

    def create_report(self, org: str, case_id: str, report: Report) -> int | None:
        """Create the report of its round and specialist if absent: how many its round has now. None: another stands.

        The chunks it names no longer expire. Raises NotFound, and changes nothing, when one of them is not stored.
        """
        body = reports.report_text(report)
        return self._database.write(lambda connection: reports.create_report(connection, org, case_id, report, body))

    def reports(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """The reports of a round that exist by now; strongly consistent."""
        return self._database.read(lambda connection: reports.reports_of(connection, org, case_id, round_number))

    def report_heads(self, org: str, case_id: str, round_number: int) -> Sequence[Report]:
        """As `reports`, but with no rows in them."""
        return self._database.read(lambda connection: reports.heads_of(connection, org, case_id, round_number))

    def due(self, org: str | None, now: datetime, limit: int) -> Sequence[tuple[str, str]]:
        """(org, case id) of cases whose wake_at has come, oldest first. `org` None: of all orgs."""
        values = {"org": org, "now": to_micros(now), "limit": limit}
        found: list[tuple[str, str]] = self._database.read(
            lambda connection: connection.execute(_DUE, values).fetchall()
        )
        return tuple(found)

    def next_wake(self) -> datetime | None:
        """The earliest wake_at of any case; None when nothing waits."""
        statement = "SELECT min(wake_at) FROM cases WHERE wake_at IS NOT NULL"
        found: int | None = self._database.read(lambda connection: connection.execute(statement).fetchone()[0])
        return from_micros_or_none(found)

    def set_bookkeeping(self, org: str, case_id: str, expected: Version, bookkeeping: Bookkeeping) -> bool:
        """Change only the bookkeeping, if the case has not changed since. False: it has.

        Not flushed on its own: losing it costs time, never truth.
        """
        return self._database.write(
            lambda connection: batch.change_bookkeeping(connection, org, case_id, expected, bookkeeping), durable=False
        )

    def list_cases(self, org: str, query: CaseQuery) -> Page:
        """Cases of an org, latest change first.

        A page goes on from the instant of the last case shown: what changes meanwhile moves to the front and is not
        shown twice; everything else is shown exactly once.
        """
        before, before_id = _cursor(query.after)
        values = {
            "org": org,
            "before": before,
            "before_id": before_id,
            "any_state": not query.states,
            "states": json.dumps(query.states),
            "limit": query.limit + 1,
        }
        found = self._database.read(lambda connection: connection.execute(_LIST, values).fetchall())
        shown = found[: query.limit]
        more = f"{shown[-1][0]}:{shown[-1][1]}" if shown and len(found) > len(shown) else None
        return Page(cases=tuple(Case.model_validate_json(body) for _, _, body in shown), next=more)

    def read_ledger(self, org: str, account: str | None, charge: str) -> ChargeLedger:
        """The ledger of a charge; an empty one with version None when nothing is stored."""
        found = self._database.read(
            lambda connection: connection.execute(
                "SELECT reservations, version FROM charges WHERE org = ? AND account = ? AND charge = ?",
                (org, account or "", charge),
            ).fetchone()
        )
        if found is None:
            return ChargeLedger(account, charge)
        return ChargeLedger(account, charge, tuple(Reservation(**item) for item in json.loads(found[0])), found[1])

    def episodes(self, org: str, customer: str, limit: int = 20) -> Sequence[Episode]:
        """What we remember about a customer, latest first."""
        found = self._database.read(lambda connection: connection.execute(_EPISODES, (org, customer, limit)).fetchall())
        return tuple(_episode(row) for row in found)

    def purge_expired(self, now: datetime) -> int:
        """Delete chunks that no report has claimed by their expiry; how many there were."""
        return self._database.write(lambda connection: reports.purge_chunks(connection, now), durable=False)


def _commit(row: tuple[str, str, int, str, str]) -> LoggedCommit:
    case_id, commit_id, first_seq, entries, hashes = row
    return LoggedCommit(case_id, commit_id, first_seq, tuple(json.loads(entries)), tuple(json.loads(hashes)))


def _episode(row: tuple[str, str, str, str, int | None, str | None, str, int, str]) -> Episode:
    case_id, customer, kind, decision, amount_minor, currency, outcome, decided_at, rationale = row
    return Episode(
        case_id=case_id,
        customer=customer,
        kind=kind,
        decision=decision,
        amount_minor=amount_minor,
        currency=currency,
        outcome=outcome,
        decided_at=from_micros(decided_at),
        rationale=rationale,
    )


def _cursor(after: str | None) -> tuple[int, str]:
    if after is None:
        return _END_OF_TIME, ""
    micros, separator, case_id = after.partition(":")
    if not separator or not micros.isdecimal() or len(micros) > 18:
        raise InvalidInput("the page token is not one that a page has given; start again without it")
    return int(micros), case_id
