"""Money back on a charge that no open dispute holds: one way to draft it, for warnings and for requests."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind
from shared.case.money import currency_code
from shared.playbooks.disputes import purposes
from shared.playbooks.disputes.payment import Payment
from shared.team.exhibits import text


def refund_what_is_left(payment: Payment, *, reason: str, description: str, disputed: bool = False) -> ActionDraft:
    """Everything that is left of the charge, unless it is disputed or refunded in the meantime.

    `reason` is Stripe's: duplicate or requested_by_customer, never fraudulent, which would block the card and the
    address. `disputed` is what the charge says now: a dispute that was won leaves it true.
    """
    charge, left, currency = payment.charge.row.record_id, payment.left_minor or 0, currency_code(payment.currency)
    return ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose=purposes.REFUND,
        target=charge,
        account=payment.case.subject.account,
        amount_minor=left,
        currency=currency,
        payload={"charge": charge, "amount_minor": left, "currency": currency, "reason": reason},
        description=description,
        snapshot={
            "charge.amount": payment.amount_minor,
            "charge.amount_refunded": payment.charge.row.fields.get("amount_refunded"),
            "charge.currency": text(payment.charge, "currency"),
            "charge.disputed": disputed,
        },
    )
