"""Money back on a charge that no open dispute holds: one way to draft each instrument."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind, Json
from shared.case.evidence import Evidence
from shared.case.money import currency_code
from shared.playbooks.disputes import purposes
from shared.playbooks.disputes.payment import Payment
from shared.team.exhibits import text


def refund_what_is_left(payment: Payment, *, reason: str, description: str, disputed: bool = False) -> ActionDraft:
    """Everything that is left of the charge, unless it is disputed or refunded in the meantime."""
    return refund(payment, payment.left_minor or 0, reason=reason, description=description, disputed=disputed)


def refund(payment: Payment, minor: int, *, reason: str, description: str, disputed: bool = False) -> ActionDraft:
    """So much of the charge, unless it is disputed or refunded in the meantime.

    `reason` is Stripe's: duplicate or requested_by_customer, never fraudulent, which would block the card and the
    address. `disputed` is what the charge says now: a dispute that was won leaves it true.
    """
    charge, currency = payment.charge.row.record_id, currency_code(payment.currency)
    return ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose=purposes.REFUND,
        target=charge,
        account=payment.case.subject.account,
        amount_minor=minor,
        currency=currency,
        payload={"charge": charge, "amount_minor": minor, "currency": currency, "reason": reason},
        description=description,
        snapshot=_charge_now(payment, disputed=disputed),
    )


def balance_credit(payment: Payment, customer: Evidence, minor: int, *, description: str, told: str) -> ActionDraft:
    """So much on the customer's balance at Stripe, off their next invoices, unless it has changed in the meantime.

    `told`: what the entry says. The charge is named so that what happens to it is seen; no money is taken from it.
    """
    currency = currency_code(payment.currency)
    return ActionDraft(
        kind=ActionKind.STRIPE_BALANCE_CREDIT,
        purpose=purposes.CREDIT,
        target=customer.row.record_id,
        account=payment.case.subject.account,
        amount_minor=minor,
        currency=currency,
        payload={
            "customer": customer.row.record_id,
            "charge": payment.charge.row.record_id,
            "amount_minor": minor,
            "currency": currency,
            "description": told,
        },
        description=description,
        snapshot={
            "customer.currency": text(customer, "currency"),
            "customer.balance": customer.row.fields.get("balance"),
            **_charge_now(payment, disputed=payment.charge.row.fields.get("disputed") is True),
        },
    )


def credit_note(
    payment: Payment, invoice: Evidence, minor: int, *, how: str, description: str, told: str
) -> ActionDraft:
    """A credit note of so much on a paid invoice. `how`: refund, taken from the charge, or customer_balance."""
    currency = currency_code(payment.currency)
    named: dict[str, Json] = {"invoice": invoice.row.record_id, "charge": payment.charge.row.record_id}
    return ActionDraft(
        kind=ActionKind.STRIPE_CREDIT_NOTE,
        purpose=purposes.CREDIT_NOTE,
        target=invoice.row.record_id,
        account=payment.case.subject.account,
        amount_minor=minor,
        currency=currency,
        payload={**named, "how": how, "amount_minor": minor, "currency": currency, "memo": told},
        description=description,
        snapshot={
            "invoice.status": text(invoice, "status"),
            "invoice.total": invoice.row.fields.get("total"),
            "invoice.amount_remaining": invoice.row.fields.get("amount_remaining"),
            **_charge_now(payment, disputed=payment.charge.row.fields.get("disputed") is True),
        },
    )


def _charge_now(payment: Payment, *, disputed: bool) -> dict[str, Json]:
    return {
        "charge.amount": payment.amount_minor,
        "charge.amount_refunded": payment.charge.row.fields.get("amount_refunded"),
        "charge.currency": text(payment.charge, "currency"),
        "charge.disputed": disputed,
    }
