"""What is done about a request: money back on the charge, and an answer in the thread in which they asked."""

from __future__ import annotations

from shared.case.actions import ActionDraft
from shared.case.brief import DecisionKind
from shared.playbooks.disputes import purposes, telling
from shared.playbooks.disputes.paying import refund_what_is_left
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.requests.claim import Claim, Twins
from shared.playbooks.disputes.requests.ruling import Ruling
from shared.team.exhibits import text
from shared.team.words import day, lasting


def actions(claim: Claim, ruling: Ruling) -> list[ActionDraft]:
    """The refund and the answer, or the answer alone; nothing where a person decides."""
    if ruling.kind is DecisionKind.REFUND and ruling.payment is not None:
        answer = _answer(claim, _refunded(ruling.payment, ruling.twins), purposes.TELL_OF_REFUND, purposes.REFUND)
        return [refund(ruling.payment, ruling.twins), *([answer] if answer else [])]
    if ruling.kind is DecisionKind.DECLINE:
        answer = _answer(claim, _declined(claim, ruling.told), purposes.DECLINE, None)
        return [answer] if answer else []
    return []


def refund(payment: Payment, twins: Twins | None) -> ActionDraft:
    """Everything that is left of the charge, unless it is disputed in the meantime."""
    amount = payment.money(payment.left_minor or 0)
    return refund_what_is_left(
        payment,
        reason="duplicate" if twins else "requested_by_customer",
        description=f"Refund {amount}" + (", the later of two equal charges" if twins else ", the whole"),
        disputed=payment.charge.row.fields.get("disputed") is True,
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
        description=f"Answer {to}" + (" once the refund was made" if after else ": the request is declined"),
        after=after,
    )
    thread = {"channel": text(claim.request, "channel"), "in_reply_to": claim.request.row.record_id}
    return drafted.model_copy(update={"payload": {**drafted.payload, **thread}})


def _refunded(payment: Payment, twins: Twins | None) -> str:
    left = payment.money(payment.left_minor or 0)
    if twins is None:
        what = f"We have refunded {left} to the card you paid with."
    else:
        what = (
            f"You are right: we took {payment.money(payment.amount_minor)} twice on {day(payment.paid_at)}, "
            f"{lasting(twins.apart)} apart. That was a fault on our side, and we are sorry. We have refunded the "
            f"second payment, {left}, to the card you paid with."
        )
    return (
        f"Hello,\n\nthank you for writing to us. {what} It usually takes five to ten business days until the bank "
        "shows it.\n\nIf anything about this is unclear, just reply to this message."
    )


def _declined(claim: Claim, told: str) -> str:
    return (
        f"Hello,\n\nthank you for your message of {claim.when}. We have looked into it: {told}. So we cannot "
        "refund it.\n\nIf you think that we have missed something, just reply to this message, and one of us will "
        "look again."
    )
