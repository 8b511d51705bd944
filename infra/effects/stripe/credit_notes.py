"""Issuing a credit note on an invoice: one per action, found again by its metadata.

A note first lowers what is still due of the invoice; only what exceeds that is given back, in the way the payload
names, and the two must add up (docs.stripe.com/api/credit_notes/create). So the invoice is read first; when it is paid
in between, the sums no longer match and Stripe refuses. `email_type` is `none`: Stripe would write to the customer,
and what the customer is told is an action of its own.

The refund that a note makes carries none of our metadata. It is reached through the note and marked as ours, so that
what becomes of it days later, which only its events tell, finds the case.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from infra.effects.stripe.payload import is_of, marks, money, optional, reference, required, text, whole
from infra.effects.stripe.refunds import NO_MONEY
from shared.case.actions import Action, Json
from shared.case.money import Money
from shared.ports.effects import Done, EffectContext, EffectRefused, EffectUnavailable, EffectUnknown

if TYPE_CHECKING:
    from stripe.params import CreditNoteCreateParams, RefundUpdateParams

    from infra.effects.stripe.client import Ask, Calls, Object

_GIVEN_AS = {"customer_balance": "credit_amount", "refund": "refund_amount", "out_of_band": "out_of_band_amount"}


def issue(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Issues a note over the action's amount. Raises EffectRefused when its refund has failed already."""
    params = _params(action, context, _invoice(calls, action))
    reply = calls.write(lambda client, options: client.v1.credit_notes.create(params, options), context.idempotency_key)
    try:
        note = _present(calls, reply.object) if reply.replayed else reply.object
        _mark(calls, note, action, context)
        return _done(calls, note)
    except EffectUnavailable as error:
        id = text(reply.object, "id")
        raise EffectUnknown(f"credit note {id} was issued; what became of it is not known") from error


def find_note(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """The action's note among all of the invoice.

    Raises EffectRefused when it exists, but was voided or its refund failed: what it was to give is not given.
    """
    invoice = reference(action.payload, "invoice")
    if invoice is None:
        return None
    notes = calls.read_all(
        lambda client, options: client.v1.credit_notes.list({"invoice": invoice, "limit": 100}, options)
    )
    ours = [note for note in notes if is_of(note, action, context)]
    standing = [note for note in ours if text(note, "status") != "void"]
    found = standing or ours
    if not found:
        return None
    _mark(calls, found[0], action, context)
    return _done(calls, found[0])


def _invoice(calls: Calls, action: Action) -> Object:
    id = required(action, "invoice")
    invoice = calls.read(lambda client, options: client.v1.invoices.retrieve(id, options=options))
    if invoice is None:
        raise EffectRefused(f"Stripe knows no invoice {id}; nothing was changed")
    return invoice


def _params(action: Action, context: EffectContext, invoice: Object) -> CreditNoteCreateParams:
    amount, how = money(action), action.payload.get("how")
    if not isinstance(how, str) or how not in _GIVEN_AS:
        raise EffectRefused(f"{how} is no way to give back what a credit note is over; nothing was changed")
    # Stripe takes the amount in the invoice's currency, whatever the action says.
    if text(invoice, "currency") != amount.currency:
        raise EffectRefused(
            f"invoice {text(invoice, 'id')} is in {text(invoice, 'currency')}, not in {amount.currency}; "
            "nothing was changed"
        )
    params: dict[str, Json | dict[str, str]] = {
        "invoice": text(invoice, "id"),
        "amount": amount.minor,
        "email_type": "none",
        "metadata": marks(context, manthan_action=action.id),
        **optional(action, "memo"),
    }
    given = amount.minor - min(amount.minor, whole(invoice, "amount_remaining"))
    if given:
        params[_GIVEN_AS[how]] = given
    return cast("CreditNoteCreateParams", params)


def _present(calls: Calls, note: Object) -> Object:
    """The note as it is now: under a key used before, Stripe repeats how it was then."""
    id = text(note, "id")
    return calls.read(lambda client, options: client.v1.credit_notes.retrieve(id, options=options)) or note


def _done(calls: Calls, note: Object) -> Done:
    id = text(note, "id")
    if text(note, "status") == "void":
        raise EffectRefused(f"Stripe shows credit note {id} as void")
    refunds = [_refund(calls, id, entry) for entry in _refunds(note)]
    pending = any(text(refund, "status") != "succeeded" for refund in refunds)
    amount = Money(minor=whole(note, "amount"), currency=text(note, "currency"))
    return Done(id, f"credit note {id} of {amount}: {_made_up(note, pending)}", pending=pending)


def _mark(calls: Calls, note: Object, action: Action, context: EffectContext) -> None:
    """Give the refunds of a note our metadata. Raises EffectUnavailable: the note stands, and is looked up again."""
    marked: RefundUpdateParams = {"metadata": marks(context, manthan_action=action.id)}
    for id in filter(None, (reference(entry, "refund") for entry in _refunds(note))):
        try:
            calls.write(_updating(id, marked), f"{context.idempotency_key}-{id}")
        except (EffectRefused, EffectUnknown) as error:
            raise EffectUnavailable(f"refund {id} could not be marked as ours: {error}", after=60.0) from error


def _updating(id: str, marked: RefundUpdateParams) -> Ask:
    return lambda client, options: client.v1.refunds.update(id, marked, options)


def _refunds(note: Object) -> list[Object]:
    entries = note.get("refunds")
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _refund(calls: Calls, note: str, entry: Object) -> Object:
    """A refund of the note as it is now. Raises EffectRefused when no money went out, EffectUnavailable."""
    id = reference(entry, "refund") or ""
    refund = calls.read(lambda client, options: client.v1.refunds.retrieve(id, options=options))
    if refund is None:
        raise EffectUnavailable(f"refund {id} of credit note {note} could not be read", after=60.0)
    if text(refund, "status") in NO_MONEY:
        why = text(refund, "failure_reason") or "no reason given"
        raise EffectRefused(f"credit note {note} stands, but its refund {id} is {text(refund, 'status')}: {why}")
    return refund


def _made_up(note: Object, pending: bool) -> str:
    currency = text(note, "currency")
    refunded = sum(whole(entry, "amount_refunded") for entry in _refunds(note))
    elsewhere = whole(note, "out_of_band_amount")
    parts = {
        "off what is due": whole(note, "pre_payment_amount"),
        "credited to the customer's balance": whole(note, "post_payment_amount") - refunded - elsewhere,
        "as a refund that is pending" if pending else "refunded": refunded,
        "to be given outside of Stripe": elsewhere,
    }
    told = [f"{Money(minor=minor, currency=currency)} {what}" for what, minor in parts.items() if minor]
    return ", ".join(told) or "Stripe does not say how it is made up"
