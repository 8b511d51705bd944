"""Money back on a charge that no open dispute holds: one way to draft each instrument."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind, Json
from shared.case.case import Case
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
    drafted = _credit(payment.case, customer, minor, payment.currency, description, told)
    return _about_charge(drafted, payment)


def credit_of_invoice(
    case: Case, customer: Evidence, invoice: Evidence, minor: int, *, description: str, told: str
) -> ActionDraft:
    """The same for what is owed on an invoice, whoever paid it."""
    return _credit(case, customer, minor, text(invoice, "currency"), description, told)


def _credit(case: Case, customer: Evidence, minor: int, currency: str, description: str, told: str) -> ActionDraft:
    code = currency_code(currency)
    return ActionDraft(
        kind=ActionKind.STRIPE_BALANCE_CREDIT,
        purpose=purposes.CREDIT,
        target=customer.row.record_id,
        account=case.subject.account,
        amount_minor=minor,
        currency=code,
        payload={"customer": customer.row.record_id, "amount_minor": minor, "currency": code, "description": told},
        description=description,
        snapshot={
            "customer.currency": text(customer, "currency"),
            "customer.balance": customer.row.fields.get("balance"),
        },
    )


def credit_note(
    payment: Payment, invoice: Evidence, minor: int, *, how: str, description: str, told: str
) -> ActionDraft:
    """A credit note of so much on a paid invoice. `how`: refund, taken from the charge, or customer_balance."""
    drafted = note_on_invoice(payment.case, invoice, minor, how=how, description=description, told=told)
    return _about_charge(drafted, payment)


def note_on_invoice(case: Case, invoice: Evidence, minor: int, *, how: str, description: str, told: str) -> ActionDraft:
    """A credit note of so much on an invoice. It lowers what is due first; what is beyond that is given by `how`."""
    currency, id = currency_code(text(invoice, "currency")), invoice.row.record_id
    return ActionDraft(
        kind=ActionKind.STRIPE_CREDIT_NOTE,
        purpose=purposes.CREDIT_NOTE,
        target=id,
        account=case.subject.account,
        amount_minor=minor,
        currency=currency,
        payload={"invoice": id, "how": how, "amount_minor": minor, "currency": currency, "memo": told},
        description=description,
        snapshot={
            "invoice.status": text(invoice, "status"),
            "invoice.total": invoice.row.fields.get("total"),
            "invoice.amount_remaining": invoice.row.fields.get("amount_remaining"),
        },
    )


def _about_charge(drafted: ActionDraft, payment: Payment) -> ActionDraft:
    """The action, naming the charge that it is about, so that what happens to that is seen."""
    disputed = payment.charge.row.fields.get("disputed") is True
    return drafted.model_copy(
        update={
            "payload": {**drafted.payload, "charge": payment.charge.row.record_id},
            "snapshot": {**drafted.snapshot, **_charge_now(payment, disputed=disputed)},
        }
    )


def _charge_now(payment: Payment, *, disputed: bool) -> dict[str, Json]:
    return {
        "charge.amount": payment.amount_minor,
        "charge.amount_refunded": payment.charge.row.fields.get("amount_refunded"),
        "charge.currency": text(payment.charge, "currency"),
        "charge.disputed": disputed,
    }
