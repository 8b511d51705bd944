"""Ledgers and episodes as they are read back."""

from __future__ import annotations

import json

from infra.google.documents import Document
from infra.google.texts import restored
from shared.ports.store import ChargeLedger, Episode, Reservation


def ledger(account: str | None, charge: str, document: Document | None) -> ChargeLedger:
    """The ledger of a charge; an empty one with version None when nothing is stored."""
    if document is None:
        return ChargeLedger(account, charge)
    reservations = json.loads(restored(document.fields["reservations"]))
    return ChargeLedger(account, charge, tuple(Reservation(**item) for item in reservations), document.version)


def episode(document: Document) -> Episode:
    """What is remembered of a case."""
    fields = document.fields
    decided_at = document.instant("decided_at")
    assert decided_at is not None
    return Episode(
        case_id=fields["case_id"],
        customer=fields["customer"],
        kind=fields["kind"],
        decision=fields["decision"],
        amount_minor=fields["amount_minor"],
        currency=fields["currency"],
        outcome=fields["outcome"],
        decided_at=decided_at,
        rationale=restored(fields["rationale"]),
    )
