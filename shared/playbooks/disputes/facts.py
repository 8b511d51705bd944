"""What Stripe's objects say, as flat facts of a case. Times are epoch seconds, amounts minor units, as at Stripe.

Shapes differ by API version: `charge` and `payment_intent` are an id or the expanded object, a payment intent may be
null, ids are never validated by their prefix. What an object does not say is left out, so that it overwrites nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from shared.case.actions import Json
from shared.case.canonical import sha256
from shared.case.money import format_minor
from shared.playbooks.disputes.stages import Stage, stage_of
from shared.team.words import day

Object = dict[str, Json]

LAST_SECOND = 253_402_300_799
"""The end of the year 9999: what no calendar holds is no instant."""


def of_dispute(dispute: Object, as_of: int | None) -> dict[str, Json]:
    """Facts under `dispute.`, `charge.id` and `payment_intent.id`."""
    details = _inside(dispute, "evidence_details")
    method = _inside(dispute, "payment_method_details")
    card = _inside(method, "card")
    provider = _provider(method)
    return _known(
        {
            "dispute.id": dispute.get("id"),
            "dispute.status": _text(dispute, "status"),
            "dispute.amount": whole(dispute, "amount"),
            "dispute.currency": _currency(dispute),
            "dispute.reason": _text(dispute, "reason"),
            "dispute.created": seconds(dispute, "created"),
            "dispute.charge_refundable": _flag(dispute, "is_charge_refundable"),
            "dispute.due_by": 0 if "due_by" in details and details["due_by"] is None else seconds(details, "due_by"),
            "due_by": _instant(seconds(details, "due_by")),
            "dispute.submission_count": whole(details, "submission_count"),
            "dispute.has_evidence": _flag(details, "has_evidence"),
            "dispute.method": _text(method, "type"),
            "dispute.brand": _text(card, "brand") or _text(card, "network") or provider,
            "dispute.case_type": _text(card, "case_type"),
            "dispute.network_reason_code": _text(card, "network_reason_code")
            or _text(dispute, "network_reason_code")
            or _text(_inside(method, provider or ""), "reason_code"),
            "dispute.as_of": as_of,
            "charge.id": _reference(dispute, "charge"),
            "payment_intent.id": _reference(dispute, "payment_intent"),
        }
    )


def of_books(dispute: Object, as_of: int | None) -> dict[str, Json]:
    """Facts under `books.`: what a dispute has moved on the account's balance, in minor units of its currency.

    `books.fees_minor` is what Stripe kept, `books.net_minor` all of it together. Nothing where nothing moved (an
    inquiry) or where the transactions are not told in full.
    """
    told = dispute.get("balance_transactions")
    moved = [item for item in told if isinstance(item, dict)] if isinstance(told, list) else []
    fees, nets = [whole(item, "fee") for item in moved], [whole(item, "net") for item in moved]
    currencies = {_currency(item) for item in moved}
    if not moved or len(currencies) != 1 or None in (*fees, *nets, *currencies):
        return {}
    return _known(
        {
            "books.fees_minor": sum(fee for fee in fees if fee is not None),
            "books.net_minor": sum(net for net in nets if net is not None),
            "books.currency": currencies.pop(),
            "books.as_of": as_of,
        }
    )


def _provider(method: Object) -> str | None:
    """Who decides where no card network does, e.g. klarna or paypal."""
    kind = _text(method, "type")
    return None if kind == "card" else kind


def _instant(seconds: int | None) -> str | None:
    """When people must have decided, as the pipeline reads it; 0 means that there is nothing to answer."""
    return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else None


def of_warning(warning: Object, as_of: int | None) -> dict[str, Json]:
    """Facts under `warning.`; a warning has no amount, currency or customer."""
    return _known(
        {
            "warning.id": warning.get("id"),
            "warning.fraud_type": _text(warning, "fraud_type"),
            "warning.actionable": _flag(warning, "actionable"),
            "warning.created": seconds(warning, "created"),
            "warning.as_of": as_of,
            "charge.id": _reference(warning, "charge"),
            "payment_intent.id": _reference(warning, "payment_intent"),
        }
    )


def of_invoice(invoice: Object, as_of: int | None) -> dict[str, Json]:
    """Facts under `invoice.`."""
    return _known(
        {
            "invoice.id": invoice.get("id"),
            "invoice.number": _text(invoice, "number"),
            "invoice.status": _text(invoice, "status"),
            "invoice.amount_due": whole(invoice, "amount_due"),
            "invoice.currency": _currency(invoice),
            "invoice.attempt_count": whole(invoice, "attempt_count"),
            "invoice.next_payment_attempt": _next_attempt(invoice),
            "invoice.billing_reason": _text(invoice, "billing_reason"),
            "invoice.as_of": as_of,
            "customer.id": _reference(invoice, "customer"),
        }
    )


def _next_attempt(invoice: Object) -> int | None:
    """0 where Stripe says that it will not try again, so that what it planned before is not remembered as its plan."""
    if "next_payment_attempt" in invoice and invoice["next_payment_attempt"] is None:
        return 0
    return seconds(invoice, "next_payment_attempt")


def of_refund(refund: Object, as_of: int | None, action: str, status: str) -> dict[str, Json]:
    """Facts under `refund.<action id>.` about a refund that one of our actions made."""
    return _known(
        {
            f"refund.{action}.id": refund.get("id"),
            f"refund.{action}.status": status,
            f"refund.{action}.failure_reason": _text(refund, "failure_reason"),
            f"refund.{action}.as_of": as_of,
        }
    )


def of_request(request: Object, as_of: int | None) -> dict[str, Json]:
    """Facts under `request.`, and `charge.id` and `customer.id` where the request names them.

    What somebody wrote is evidence and stays out of the facts: they hold its hash and length alone.
    """
    words = request.get("text")
    written = words if isinstance(words, str) else ""
    return _known(
        {
            "request.id": request.get("id"),
            "request.channel": _text(request, "channel"),
            "request.received_at": _text(request, "received_at"),
            "request.from": _text(request, "from"),
            "request.text_sha256": sha256(written),
            "request.text_length": len(written),
            "request.customer": _text(request, "customer"),
            "request.charge": _text(request, "charge"),
            "request.invoice": _text(request, "invoice"),
            "request.amount_minor": whole(request, "amount_minor"),
            "request.currency": _currency(request),
            "request.requested_by": _text(request, "requested_by"),
            "request.as_of": as_of,
            "charge.id": _text(request, "charge"),
            "customer.id": _text(request, "customer"),
        }
    )


def dispute_in_words(dispute: Object) -> str:
    """One line for people: what was disputed, on which charge, why, and by when it must be answered."""
    known = of_dispute(dispute, None)
    inquiry = stage_of(known.get("dispute.status")) in (Stage.INQUIRY, Stage.INQUIRY_FILED, Stage.INQUIRY_CLOSED)
    kind, charge = "inquiry" if inquiry else "chargeback", known.get("charge.id", "an unnamed charge")
    parts = [f"{kind} {_amount_in_words(known)} on {charge}"]
    code = " ".join(str(known[name]) for name in ("dispute.brand", "dispute.network_reason_code") if name in known)
    reason = str(known.get("dispute.reason", "no reason given"))
    parts.append(f"{reason} ({code})" if code else reason)
    due_by = known.get("dispute.due_by")
    if isinstance(due_by, int) and due_by > 0:
        parts.append(f"answer due by {day(datetime.fromtimestamp(due_by, UTC))}")
    return ", ".join(parts)


def whole(record: Mapping[str, Json], name: str) -> int | None:
    """A whole number of an object; None when it holds none."""
    value = record.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def seconds(record: Mapping[str, Json], name: str) -> int | None:
    """An instant of an object in epoch seconds; None when it holds none, or one beyond any calendar."""
    value = whole(record, name)
    return value if value is not None and 0 <= value <= LAST_SECOND else None


def _amount_in_words(known: Mapping[str, Json]) -> str:
    amount, currency = known.get("dispute.amount"), known.get("dispute.currency")
    if not isinstance(amount, int) or not isinstance(currency, str):
        return "of an unknown amount"
    return f"of {format_minor(amount, currency)} {currency.upper()}"


def _known(facts: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in facts.items() if value is not None}


def _inside(record: Object, name: str) -> Object:
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def _text(record: Object, name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) and value else None


def _flag(record: Object, name: str) -> bool | None:
    value = record.get(name)
    return value if isinstance(value, bool) else None


def _currency(record: Object) -> str | None:
    code = _text(record, "currency")
    return code.lower() if code else None


def _reference(record: Object, name: str) -> str | None:
    value = record.get(name)
    return _text(value, "id") if isinstance(value, dict) else _text(record, name)
