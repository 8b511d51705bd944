"""Trying once more to collect an open invoice.

Nothing at Stripe says which request paid an invoice: `pay` takes no metadata, and that of the invoice cannot be set in
the same call. Within the life of the idempotency key the same attempt is never made twice; beyond it a paid invoice is
as good as found, whoever paid it, because it cannot be paid again. A decline whose answer was lost leaves an open
invoice behind: it is repeated by the key, and later than that it is tried again.

A debit that takes days leaves the invoice open with its payment `processing`; that it failed, only its events tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.effects.stripe.payload import inside, reference, required, text, whole
from shared.case.actions import Action
from shared.case.money import Money
from shared.ports.effects import Done, EffectContext, EffectUnavailable, EffectUnknown

if TYPE_CHECKING:
    from infra.effects.stripe.client import Calls, Object

_PAYMENTS = "payments.data.payment.payment_intent"


def retry(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Charges what remains of the invoice now. Raises EffectRefused, with the decline, when it is not paid."""
    id = required(action, "invoice")
    reply = calls.write(
        lambda client, options: client.v1.invoices.pay(id, {"expand": [_PAYMENTS]}, options), context.idempotency_key
    )
    try:
        invoice = (_find(calls, action) if reply.replayed else None) or reply.object
    except EffectUnavailable as error:
        raise EffectUnknown(f"invoice {id} was tried by an earlier attempt; what became of it is not known") from error
    done = _settled(invoice)
    if done is None:
        raise EffectUnknown(f"Stripe answered, but shows invoice {id} as {text(invoice, 'status')} and no payment")
    return done


def find_paid(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """Whether the invoice is paid or being paid, by whoever it was."""
    invoice = _find(calls, action)
    done = _settled(invoice) if invoice else None
    return Done(done.external_ref, f"{done.summary}; it cannot be told by whom", done.pending) if done else None


def _find(calls: Calls, action: Action) -> Object | None:
    id = reference(action.payload, "invoice")
    if id is None:
        return None
    return calls.read(lambda client, options: client.v1.invoices.retrieve(id, {"expand": [_PAYMENTS]}, options))


def _settled(invoice: Object) -> Done | None:
    """The payment that settles the invoice; the invoice itself when it was paid without one. None: neither."""
    id, payments = text(invoice, "id"), _payments(invoice)
    if text(invoice, "status") == "paid":
        paid = [payment for payment in payments if text(payment, "status") == "paid"]
        latest = max(paid, key=lambda payment: whole(inside(payment, "status_transitions"), "paid_at"), default=invoice)
        amount = Money(minor=whole(invoice, "amount_paid"), currency=text(invoice, "currency"))
        return Done(text(latest, "id"), f"invoice {id} is paid, {amount} in all")
    under_way = next((payment for payment in payments if _is_processing(payment)), None)
    if under_way is None:
        return None
    return Done(text(under_way, "id"), f"the payment of invoice {id} is pending", pending=True)


def _payments(invoice: Object) -> list[Object]:
    listed = inside(invoice, "payments").get("data")
    return [payment for payment in listed if isinstance(payment, dict)] if isinstance(listed, list) else []


def _is_processing(payment: Object) -> bool:
    return text(inside(inside(payment, "payment"), "payment_intent"), "status") == "processing"
