"""On which charge a request stands, and whether money can go back on it, whole or in part."""

from __future__ import annotations

from shared.case.evidence import Evidence
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.payment import Payment, payment_of
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.model import Owed, Said, declined, person
from shared.playbooks.disputes.stages import Stage
from shared.playbooks.disputes.standing import KEEPS_MONEY, credits_since, lines_add_up, ways_to
from shared.team.contract import Material
from shared.team.exhibits import text, whole
from shared.team.words import listed

_RETURNED_BY_BANK = frozenset({Stage.LOST, Stage.PREVENTED})
_ASKED_BY_BANK = frozenset({Stage.INQUIRY, Stage.INQUIRY_FILED})


def payment_meant(material: Material, claim: Claim) -> Payment:
    """The charge that is meant, once money can go back on it. Raises Said where it is not clear, or cannot."""
    charge = claim.meant()
    if charge is None:
        raise person("it is not clear which charge is meant", claim.request, *claim.charges[-3:])
    return payable(material, charge)


def payable(material: Material, charge: Evidence) -> Payment:
    """A charge on which money can go back. Raises Said with what stands against it."""
    payment = payment_of(material, charge.row.record_id)
    stage, named = payment.stage, listed([item.row.record_id for item in payment.disputes])
    if stage in _RETURNED_BY_BANK:
        told = "your bank has already returned this payment to you"
        reason = f"the charge was disputed ({named}), and the bank has returned the money: a refund would pay twice"
        raise Said(declined(reason, told, charge, *payment.disputes, payment=payment))
    if stage in KEEPS_MONEY or stage in _ASKED_BY_BANK:
        law = "a refund is not legal while it is open" if stage in KEEPS_MONEY else "no money has moved yet"
        reason = f"the charge is under dispute ({named}), which is a case of its own and has to be settled there: {law}"
        raise person(reason, charge, *payment.disputes, payment=payment)
    if payment.left_minor is None:
        raise person("what is left of the charge is not known", charge)
    if payment.left_minor == 0:
        told = f"we have already refunded your payment of {payment.money(payment.amount_minor)}"
        raise Said(
            declined("the charge has been refunded in full already", told, charge, *payment.refunds, payment=payment)
        )
    return payment


def invoice_of(payment: Payment) -> Evidence | None:
    """The one invoice that the charge paid; None where it paid none, or several."""
    paid = {
        text(row, "invoice")
        for row in payment.exhibits.rows("stripe.invoice_payments")
        if ways_to(payment.charge) & {text(row, "payment__charge"), text(row, "payment__payment_intent")}
    }
    return payment.exhibits.one("stripe.invoices", paid.pop()) if len(paid) == 1 else None


def carried(claim: Claim, payment: Payment, owed: Owed) -> None:
    """Return when the policy's instrument can carry what is owed. Raises Said."""
    billed = text(claim.customer, "currency").lower() if claim.customer else ""
    if owed.instrument.is_credit and billed != payment.currency:
        reason = f"their balance is kept in {billed.upper() or 'an unknown currency'}, and what is owed is not"
        raise person(reason, payment.charge, claim.customer or claim.request, payment=payment)
    if owed.instrument not in (Instrument.CREDIT_NOTE_REFUND, Instrument.CREDIT_NOTE_BALANCE):
        return
    invoice = invoice_of(payment)
    if invoice is None:
        raise person(
            "a credit note needs the invoice, and which one was paid is not clear", payment.charge, payment=payment
        )
    if text(invoice, "status") != "paid" or (whole(invoice, "amount_remaining") or 0) != 0:
        raise person(
            "the invoice is not paid in full: what a credit note gives back is not certain", invoice, payment=payment
        )


def untouched(claim: Claim, payment: Payment) -> None:
    """Return when nothing was given back on account of this charge so far, which a part would have to be set off with.

    Raises Said: what is owed beside what was given is for a person to say.
    """
    exhibits = claim.exhibits
    if not exhibits.rows("stripe.refunds") and not exhibits.absences(labels.NO_REFUND):
        raise person("whether anything was refunded already could not be read", payment.charge)
    credits = [row for row in exhibits.rows("stripe.invoice_lines") if (whole(row, "amount") or 0) < 0]
    if not credits and not exhibits.absences(labels.NO_CREDIT) and _lines_unread(claim):
        raise person("whether anything was credited already could not be read", payment.charge)
    recent = credits_since(exhibits, payment.charge, payment.paid_at)
    balance = [claim.customer] if claim.customer and (whole(claim.customer, "balance") or 0) < 0 else []
    returned = [*payment.refunds, *recent, *balance]
    if returned or payment.left_minor != (whole(payment.charge, "amount_captured") or 0):
        reason = "part of the money has been given back already: that has to be set off"
        raise person(reason, payment.charge, *returned, payment=payment)


def paid_as_billed(payment: Payment) -> None:
    """Return when the lines of the invoice are what was paid, so that the price on one of them is. Raises Said."""
    if not lines_add_up(payment.exhibits, payment.charge):
        reason = "the lines of the invoice do not come to what was paid: a discount or tax lies between the two"
        raise person(reason, payment.charge, *payment.paid_lines, payment=payment)


def _lines_unread(claim: Claim) -> bool:
    return "credits on invoices" in claim.unread or "the invoice lines" in claim.unread
