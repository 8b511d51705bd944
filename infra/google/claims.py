"""Claims on Firestore: who works on a piece of work until when. Implements shared.ports.store.Claims."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import Any, Final

from infra.google.documents import Batch, Document, Documents
from infra.google.faults import Absent, FirestoreUnavailable, Stale
from infra.google.layout import TTL_FIELD, claim_path
from shared.ports.store import Claim, Version

_RACES: Final = 10
_LINGERS: Final = timedelta(days=1)
"""How long an ended claim is kept before it may be deleted."""


class FirestoreClaims:
    """Claims that a create decides. Whoever holds one remembers its version, so that releasing it reads nothing."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._lock = threading.Lock()
        self._held: dict[tuple[str, str, str], Version] = {}

    def take(self, org: str, claim: Claim, now: datetime) -> Claim | None:
        """Take the claim if it is free, expired or of a lower order. Returns None when taken, else the live one."""
        path = claim_path(org, claim.key)
        batch = self._documents.batch()
        batch.create(path, _fields(claim))
        if self._taken(org, claim, batch):
            return None
        for _ in range(_RACES):
            found = self._documents.get(path)
            batch = self._documents.batch()
            if found is None:
                batch.create(path, _fields(claim))
            else:
                present = _claim(found)
                if present.owner == claim.owner:
                    return None  # our own, whose answer was lost
                if present.expires_at > now and (present.generation, present.retry) >= (claim.generation, claim.retry):
                    return present
                batch.change(path, _fields(claim), expected=found.version)
            if self._taken(org, claim, batch):
                return None
        raise FirestoreUnavailable("a claim is being taken by too many at once", after=1.0)

    def live(self, org: str, key: str, now: datetime) -> Claim | None:
        """The claim that is alive for this key."""
        found = self._documents.get(claim_path(org, key))
        claim = None if found is None else _claim(found)
        return claim if claim is not None and claim.expires_at > now else None

    def release(self, org: str, key: str, owner: str) -> None:
        """Give the claim back, if it is still ours."""
        path = claim_path(org, key)
        with self._lock:
            version = self._held.pop((org, key, owner), None)
        if version is None:
            found = self._documents.get(path)
            if found is None or found.fields["owner"] != owner:
                return
            version = found.version
        batch = self._documents.batch()
        batch.delete(path, expected=version)
        try:
            self._documents.commit(batch)
        except (Stale, Absent):
            return  # somebody has taken it over, or it is gone

    def _taken(self, org: str, claim: Claim, batch: Batch) -> bool:
        try:
            written = self._documents.commit(batch)
        except (Stale, Absent):
            return False
        version = written[0].version
        if version is not None:
            with self._lock:
                self._held[org, claim.key, claim.owner] = version
        return True


def _fields(claim: Claim) -> dict[str, Any]:
    return {
        "key": claim.key,
        "owner": claim.owner,
        "generation": claim.generation,
        "retry": claim.retry,
        "expires_at": claim.expires_at,
        TTL_FIELD: claim.expires_at + _LINGERS,
    }


def _claim(document: Document) -> Claim:
    fields = document.fields
    expires_at = document.instant("expires_at")
    assert expires_at is not None
    return Claim(fields["key"], fields["owner"], fields["generation"], fields["retry"], expires_at)
