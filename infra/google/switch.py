"""The kill switch: one document that every process reads, so that a check is one read whatever it stops."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from infra.google.documents import GONE, Documents
from infra.google.layout import EFFECTS_PATH
from shared.case.canonical import short_hash
from shared.ports import Clock
from shared.ports.effects import Stop

_EVERY_ORG: Final = "every_org"


class FirestoreSwitch:
    """The kill switch on Firestore, per org and for all of them; implements shared.ports.effects.Switch."""

    def __init__(self, documents: Documents, clock: Clock) -> None:
        self._documents = documents
        self._clock = clock

    def effects_stopped(self, org: str) -> bool:
        """Whether effects are stopped for this org or for all, read fresh."""
        return self.status(org) is not None

    def status(self, org: str | None) -> Stop | None:
        """The stop that holds for this org, its own before the one for all; None while effects may happen."""
        found = self._documents.get(EFFECTS_PATH)
        stops: dict[str, dict[str, Any]] = found.fields.get("stops", {}) if found else {}
        stop = stops.get(_key(org)) or stops.get(_EVERY_ORG)
        if stop is None:
            return None
        return Stop(org=stop["org"], by=stop["by"], reason=stop["reason"], at=datetime.fromisoformat(stop["at"]))

    def stop(self, org: str | None, *, by: str, reason: str = "") -> None:
        """Stop effects of an org, or of all; durable when it returns."""
        stop = {"org": org, "by": " ".join(by.split()), "reason": reason, "at": self._clock.now().isoformat()}
        batch = self._documents.batch()
        batch.put(EFFECTS_PATH, {"stops": {_key(org): stop}}, merge=True)
        self._documents.commit(batch)

    def start(self, org: str | None) -> bool:
        """Lift exactly this stop; a stop for all outlives that of an org. False: it was not set."""
        found = self._documents.get(EFFECTS_PATH)
        if found is None or _key(org) not in found.fields.get("stops", {}):
            return False
        batch = self._documents.batch()
        batch.change(EFFECTS_PATH, {f"stops.{_key(org)}": GONE})
        self._documents.commit(batch)
        return True


def _key(org: str | None) -> str:
    """A name that is a field of the document: a letter first, and nothing that means something in a field's path."""
    return _EVERY_ORG if org is None else "org_" + short_hash(org)
