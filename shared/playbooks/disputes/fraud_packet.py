"""The evidence packet against a claim of fraud: what was bought, by whom, and what ties the payment to them."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.actions import Json
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.chronology import of_payments
from shared.playbooks.disputes.compelling import Compelling, enhanced, shared_in_words, transaction
from shared.playbooks.disputes.limits import check_texts
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.usage import Use, per_day
from shared.team.exhibits import text
from shared.team.words import count, feature, listed, minute

ASKS = "We ask that the dispute be decided in our favour."


def packet(matter: Matter, seen: Assessment, found: Compelling | None) -> dict[str, Json]:
    """The fields of the evidence. Raises InvalidInput when they break one of Stripe's limits."""
    fields: dict[str, Json] = {
        "product_description": f"Online service: {matter.plan}.",
        "customer_name": matter.customer_name,
        "customer_email_address": text(matter.charge, "receipt_email") or text(matter.charge, "billing_details__email"),
        "customer_purchase_ip": transaction(matter, matter.charge).identifiers["customer_purchase_ip"],
        "access_activity_log": _activity(seen.uses),
        "uncategorized_text": _statement(matter, found),
        "enhanced_evidence": enhanced(found) if found else None,
    }
    filled: dict[str, Json] = {name: value for name, value in fields.items() if value}
    check_texts(filled)
    return filled


def _activity(uses: Sequence[Use]) -> str:
    days = per_day(uses)
    services = listed(sorted({feature(use.service) for use in uses if use.service}))
    if not days:
        return ""
    return f"{services or 'Product'}: used on {count(len(days), 'day')}: {', '.join(day.isoformat() for day in days)}."


def _statement(matter: Matter, found: Compelling | None) -> str:
    lines = "\n".join(f"- {entry.line}" for entry in of_payments(matter, found))
    told = f"{closing(matter, found)} (times in UTC):\n{lines}" if found else closing(matter, found)
    return f"{_opening(matter)}\n\n{told}\n\n{ASKS}"


def _opening(matter: Matter) -> str:
    paid = matter.money(matter.paid_minor)
    return f"{matter.customer_name} paid {paid} for {matter.plan} on {minute(matter.paid_at)}."


def closing(matter: Matter, found: Compelling | None) -> str:
    """What ties the payment to the person who holds the card."""
    if found is not None:
        shared = shared_in_words(found)
        return f"The same card paid before, without a dispute or a report of fraud, from the same {shared}"
    if text(matter.charge, "payment_method_details__card__three_d_secure__result") == "authenticated":
        return "The card issuer authenticated the holder of the card with 3-D Secure."
    return "3-D Secure was attempted for this payment and the card issuer acknowledged it, which moves the liability."
