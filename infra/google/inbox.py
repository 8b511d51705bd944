"""Events as they arrived, on Firestore: implements shared.ports.store.Inbox."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from infra.google.batches import inbox_fields
from infra.google.documents import END_OF_TIME, GONE, Document, Documents
from infra.google.faults import Absent, FirestoreUnavailable, Stale
from infra.google.layout import (
    INBOX,
    INBOX_BY_STATUS,
    INBOX_OPEN,
    INBOX_UNSETTLED,
    INBOX_WAITING,
    TTL_FIELD,
    inbox_path,
    org_path,
)
from infra.google.texts import restored, stored
from shared.errors import NotFound
from shared.ports import Clock
from shared.ports.store import InboxChange, InboxEntry, InboxStatus

_RACES: Final = 5


class FirestoreInbox:
    """The inbox on Firestore."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._documents = documents
        self._clock = clock

    def put(self, entry: InboxEntry) -> bool:
        """Store an event once, durably, before answering. False: it was already there and is unchanged."""
        became = InboxChange(entry.id, entry.status, entry.case_id, entry.reason, entry.look_at)
        fields: dict[str, Any] = {
            "org": entry.org,
            "id": entry.id,
            "type": entry.type,
            "received_at": entry.received_at,
            "body": stored(entry.body, f"event {entry.id}"),
            "expires_at": entry.expires_at,
            **inbox_fields(became, self._clock.now()),
        }
        if entry.status is not InboxStatus.RECEIVED:
            fields[TTL_FIELD] = entry.expires_at
        batch = self._documents.batch()
        path = inbox_path(entry.org, entry.id)
        batch.create(path, {name: value for name, value in fields.items() if value is not GONE})
        try:
            self._documents.commit(batch)
        except Stale:
            return False
        return True

    def get(self, org: str, entry_id: str) -> InboxEntry | None:
        """An entry by the sender's event id."""
        found = self._documents.get(inbox_path(org, entry_id))
        return None if found is None else _entry(found)

    def settle(self, org: str, change: InboxChange) -> None:
        """Change an entry that causes no commit: ignored, quarantined, or received and waiting for a case.

        An entry that a commit has attached stays attached: a late duplicate must not undo what a case rests on. Nor
        does looking at an entry again reopen one that was settled meanwhile. Raises NotFound when there is no such
        entry.
        """
        path = inbox_path(org, change.id)
        for _ in range(_RACES):
            found = self._documents.get(path)
            if found is None:
                raise NotFound(f"the inbox has no event {change.id}")
            status = found.fields["status"]
            reopens = change.status is InboxStatus.RECEIVED and status != InboxStatus.RECEIVED
            if status == InboxStatus.ATTACHED or reopens:
                return
            batch = self._documents.batch()
            batch.change(path, inbox_fields(change, self._clock.now()), expected=found.version)
            try:
                self._documents.commit(batch)
            except (Stale, Absent):
                continue
            return
        raise FirestoreUnavailable(f"event {change.id} is being settled by too many at once", after=1.0)

    def waiting_for(self, org: str, case_id: str) -> Sequence[InboxEntry]:
        """Entries still received that wait for this case to be opened, in the order they arrived."""
        found = self._documents.find(INBOX_WAITING, org_path(org), equal=(case_id,))
        return tuple(sorted(map(_entry, found), key=lambda entry: entry.received_at))

    def unsettled(self, now: datetime | None, limit: int) -> Sequence[InboxEntry]:
        """Entries of every org still received whose `look_at` has come, earliest first; `now` None: all received."""
        if now is None:
            return tuple(map(_entry, self._documents.find(INBOX_OPEN, limit=limit)))
        return tuple(map(_entry, self._documents.find(INBOX_UNSETTLED, up_to=now, limit=limit)))

    def next_look(self) -> datetime | None:
        """The earliest `look_at` of any entry still received; None when none waits."""
        found = self._documents.find(INBOX_UNSETTLED, up_to=END_OF_TIME, limit=1)
        return found[0].instant("look_at") if found else None

    def list_entries(self, org: str, status: InboxStatus | None = None, limit: int = 200) -> Sequence[InboxEntry]:
        """Entries of an org, oldest first."""
        if status is None:
            found = self._documents.find(INBOX, org_path(org), limit=limit)
        else:
            found = self._documents.find(INBOX_BY_STATUS, org_path(org), equal=(status.value,), limit=limit)
        return tuple(map(_entry, found))


def _entry(document: Document) -> InboxEntry:
    fields = document.fields
    received_at = document.instant("received_at")
    assert received_at is not None
    return InboxEntry(
        org=document.path[1],
        id=fields["id"],
        type=fields["type"],
        received_at=received_at,
        body=restored(fields["body"]),
        status=InboxStatus(fields["status"]),
        case_id=fields["case_id"],
        reason=fields["reason"],
        expires_at=document.instant("expires_at"),
        look_at=document.instant("look_at"),
    )
