"""What is done about a request: money by the policy's instrument, an errand for a colleague, an answer."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence
from shared.playbooks.disputes import purposes, telling
from shared.playbooks.disputes.conclusion import capital
from shared.playbooks.disputes.paying import (
    balance_credit,
    credit_note,
    credit_of_invoice,
    note_on_invoice,
    refund,
)
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import invoice_of
from shared.playbooks.disputes.requests.model import Errand, Owed, Ruling
from shared.team.exhibits import text

_GIVEN = {
    Instrument.CHARGE_REFUND: "We have refunded {amount} to the card you paid with. {bank}",
    Instrument.CREDIT_NOTE_REFUND: "We have issued a credit note over {amount} and refunded that to the card. {bank}",
    Instrument.ACCOUNT_CREDIT: "We have credited {amount} to your account. It comes off your next invoice by itself.",
    Instrument.CREDIT_NOTE_BALANCE: (
        "We have issued a credit note over {amount}. It comes off your next invoice by itself."
    ),
}
_OFF_WHAT_IS_DUE = "We have issued a credit note over {amount}: so much less is due on the invoice."
_BANK = "It usually takes five to ten business days until the bank shows it."


def actions(claim: Claim, ruling: Ruling) -> list[ActionDraft]:
    """The money, the errand and the answer, or the answer alone; nothing where a person decides."""
    if ruling.owed is not None and (ruling.payment is not None or ruling.invoice is not None):
        paid = _paid(claim, ruling, ruling.owed)
        answer = _answer(claim, _given(ruling, ruling.owed), _telling(ruling.owed), paid.purpose)
        errand = [_ticket(claim, ruling.errand)] if ruling.errand else []
        return [paid, *([answer] if answer else []), *errand]
    if ruling.kind is DecisionKind.DECLINE:
        answer = _answer(claim, _declined(claim, ruling.told), purposes.DECLINE, None)
        return [answer] if answer else []
    return []


def _paid(claim: Claim, ruling: Ruling, owed: Owed) -> ActionDraft:
    if ruling.payment is not None:
        return pay(claim, ruling.payment, owed, twice=ruling.twins is not None)
    assert ruling.invoice is not None
    return pay_on_invoice(claim, ruling.invoice, owed)


def pay_on_invoice(claim: Claim, invoice: Evidence, owed: Owed) -> ActionDraft:
    """The one action that gives what is owed on an invoice, by the instrument that the policy names."""
    minor, told, words = owed.derivation.value_minor, owed.money, owed.derivation.words
    if owed.instrument is Instrument.ACCOUNT_CREDIT:
        assert claim.customer is not None
        description = f"Credit {told} to the balance of {claim.customer_name}: {words}"
        return credit_of_invoice(claim.case, claim.customer, invoice, minor, description=description, told=words)
    description = f"Credit note over {told} on invoice {text(invoice, 'number')}: {words}"
    return note_on_invoice(
        claim.case, invoice, minor, how="customer_balance", description=description, told=capital(words)
    )


def pay(claim: Claim, payment: Payment, owed: Owed, *, twice: bool) -> ActionDraft:
    """The one action that gives what is owed, by the instrument that the policy names."""
    minor, told = owed.derivation.value_minor, payment.money(owed.derivation.value_minor)
    words = owed.derivation.words
    match owed.instrument:
        case Instrument.CHARGE_REFUND:
            whole = minor == payment.left_minor
            part = ", the later of two equal charges" if twice else ", the whole" if whole else f": {words}"
            return refund(
                payment,
                minor,
                reason="duplicate" if twice else "requested_by_customer",
                description=f"Refund {told}{part}",
                disputed=payment.charge.row.fields.get("disputed") is True,
            )
        case Instrument.ACCOUNT_CREDIT:
            assert claim.customer is not None
            description = f"Credit {told} to the balance of {claim.customer_name}: {words}"
            return balance_credit(payment, claim.customer, minor, description=description, told=capital(words))
        case _:
            invoice = invoice_of(payment)
            assert invoice is not None
            how = "customer_balance" if owed.instrument.is_credit else "refund"
            where = "the balance" if owed.instrument.is_credit else "the card"
            description = f"Credit note over {told} on invoice {text(invoice, 'number')}, to {where}: {words}"
            return credit_note(payment, invoice, minor, how=how, description=description, told=capital(words))


def _telling(owed: Owed) -> str:
    return purposes.TELL_OF_CREDIT if owed.instrument.is_credit else purposes.TELL_OF_REFUND


def _ticket(claim: Claim, errand: Errand) -> ActionDraft:
    owner = next((row for row in claim.accounts if text(row, "owner_email")), None)
    assignee = errand.assignee or (text(owner, "owner_email") if owner else "")
    return ActionDraft(
        kind=ActionKind.TICKET,
        purpose=errand.purpose,
        target=assignee or claim.request.row.record_id,
        payload={"title": errand.title, "body": errand.body, "assignee": assignee or None},
        description=f"Open a ticket: {errand.title}",
    )


def _answer(claim: Claim, body: str, purpose: str, after: str | None) -> ActionDraft | None:
    """The answer, to the sender where our records hold the address. None without any address in our records."""
    to = telling.recipient(claim, wanted=claim.sender)
    if not to:
        return None
    drafted = telling.customer_email(
        to=to,
        subject=f"Re: your message of {claim.when}",
        body=body,
        purpose=purpose,
        description=f"Answer {to}" + (" once the money is given" if after else ": the request is declined"),
        after=after,
    )
    thread = {"channel": text(claim.request, "channel"), "in_reply_to": claim.request.row.record_id}
    return drafted.model_copy(update={"payload": {**drafted.payload, **thread}})


def _given(ruling: Ruling, owed: Owed) -> str:
    is_due = ruling.invoice is not None and text(ruling.invoice, "status") == "open"
    what = (_OFF_WHAT_IS_DUE if is_due else _GIVEN[owed.instrument]).format(amount=owed.money, bank=_BANK)
    because = f" {owed.because}" if owed.because else ""
    return (
        f"Hello,\n\nthank you for writing to us.{because} {what}\n\nIf anything about this is unclear, just reply to "
        "this message."
    )


def _declined(claim: Claim, told: str) -> str:
    return (
        f"Hello,\n\nthank you for your message of {claim.when}. We have looked into it: {told}. So we cannot "
        "refund it.\n\nIf you think that we have missed something, just reply to this message, and one of us will "
        "look again."
    )
