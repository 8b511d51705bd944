"""A dispute as it stands: its row at Stripe, and what an event has told the case since where the row lags behind."""

from __future__ import annotations

from collections.abc import Mapping

from shared.case.actions import Json
from shared.case.case import Case
from shared.case.evidence import Cell
from shared.playbooks.disputes.stages import PROGRESS, TERMINAL_STATUSES

FACT_OF = {
    "status": "dispute.status",
    "reason": "dispute.reason",
    "evidence_details__due_by": "dispute.due_by",
    "evidence_details__submission_count": "dispute.submission_count",
    "payment_method_details__card__brand": "dispute.brand",
    "payment_method_details__card__case_type": "dispute.case_type",
    "payment_method_details__card__network_reason_code": "dispute.network_reason_code",
}
"""The columns of a dispute that change or that an event may know better, with the facts that hold the same."""


def current(case: Case, row: Mapping[str, Cell]) -> dict[str, Cell]:
    """These columns as they are now: the row's where it says something, unless it is behind what an event told."""
    told = {column: _cell(case.facts.get(fact)) for column, fact in FACT_OF.items()}
    first, second = (told, row) if is_behind(row.get("status"), told["status"]) else (row, told)
    return {name: second.get(name) if first.get(name) is None else first[name] for name in FACT_OF}


def is_behind(read: Cell, told: Cell) -> bool:
    """Whether a status that was read is an earlier one than a status that an event told."""
    if read in TERMINAL_STATUSES or told is None or read is None:
        return False
    return told in TERMINAL_STATUSES or PROGRESS.get(str(told), -1) > PROGRESS.get(str(read), len(PROGRESS))


def _cell(value: Json) -> Cell:
    return value if isinstance(value, str | int) else None
