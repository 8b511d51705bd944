"""How a charge stands: what else is disputed or reported about it, what went back, and what is left of it.

Several cases can concern one charge. Each has its own object and clock; the money is there only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from shared.case.evidence import Evidence
from shared.playbooks.disputes.billing import cycle_of, main_line
from shared.playbooks.disputes.stages import Stage, stage_of
from shared.team.exhibits import Exhibits, text, whole
from shared.team.moments import moment

STRICTEST_FIRST = (
    Stage.OPEN,
    Stage.FILED,
    Stage.LOST,
    Stage.PREVENTED,
    Stage.UNKNOWN,
    Stage.INQUIRY,
    Stage.INQUIRY_FILED,
    Stage.WON,
    Stage.INQUIRY_CLOSED,
)
"""Of several disputes on a charge the first of these decides what may be done with its money."""

KEEPS_MONEY = frozenset({Stage.OPEN, Stage.FILED, Stage.LOST, Stage.PREVENTED, Stage.UNKNOWN})
"""While a dispute is in one of these the charge cannot be refunded."""


def ways_to(charge: Evidence) -> frozenset[str]:
    """The ids by which other objects name a charge: its own and its payment intent's."""
    return frozenset({charge.row.record_id, text(charge, "payment_intent")} - {""})


def disputes_on(exhibits: Exhibits, charge: Evidence, besides: str = "") -> list[Evidence]:
    """The disputes on a charge, but the one whose id is `besides`."""
    return [
        item
        for item in exhibits.rows("stripe.disputes")
        if item.row.record_id != besides and {text(item, "charge"), text(item, "payment_intent")} & ways_to(charge)
    ]


def warnings_on(exhibits: Exhibits, charge: Evidence, besides: str = "") -> list[Evidence]:
    """The early fraud warnings on a charge, but the one whose id is `besides`."""
    return [
        item
        for item in exhibits.rows("stripe.early_fraud_warnings")
        if item.row.record_id != besides and {text(item, "charge"), text(item, "payment_intent")} & ways_to(charge)
    ]


def refunds_of(exhibits: Exhibits, charge: Evidence) -> list[Evidence]:
    """Refunds of a charge that went out or may still: a failed or cancelled one returned nothing."""
    return [
        item
        for item in exhibits.rows("stripe.refunds")
        if text(item, "status") not in ("failed", "canceled")
        and {text(item, "charge"), text(item, "payment_intent")} & ways_to(charge)
    ]


def lines_of(exhibits: Exhibits, charge: Evidence) -> list[Evidence]:
    """The lines of the invoice that a charge paid."""
    invoices = {
        text(payment, "invoice")
        for payment in exhibits.rows("stripe.invoice_payments")
        if ways_to(charge) & {text(payment, "payment__charge"), text(payment, "payment__payment_intent")}
    }
    return [line for line in exhibits.rows("stripe.invoice_lines") if text(line, "invoice") in invoices]


def credits_since(exhibits: Exhibits, charge: Evidence, paid_at: datetime) -> list[Evidence]:
    """Negative invoice lines that can be for what a charge paid: from its payment on, or for a part of its cycle.

    One that names no start counts: it may be.
    """
    line = main_line((row.row.fields, row) for row in lines_of(exhibits, charge))
    cycle = cycle_of(line.row.fields) if line is not None else None
    found = []
    for row in exhibits.rows("stripe.invoice_lines"):
        start, end = (moment(row.row.fields.get(name)) for name in ("period__start", "period__end"))
        later = start is None or start >= paid_at
        within = start is not None and cycle is not None and (start >= cycle.start or (end or start) > cycle.start)
        if (whole(row, "amount") or 0) < 0 and (later or within):
            found.append(row)
    return found


def lines_add_up(exhibits: Exhibits, charge: Evidence) -> bool:
    """Whether the lines of the invoice come to what was paid: else a discount, tax or credit lies between the two."""
    return sum(whole(line, "amount") or 0 for line in lines_of(exhibits, charge)) == whole(charge, "amount")


def strictest(disputes: Sequence[Evidence]) -> Stage | None:
    """The stage that decides about the money of a charge with these disputes; None without any."""
    found = {stage_of(item.row.fields.get("status")) for item in disputes}
    return next((stage for stage in STRICTEST_FIRST if stage in found), None)


def deciding(disputes: Sequence[Evidence]) -> Evidence | None:
    """The dispute that decides about the money of a charge; None without any."""
    stage = strictest(disputes)
    return next((item for item in disputes if stage_of(item.row.fields.get("status")) is stage), None)


def liability_shifted(charge: Evidence) -> bool:
    """Whether 3-D Secure moved the liability for fraud to the issuer (docs.stripe.com/payments/3d-secure)."""
    result = text(charge, "payment_method_details__card__three_d_secure__result")
    return result in ("authenticated", "attempt_acknowledged")


def left_minor(charge: Evidence) -> int | None:
    """Captured minus refunded, in minor units of the charge; None when the charge does not say."""
    captured, refunded = whole(charge, "amount_captured"), whole(charge, "amount_refunded")
    return None if captured is None or refunded is None else max(0, captured - refunded)


def taken_minor(disputes: Sequence[Evidence], currency: str) -> int | None:
    """What these disputes keep of the charge's money; None when one of them is in another currency."""
    keeping = [item for item in disputes if stage_of(item.row.fields.get("status")) in KEEPS_MONEY]
    if any(text(item, "currency").lower() != currency for item in keeping):
        return None
    return sum(whole(item, "amount") or 0 for item in keeping)
