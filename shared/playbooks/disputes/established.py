"""What the evidence established, for the case to remember beyond this brief."""

from __future__ import annotations

from shared.case.actions import Json
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.profile import profile
from shared.playbooks.disputes.stages import Stage
from shared.playbooks.disputes.standing import KEEPS_MONEY, deciding, disputes_on, left_minor, strictest, taken_minor
from shared.playbooks.disputes.telling import Party
from shared.team.exhibits import text

_REFUNDABLE = frozenset({Stage.INQUIRY, Stage.INQUIRY_FILED, Stage.INQUIRY_CLOSED, Stage.WON})


def established(matter: Matter) -> dict[str, Json]:
    """Who the customer is, and what can be refunded on the charge now and once the dispute is won, in minor units.

    While a chargeback is open or lost its charge is not refundable; after a win it is again, as far as it was captured,
    not refunded before, and not kept by another dispute on the same charge.
    """
    facts: dict[str, Json] = {"charge.currency": matter.currency, **customer_facts(matter)}
    left = left_minor(matter.charge)
    others = disputes_on(matter.exhibits, matter.charge, besides=matter.dispute.row.record_id)
    taken = taken_minor(others, matter.currency)
    if left is not None and taken is not None:
        free = matter.stage in _REFUNDABLE and strictest(others) not in KEEPS_MONEY
        facts["charge.refundable_now_minor"] = left if free else 0
        facts["charge.refundable_later_minor"] = max(0, left - taken)
    return facts | profile(matter, matter.org, matter.case.subject.id)


def of_payment(payment: Payment) -> dict[str, Json]:
    """The same for a charge that is not the object of a dispute; `charge.dispute_status` where one is known on it."""
    facts: dict[str, Json] = {
        "charge.id": payment.charge.row.record_id,
        "charge.currency": payment.currency,
        **customer_facts(payment),
    }
    if payment.left_minor is not None:
        facts["charge.refundable_now_minor"] = 0 if payment.stage in KEEPS_MONEY else payment.left_minor
    dispute = deciding(payment.disputes)
    if dispute is not None:
        facts["charge.dispute_status"] = text(dispute, "status") or "unknown"
    return facts | profile(payment, payment.org, payment.case.subject.id)


def customer_facts(party: Party) -> dict[str, Json]:
    """Who the customer is at Stripe; nothing where no customer is known."""
    if party.customer is None:
        return {}
    return {
        "customer.id": party.customer.row.record_id,
        "customer.name": party.customer_name,
        "customer.email": text(party.customer, "email"),
    }
