"""`/v1/credit_notes`: taking back part of an invoice, on paper and, where it was paid, in money.

A note first reduces what remains of the invoice; the rest must be accounted for as a refund, as credit on the
customer's balance, or as given outside of Stripe. Sources: docs.stripe.com/api/credit_notes/create and
docs.stripe.com/changelog/2019-12-03/post-payment-credit-note-requirement.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import balances, effects, events, invoices, listing, params, refunds
from .currency import shown
from .errors import Invalid, Refused, missing, required
from .forms import Form
from .session import Session
from .wire import JsonObject

REASONS = ("duplicate", "fraudulent", "order_change", "product_unsatisfactory")


@dataclass(frozen=True)
class _Split:
    """How much of a note is what, in minor units. `unpaid` reduces the invoice, the others are given back."""

    unpaid: int
    credit: int
    refund: int
    elsewhere: int

    @property
    def given(self) -> int:
        """What comes on top of what the invoice is reduced by."""
        return self.credit + self.refund + self.elsewhere

    @property
    def type(self) -> str:
        """Stripe's name for when the note was issued."""
        if self.unpaid and self.given:
            return "mixed"
        return "pre_payment" if self.unpaid else "post_payment"


def create(session: Session, form: Form) -> JsonObject:
    """Issues a credit note on an open or paid invoice."""
    amounts = ("amount", "credit_amount", "out_of_band_amount", "refund_amount")
    params.only(form, "email_type", "invoice", "memo", "metadata", "reason", *amounts)
    invoice_id, memo = params.text(form, "invoice"), params.text(form, "memo")
    amount = params.integer(form, "amount", minimum=1)
    reason = params.choice(form, "reason", REASONS)
    metadata = params.merged_metadata({}, params.metadata(form))
    if invoice_id is None:
        raise required("invoice")
    if amount is None:
        raise Invalid("You must provide one of `amount`, `lines`, or `shipping_cost`.", param="amount")

    invoice = invoices.found(session, invoice_id)
    split = _split(form, amount, invoice)
    note = _new(session, invoice, amount, split, {"memo": memo, "metadata": metadata, "reason": reason})
    _give(session, note, invoice, split)
    session.put(note)
    _reduce(session, invoice, split)
    events.emit(session, "credit_note.created", note)
    effects.record(session, "credit_note", note)
    return note


def lines(session: Session, id: str, form: Form) -> JsonObject:
    """A page of a credit note's line items."""
    note = session.get("credit_note", id)
    if note is None:
        raise missing("credit note", id, param="id")
    return listing.part(note["lines"]["data"], form, url=f"/v1/credit_notes/{id}/lines", noun="credit note line item")


def _split(form: Form, amount: int, invoice: JsonObject) -> _Split:
    """How the note's amount is made up. Raises Refused when it is too large, or does not add up."""
    if invoice["status"] not in ("open", "paid"):
        raise Refused(f"Credit notes can only be created for open or paid invoices. This one is {invoice['status']}.")
    issued = invoice["pre_payment_credit_notes_amount"] + invoice["post_payment_credit_notes_amount"]
    left, currency = invoice["total"] - issued, invoice["currency"]
    if amount > left:
        message = f"The credit note amount ({shown(amount, currency)}) is greater than what can still be credited on"
        raise Refused(f"{message} the invoice ({shown(left, currency)}).", param="amount")
    credit, refund, elsewhere = (
        params.integer(form, name, minimum=0) or 0 for name in ("credit_amount", "refund_amount", "out_of_band_amount")
    )
    split = _Split(min(amount, invoice["amount_remaining"]), credit, refund, elsewhere)
    rest = amount - split.unpaid
    if split.given != rest:
        given = f"The sum of credit amount, refund amount and out of band amount ({shown(split.given, currency)})"
        raise Refused(f"{given} must equal the credit note amount ({shown(rest, currency)}).")
    return split


def _give(session: Session, note: JsonObject, invoice: JsonObject, split: _Split) -> None:
    """Refunds and credits what the note says. Changes the given note."""
    if split.refund:
        charge = invoices.charge_of(session, invoice)
        if charge is None:
            raise Refused("The invoice has no charge that could be refunded.", param="refund_amount")
        refund = refunds.give(session, charge, split.refund, reason=None, metadata={})
        note["refunds"] = [{"amount_refunded": split.refund, "refund": refund["id"], "type": "refund"}]
    if split.credit:
        fields = {"credit_note": note["id"], "invoice": invoice["id"]}
        change = balances.book(
            session, invoice["customer"], -split.credit, invoice["currency"], "credit_note", **fields
        )
        note["customer_balance_transaction"] = change["id"]


def _reduce(session: Session, invoice: JsonObject, split: _Split) -> None:
    """Shows the note on its invoice, which is paid when nothing remains."""
    reduced = {
        **invoice,
        "amount_due": invoice["amount_due"] - split.unpaid,
        "amount_remaining": invoice["amount_remaining"] - split.unpaid,
        "post_payment_credit_notes_amount": invoice["post_payment_credit_notes_amount"] + split.given,
        "pre_payment_credit_notes_amount": invoice["pre_payment_credit_notes_amount"] + split.unpaid,
    }
    if split.unpaid and not reduced["amount_remaining"]:
        invoices.settled(session, reduced, invoice)
    else:
        invoices.save(session, reduced, invoice)


def _new(session: Session, invoice: JsonObject, amount: int, split: _Split, fields: JsonObject) -> JsonObject:
    id = session.new_id("cn")
    earlier = len(session.find("credit_note", "invoice", invoice["id"]))
    return {
        "id": id,
        "object": "credit_note",
        "amount": amount,
        "amount_shipping": 0,
        "created": session.now,
        "currency": invoice["currency"],
        "customer": invoice["customer"],
        "customer_account": None,
        "customer_balance_transaction": None,
        "discount_amount": 0,
        "discount_amounts": [],
        "effective_at": session.now,
        "invoice": invoice["id"],
        "lines": {"object": "list", "data": [], "has_more": False, "url": f"/v1/credit_notes/{id}/lines"},
        "livemode": invoice["livemode"],
        "number": f"{invoice['number'] or invoice['id']}-CN-{earlier + 1:02}",
        "out_of_band_amount": split.elsewhere or None,
        "pdf": f"https://pay.stripe.com/credit_notes/{session.settings.account}/{id}/pdf",
        "post_payment_amount": split.given,
        "pre_payment_amount": split.unpaid,
        "pretax_credit_amounts": [],
        "refunds": [],
        "shipping_cost": None,
        "status": "issued",
        "subtotal": amount,
        "subtotal_excluding_tax": amount,
        "total": amount,
        "total_excluding_tax": amount,
        "total_taxes": [],
        "type": split.type,
        "voided_at": None,
        **fields,
    }
