"""The one conditional write of a case, statement by statement; whoever calls it owns the transaction around it."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict
from typing import Final

from infra.local.inbox import change_entry
from infra.local.instants import to_micros, to_micros_or_none
from shared.case.canonical import canonical
from shared.errors import NotFound
from shared.ports.store import Bookkeeping, ChargeLedger, Episode, LoggedCommit, PreconditionFailed, Version, Write

_INSERT_CASE: Final = """
INSERT INTO cases (state, seq, head_hash, wake_at, generation, backoff, updated_at, body, org, id, version)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING RETURNING version"""
_UPDATE_CASE: Final = """
UPDATE cases SET state = ?, seq = ?, head_hash = ?, wake_at = ?, generation = ?, backoff = ?, updated_at = ?,
    body = ?, version = version + 1 WHERE org = ? AND id = ? AND version = ? RETURNING version"""


def apply(connection: sqlite3.Connection, write: Write, body: str) -> Version:
    """Carry out the batch; `body` is the case's text. Returns the case's new version.

    Raises PreconditionFailed for a stale case or ledger, and NotFound for an inbox entry that does not exist: trying
    again would not bring it about.
    """
    version = _put_case(connection, write, body)
    _put_commit(connection, write.org, write.commit)
    for change in write.inbox:
        if not change_entry(connection, write.org, change):
            raise NotFound(f"the inbox has no event {change.id} for this commit to settle")
    if write.ledger is not None:
        _put_ledger(connection, write.org, write.ledger)
    if write.episode is not None:
        _put_episode(connection, write.org, write.episode)
    return version


def change_bookkeeping(
    connection: sqlite3.Connection, org: str, case_id: str, expected: Version, bookkeeping: Bookkeeping
) -> bool:
    """Change when to look at the case again, if it is as expected. It gets a new version: one of two sweepers wins."""
    changed = connection.execute(
        """UPDATE cases SET wake_at = ?, generation = ?, backoff = ?, version = version + 1
        WHERE org = ? AND id = ? AND version = ?""",
        (
            to_micros_or_none(bookkeeping.wake_at),
            bookkeeping.generation,
            bookkeeping.backoff,
            org,
            case_id,
            expected,
        ),
    )
    return changed.rowcount == 1


def _put_case(connection: sqlite3.Connection, write: Write, body: str) -> Version:
    case, kept = write.case, write.bookkeeping
    row = (
        case.state.value,
        write.head.seq,
        write.head.hash,
        to_micros_or_none(kept.wake_at),
        kept.generation,
        kept.backoff,
        to_micros(case.updated_at),
        body,
        write.org,
        case.id,
    )
    if write.expected is None:
        done = connection.execute(_INSERT_CASE, row).fetchone()
    else:
        done = connection.execute(_UPDATE_CASE, (*row, write.expected)).fetchone()
    if done is None:
        raise PreconditionFailed(f"case {case.id} is not at version {write.expected}")
    version: int = done[0]
    return version


def _put_commit(connection: sqlite3.Connection, org: str, commit: LoggedCommit) -> None:
    done = connection.execute(
        """INSERT INTO commits (org, case_id, first_seq, commit_id, entries, hashes) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO NOTHING""",
        (
            org,
            commit.case_id,
            commit.first_seq,
            commit.commit_id,
            canonical(commit.entries),
            canonical(commit.hashes),
        ),
    )
    if done.rowcount != 1:
        raise PreconditionFailed(f"case {commit.case_id} has another commit at seq {commit.first_seq}")


def _put_ledger(connection: sqlite3.Connection, org: str, ledger: ChargeLedger) -> None:
    reservations = canonical([asdict(reservation) for reservation in ledger.reservations])
    key = (org, ledger.account or "", ledger.charge)
    if ledger.version is None:
        done = connection.execute(
            """INSERT INTO charges (reservations, org, account, charge, version) VALUES (?, ?, ?, ?, 1)
            ON CONFLICT DO NOTHING""",
            (reservations, *key),
        )
    else:
        done = connection.execute(
            """UPDATE charges SET reservations = ?, version = version + 1
            WHERE org = ? AND account = ? AND charge = ? AND version = ?""",
            (reservations, *key, ledger.version),
        )
    if done.rowcount != 1:
        raise PreconditionFailed(f"the ledger of charge {ledger.charge} is not at version {ledger.version}")


def _put_episode(connection: sqlite3.Connection, org: str, episode: Episode) -> None:
    connection.execute(
        """INSERT OR REPLACE INTO episodes
        (org, case_id, customer, decided_at, kind, decision, amount_minor, currency, outcome, rationale)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            org,
            episode.case_id,
            episode.customer,
            to_micros(episode.decided_at),
            episode.kind,
            episode.decision,
            episode.amount_minor,
            episode.currency,
            episode.outcome,
            episode.rationale,
        ),
    )
