"""What the evidence established, for the case to remember beyond this brief."""

from __future__ import annotations

from shared.case.actions import Json
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.stages import Stage
from shared.team.exhibits import text, whole

_REFUNDABLE = frozenset({Stage.INQUIRY, Stage.INQUIRY_FILED, Stage.INQUIRY_CLOSED, Stage.WON})


def established(matter: Matter) -> dict[str, Json]:
    """Who the customer is, and what can be refunded on the charge now and once the dispute is won, in minor units.

    While a chargeback is open or lost its charge is not refundable; after a win it is again, as far as it was captured
    and not refunded before.
    """
    facts: dict[str, Json] = {"charge.currency": matter.currency}
    if matter.customer is not None:
        facts["customer.id"] = matter.customer.row.record_id
        facts["customer.name"] = matter.customer_name
        facts["customer.email"] = text(matter.customer, "email")
    captured, refunded = whole(matter.charge, "amount_captured"), whole(matter.charge, "amount_refunded")
    if captured is not None and refunded is not None:
        left = max(0, captured - refunded)
        facts["charge.refundable_now_minor"] = left if matter.stage in _REFUNDABLE else 0
        facts["charge.refundable_later_minor"] = left
    return facts
