"""Every store port on one Firestore database."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from google.cloud.firestore_v1 import Client

from infra.google.cases import FirestoreStore
from infra.google.claims import FirestoreClaims
from infra.google.directory import FirestoreDirectory
from infra.google.documents import Documents
from infra.google.inbox import FirestoreInbox
from infra.google.meter import Meter
from infra.google.remembered import RememberedDirectory
from infra.google.switch import FirestoreSwitch
from infra.google.trace import FirestoreTrace
from shared.ports import Clock, Directory, Entropy

_DESCRIBING: Final = frozenset({"stripe_webhook", "specialist", "synthesize"})


@dataclass(frozen=True, slots=True)
class FirestoreStores:
    """The adapters of one process, over one client. `meter` counts what all of them use."""

    client: Client
    meter: Meter
    store: FirestoreStore
    inbox: FirestoreInbox
    claims: FirestoreClaims
    directory: FirestoreDirectory
    remembered: RememberedDirectory
    switch: FirestoreSwitch
    trace: FirestoreTrace

    def directory_of(self, function: str) -> Directory:
        """The registry as a function uses it: afresh, unless it only describes with what it reads there."""
        return self.remembered if function in _DESCRIBING else self.directory

    def close(self) -> None:
        """Write what is left of the trace and close the connection."""
        self.trace.close()
        self.client.close()  # type: ignore[no-untyped-call]


def open_firestore(
    project: str | None, clock: Clock, entropy: Entropy, *, database: str | None = None, meter: Meter | None = None
) -> FirestoreStores:
    """Connect to a database of a project (None: the default ones of the environment).

    FIRESTORE_EMULATOR_HOST in the environment makes it the emulator's, as with all of Google's clients.
    """
    client = Client(project=project, database=database)
    documents = Documents(client, clock, entropy, meter or Meter())
    directory = FirestoreDirectory(documents)
    return FirestoreStores(
        client=client,
        meter=documents.meter,
        store=FirestoreStore(documents),
        inbox=FirestoreInbox(documents, clock),
        claims=FirestoreClaims(documents),
        directory=directory,
        remembered=RememberedDirectory(directory, clock),
        switch=FirestoreSwitch(documents, clock),
        trace=FirestoreTrace(documents, clock, f"{os.getpid()}-{entropy.token()}"),
    )
