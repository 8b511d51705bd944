"""Refunds as evidence: what has gone back for certain, what is on its way, and how the bank finds it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from shared.case.evidence import Evidence
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import minute

_ON_ITS_WAY = frozenset({"pending", "requires_action"})


def settled(refunds: Sequence[Evidence]) -> list[Evidence]:
    """Those that succeeded. One that is pending can still fail, and then nothing has gone back."""
    return [item for item in refunds if text(item, "status") == "succeeded"]


def on_its_way(refunds: Sequence[Evidence]) -> list[Evidence]:
    """Those of which the bank has not said yet whether they went through."""
    return [item for item in refunds if text(item, "status") in _ON_ITS_WAY]


def total_minor(refunds: Sequence[Evidence], currency: str) -> int | None:
    """What these refunds come to in minor units of `currency`; None when one is in another currency or unreadable."""
    amounts = [whole(item, "amount") if text(item, "currency").lower() == currency else None for item in refunds]
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def made_at(refund: Evidence) -> datetime | None:
    """When a refund was made."""
    return moment(refund.row.fields.get("created"))


def in_words(matter: Matter, refund: Evidence) -> str:
    """One refund in words: its id, amount, day, and the reference by which the bank finds it, where one is recorded."""
    at, reference = made_at(refund), text(refund, "destination_details__card__reference")
    when = f" on {minute(at)}" if at else ""
    found = f", acquirer reference number (ARN) {reference}" if reference else ""
    amount = matter.money(whole(refund, "amount") or 0, text(refund, "currency").lower())
    return f"refund {refund.row.record_id} of {amount}{when}{found}"
