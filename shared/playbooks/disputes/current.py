"""A dispute as it stands: its row at Stripe, and what an event has told the case since where the row lags behind."""

from __future__ import annotations

from collections.abc import Mapping

from shared.case.actions import Json
from shared.case.case import Case
from shared.case.evidence import Cell
from shared.playbooks.disputes.codes import Family, NetworkCode, lookup
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

PROVIDERS = ("klarna", "paypal")
"""Who decides a dispute where no card network does; their own codes stand beside the card's."""

CODE_COLUMNS = (
    "payment_method_details__type",
    *(f"payment_method_details__{provider}__reason_code" for provider in PROVIDERS),
)
"""What else is read to know whose code it is."""

BRAND, CODE = "payment_method_details__card__brand", "payment_method_details__card__network_reason_code"


def current(case: Case, row: Mapping[str, Cell]) -> dict[str, Cell]:
    """These columns as they are now: the row's where it says something, unless it is behind what an event told."""
    told = {column: _cell(case.facts.get(fact)) for column, fact in FACT_OF.items()}
    row = _with_provider(row)
    first, second = (told, row) if is_behind(row.get("status"), told["status"]) else (row, told)
    return {name: second.get(name) if first.get(name) is None else first[name] for name in FACT_OF}


def rule_of(now_at: Mapping[str, Cell]) -> NetworkCode:
    """The rule for a dispute as it stands: by the code of its network or provider, else by Stripe's reason."""
    return lookup(*(_text(now_at.get(name)) for name in (BRAND, CODE, "reason")))


def family_of(case: Case) -> Family:
    """The claim family by what the events have told."""
    told = {column: _cell(case.facts.get(fact)) for column, fact in FACT_OF.items()}
    return rule_of(told).family


def _with_provider(row: Mapping[str, Cell]) -> dict[str, Cell]:
    """The row with its provider and the provider's own code where a card's brand and code would be."""
    method = _text(row.get("payment_method_details__type"))
    if method is None or method == "card":
        return dict(row)
    own = {BRAND: method, CODE: row.get(f"payment_method_details__{method}__reason_code")}
    return {**row, **{name: cell for name, cell in own.items() if row.get(name) is None}}


def _text(cell: Cell) -> str | None:
    return cell if isinstance(cell, str) and cell else None


def is_behind(read: Cell, told: Cell) -> bool:
    """Whether a status that was read is an earlier one than a status that an event told."""
    if read in TERMINAL_STATUSES or told is None or read is None:
        return False
    return told in TERMINAL_STATUSES or PROGRESS.get(str(told), -1) > PROGRESS.get(str(read), len(PROGRESS))


def _cell(value: Json) -> Cell:
    return value if isinstance(value, str | int) else None
