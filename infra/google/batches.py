"""The one conditional write of a case, document by document."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from infra.google.documents import GONE, Batch
from infra.google.layout import TTL_FIELD, case_path, charge_path, commit_path, episode_path, inbox_path
from infra.google.texts import stored
from shared.case.canonical import canonical
from shared.ports.store import Bookkeeping, ChargeLedger, Episode, InboxChange, InboxStatus, Write
from shared.steps.budgets import INBOX_KEEP


def fill(batch: Batch, write: Write) -> None:
    """Put a write's documents into the batch: the case on its condition, the commit, and what holds with them."""
    case = write.case
    fields: dict[str, Any] = {
        "org": write.org,
        "state": case.state.value,
        "updated_at": case.updated_at,
        "seq": write.head.seq,
        "head_hash": write.head.hash,
        "body": stored(canonical(case), f"case {case.id}"),
    }
    if write.expected is None:
        kept = bookkeeping_fields(write.bookkeeping)
        batch.create(case_path(write.org, case.id), fields | {k: v for k, v in kept.items() if v is not GONE})
    else:
        fields |= bookkeeping_fields(write.bookkeeping)
        batch.change(case_path(write.org, case.id), fields, expected=write.expected)
    _put_commit(batch, write)
    for change in write.inbox:
        batch.change(inbox_path(write.org, change.id), inbox_fields(change, case.updated_at))
    if write.ledger is not None:
        _put_ledger(batch, write.org, write.ledger)
    if write.episode is not None:
        _put_episode(batch, write.org, write.episode)


def bookkeeping_fields(bookkeeping: Bookkeeping) -> dict[str, Any]:
    """The fields of a case that say when to look at it again. A case that nothing wakes is in no index of waking."""
    return {
        "wake_at": GONE if bookkeeping.wake_at is None else bookkeeping.wake_at,
        "generation": bookkeeping.generation,
        "backoff": bookkeeping.backoff,
    }


def inbox_fields(change: InboxChange, now: datetime) -> dict[str, Any]:
    """The fields of an inbox entry after a change. Only what is settled may ever expire."""
    received = change.status is InboxStatus.RECEIVED
    return {
        "status": change.status.value,
        "case_id": change.case_id,
        "reason": change.reason,
        "look_at": change.look_at,
        "open_until": change.look_at if received else GONE,
        "waits_for": change.case_id if received and change.case_id is not None else GONE,
        TTL_FIELD: GONE if received else now + INBOX_KEEP,
    }


def _put_commit(batch: Batch, write: Write) -> None:
    commit = write.commit
    fields = {
        "commit_id": commit.commit_id,
        "first_seq": commit.first_seq,
        "entries": stored(canonical(commit.entries), f"commit {commit.commit_id}"),
        "hashes": stored(canonical(commit.hashes), f"commit {commit.commit_id}"),
    }
    batch.create(commit_path(write.org, commit.case_id, commit.first_seq), fields)


def _put_ledger(batch: Batch, org: str, ledger: ChargeLedger) -> None:
    path = charge_path(org, ledger.account, ledger.charge)
    reservations = canonical([asdict(reservation) for reservation in ledger.reservations])
    fields = {
        "account": ledger.account,
        "charge": ledger.charge,
        "reservations": stored(reservations, f"the ledger of charge {ledger.charge}"),
    }
    if ledger.version is None:
        batch.create(path, fields)
    else:
        batch.change(path, fields, expected=ledger.version)


def _put_episode(batch: Batch, org: str, episode: Episode) -> None:
    fields = asdict(episode)
    fields["rationale"] = stored(episode.rationale, f"the episode of case {episode.case_id}")
    batch.put(episode_path(org, episode.case_id), fields)
