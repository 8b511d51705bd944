"""The evidence packet for the bank: chronological, short, neutral, and honest about what is owed.

Stripe's limits are checked, and a packet that does not fit is refused with the reason: nothing is cut silently.
Customers are quoted with the date of their words; internal identifiers and opinions stay inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from shared.errors import InvalidInput
from shared.playbooks.disputes import testimony
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.credit import Credit
from shared.playbooks.disputes.figures import figure
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.outage import Clean
from shared.playbooks.disputes.usage import Use, people, per_day
from shared.team.exhibits import decimal, text
from shared.team.moments import moment
from shared.team.words import count, feature, hours_and_days, listed, minute, percent, quoted

TOTAL_LIMIT = figure("evidence.text")
LIMITS: dict[str, int] = {
    **dict.fromkeys(
        (
            "access_activity_log",
            "cancellation_policy_disclosure",
            "cancellation_rebuttal",
            "duplicate_charge_explanation",
            "product_description",
            "refund_policy_disclosure",
            "refund_refusal_explanation",
            "uncategorized_text",
        ),
        figure("evidence.long"),
    ),
    **dict.fromkeys(
        (
            "billing_address",
            "customer_email_address",
            "customer_name",
            "customer_purchase_ip",
            "duplicate_charge_id",
            "service_date",
            "shipping_address",
            "shipping_carrier",
            "shipping_date",
            "shipping_tracking_number",
        ),
        figure("evidence.short"),
    ),
}
"""Characters that each text field of a dispute's evidence may have (figures evidence.*)."""

_MOST_QUOTES = 3
_ASKS = {
    "inquiry": "We ask that the inquiry be closed.",
    "dispute": "We ask that the dispute be decided in our favour.",
}


def packet(matter: Matter, seen: Assessment, ruling: Ruling) -> dict[str, str]:
    """The fields of the evidence. Raises InvalidInput when they break one of Stripe's limits."""
    fields = {
        "product_description": _product(matter),
        "service_date": _service_date(matter),
        "customer_name": matter.customer_name,
        "customer_email_address": _address(matter),
        "access_activity_log": _activity(seen.uses),
        "refund_refusal_explanation": _refusal(matter, ruling),
        "uncategorized_text": _statement(matter, seen, ruling),
        **(ruling.argument.fields if ruling.argument else {}),
    }
    filled = {name: value for name, value in fields.items() if value}
    check(filled)
    return filled


def check(fields: Mapping[str, str]) -> None:
    """Raise InvalidInput for a field that Stripe does not know, or text beyond its limits."""
    for name, value in fields.items():
        if name not in LIMITS:
            raise InvalidInput(f"{name} is not a text field of a dispute's evidence")
        if len(value) > LIMITS[name]:
            raise InvalidInput(f"{name} has {len(value):,} characters, Stripe takes {LIMITS[name]:,}")
    total = sum(len(value) for value in fields.values())
    if total > TOTAL_LIMIT:
        raise InvalidInput(f"the evidence has {total:,} characters in all, Stripe takes {TOTAL_LIMIT:,}")


def _product(matter: Matter) -> str:
    line = text(matter.line, "description") if matter.line else ""
    bought = f"{matter.plan} ({line})" if line and line != matter.plan else matter.plan
    return f"Online software service, subscription: {bought}."


def _service_date(matter: Matter) -> str:
    cycle = matter.cycle
    return f"{cycle.start.date().isoformat()} to {cycle.end.date().isoformat()}" if cycle else ""


def _address(matter: Matter) -> str:
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
    timeline = "\n".join(f"- {line}" for _, line in sorted(_timeline(matter, seen, ruling), key=lambda entry: entry[0]))
    return "\n\n".join([_opening(matter), f"What happened (times in UTC):\n{timeline}", _conclusion(matter, ruling)])


def _opening(matter: Matter) -> str:
    paid = matter.money(matter.paid_minor)
    period = f" for the billing period {_service_date(matter)}" if matter.cycle else ""
    return f"{matter.customer_name} paid {paid}{period} ({matter.plan}). We ask the issuer to consider the following."


def _timeline(matter: Matter, seen: Assessment, ruling: Ruling) -> list[tuple[datetime, str]]:
    entries = [(matter.paid_at, f"{minute(matter.paid_at)}: payment of {matter.money(matter.paid_minor)}.")]
    if ruling.credit is not None:
        entries += _trouble_entries(ruling.credit)
        entries += [
            (item.at, f"{minute(item.at)}: the customer wrote: {quoted(item.text)}")
            for item in testimony.different(ruling.credit.complaints)[:_MOST_QUOTES]
        ]
        entries += [
            (item.at, f"{minute(item.at)}: we confirmed this in writing and promised a credit.")
            for item in seen.promises[:1]
        ]
    argued = list(ruling.argument.entries) if ruling.argument else []
    return entries + argued + _uptime_entries(ruling.clean) + _use_entries(seen.uses)


def _uptime_entries(clean: Clean | None) -> list[tuple[datetime, str]]:
    entries = []
    for row in clean.uptimes if clean else ():
        start, end = (moment(row.row.fields.get(name)) for name in ("window_start", "window_end"))
        if start is not None and end is not None and (up := decimal(row.row.fields.get("uptime_pct"))) is not None:
            span, name = f"{start.date().isoformat()} to {end.date().isoformat()}", feature(text(row, "service"))
            entries.append((start, f"{span}: our uptime monitor measured {percent(up)} for {name}."))
    return entries


def _trouble_entries(credit: Credit) -> list[tuple[datetime, str]]:
    services = listed(sorted({feature(item.service) for item in credit.troubles}))
    return [
        (
            window.start,
            f"{minute(window.start)} to {minute(window.end)}: our monitoring recorded trouble with {services} for "
            f"{hours_and_days(int((window.end - window.start).total_seconds()))}.",
        )
        for window in credit.windows
    ]


def _use_entries(used: list[Use]) -> list[tuple[datetime, str]]:
    days = per_day(used)
    if not used:
        return []
    return [
        (
            used[-1].at,
            f"{used[0].at.date().isoformat()} to {used[-1].at.date().isoformat()}: the customer's people used the "
            f"service on {count(len(days), 'day')} (see the activity log).",
        )
    ]


def _conclusion(matter: Matter, ruling: Ruling) -> str:
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
