"""The evidence packet for the bank: chronological, short, neutral, and honest about what is owed.

Stripe's limits are checked, and a packet that does not fit is refused with the reason: nothing is cut silently.
Customers are quoted with the date of their words; internal identifiers and opinions stay inside.
"""

from __future__ import annotations

from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.chronology import chronology
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.credit import Credit
from shared.playbooks.disputes.limits import check_texts
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.usage import Use, people, per_day
from shared.team.exhibits import text
from shared.team.words import count, feature

_ASKS = {
    "inquiry": "We ask that the inquiry be closed.",
    "dispute": "We ask that the dispute be decided in our favour.",
}


def packet(matter: Matter, seen: Assessment, ruling: Ruling) -> dict[str, str]:
    """The fields of the evidence. Raises InvalidInput when they break one of Stripe's limits."""
    fields = {
        "product_description": _product(matter),
        "service_date": service_date(matter),
        "customer_name": matter.customer_name,
        "customer_email_address": address(matter),
        "access_activity_log": _activity(seen.uses),
        "refund_refusal_explanation": _refusal(matter, ruling),
        "uncategorized_text": _statement(matter, seen, ruling),
        **(ruling.argument.fields if ruling.argument else {}),
    }
    filled = {name: value for name, value in fields.items() if value}
    check_texts(filled)
    return filled


def _product(matter: Matter) -> str:
    line = text(matter.line, "description") if matter.line else ""
    bought = f"{matter.plan} ({line})" if line and line != matter.plan else matter.plan
    return f"Online software service, subscription: {bought}."


def service_date(matter: Matter) -> str:
    """The billing period that was paid for; empty where it is not known."""
    cycle = matter.cycle
    return f"{cycle.start.date().isoformat()} to {cycle.end.date().isoformat()}" if cycle else ""


def address(matter: Matter) -> str:
    """The customer's e-mail address at Stripe."""
    stripe = text(matter.customer, "email") if matter.customer else ""
    return stripe or text(matter.charge, "billing_details__email")


def _activity(used: list[Use]) -> str:
    lines = []
    for service in sorted({use.service for use in used}):
        of_service = [use for use in used if use.service == service]
        days = per_day(of_service)
        who, when = count(people(of_service), "person"), count(len(days), "day")
        name = feature(service) if service else "Product"
        lines.append(f"{name}: used by {who} on {when}: {', '.join(date.isoformat() for date in days)}.")
    return "\n".join(lines)


def _refusal(matter: Matter, ruling: Ruling) -> str:
    if ruling.argument is not None:
        return ""
    if ruling.credit is None:
        return "The service was provided and used in the billing period, and our records show no fault in it."
    left = matter.money(matter.paid_minor - ruling.credit.derivation.value_minor)
    return (
        f"We owe the customer {_owed(matter, ruling.credit)} and will pay it (see the statement). The remaining {left} "
        "paid for the time in which the service was provided."
    )


def _statement(matter: Matter, seen: Assessment, ruling: Ruling) -> str:
    timeline = "\n".join(f"- {entry.line}" for entry in chronology(matter, seen, ruling))
    return "\n\n".join([_opening(matter), f"What happened (times in UTC):\n{timeline}", closing(matter, ruling)])


def _opening(matter: Matter) -> str:
    paid = matter.money(matter.paid_minor)
    period = f" for the billing period {service_date(matter)}" if matter.cycle else ""
    return f"{matter.customer_name} paid {paid}{period} ({matter.plan}). We ask the issuer to consider the following."


def closing(matter: Matter, ruling: Ruling) -> str:
    """What follows from what happened, what is owed and what is not, and what we ask for."""
    asks = _ASKS["inquiry" if matter.is_inquiry else "dispute"]
    if ruling.argument is not None:
        return f"{ruling.argument.closing} {asks}"
    if ruling.credit is None:
        served = "The service was available, and the customer used it. The customer received what was paid for."
        return f"{served} {asks}"
    owed = _owed(matter, ruling.credit)
    left = matter.money(matter.paid_minor - ruling.credit.derivation.value_minor)
    return (
        f"What we owe: for that time the customer is entitled to a proportional refund of {owed} "
        f"({ruling.credit.derivation.words}). We acknowledge this amount. It cannot be refunded while the dispute is "
        "open; we will refund it on this charge as soon as the dispute is decided in our favour.\n\n"
        f"What we do not owe: the remaining {left}. For the rest of the period the customer had what was paid for. We "
        "ask that the dispute be decided in our favour."
    )


def _owed(matter: Matter, credit: Credit) -> str:
    return matter.money(credit.derivation.value_minor)
