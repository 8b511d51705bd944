"""The evidence packet against a claim of fraud: what was bought, by whom, and what ties the payment to them."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.actions import Json
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.compelling import Compelling, enhanced, shared_in_words
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.packet import check
from shared.playbooks.disputes.usage import Use, per_day
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import count, feature, listed, minute


def packet(matter: Matter, seen: Assessment, found: Compelling | None) -> dict[str, Json]:
    """The fields of the evidence. Raises InvalidInput when they break one of Stripe's limits."""
    bought = matter.plan
    fields = {
        "product_description": f"Online service: {bought}.",
        "customer_name": matter.customer_name,
        "customer_email_address": text(matter.charge, "receipt_email") or text(matter.charge, "billing_details__email"),
        "customer_purchase_ip": found.disputed.identifiers["customer_purchase_ip"] if found else "",
        "access_activity_log": _activity(seen.uses),
        "uncategorized_text": _statement(matter, bought, found),
    }
    filled = {name: value for name, value in fields.items() if value}
    check(filled)
    return {**filled, **({"enhanced_evidence": enhanced(found)} if found else {})}


def _activity(uses: Sequence[Use]) -> str:
    days = per_day(uses)
    services = listed(sorted({feature(use.service) for use in uses if use.service}))
    if not days:
        return ""
    return f"{services or 'Product'}: used on {count(len(days), 'day')}: {', '.join(day.isoformat() for day in days)}."


def _statement(matter: Matter, bought: str, found: Compelling | None) -> str:
    opening = f"{matter.customer_name} paid {matter.money(matter.paid_minor)} for {bought} on {minute(matter.paid_at)}."
    if found is None:
        return (
            f"{opening}\n\nThe card issuer authenticated the holder of the card with 3-D Secure. We ask that the "
            "dispute be decided in our favour."
        )
    entries = [*found.earlier, found.disputed]
    lines = sorted(
        f"- {minute(at)}: {item.description}"
        for item in entries
        if (at := moment(item.charge.row.fields.get("created")))
    )
    shared = shared_in_words(found)
    return (
        f"{opening}\n\nThe same card paid before, without a dispute or a report of fraud, from the same {shared} "
        "(times in UTC):\n" + "\n".join(lines) + "\n\nWe ask that the dispute be decided in our favour."
    )
