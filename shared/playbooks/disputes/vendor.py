"""Whether our own systems failed to deliver what a payment bought: the signs of it around the moment of the payment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from shared.case.evidence import Evidence
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policy_rules.vendor_failure import VendorFailure
from shared.playbooks.disputes.trouble import tags_of
from shared.team import language
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import count, listed, minute

SIGN_IN_WORDS = {
    "charge_succeeded": "the payment went through",
    "exception": "an exception of theirs in the error tracker",
    "alert": "a monitor that alerted at that moment",
    "old_tier": "that the product still serves the tier they had before",
}


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign that holds, in words, with the rows that show it."""

    name: str
    words: str
    rows: tuple[Evidence, ...]


def signs(matter: Matter, seen: Assessment, rule: VendorFailure) -> list[Sign]:
    """The signs of this rule that hold."""
    checks: dict[str, Callable[[], Sign | None]] = {
        "charge_succeeded": lambda: _charged(matter),
        "exception": lambda: _exception(matter, rule.within),
        "alert": lambda: _alert(matter, rule.within),
        "old_tier": lambda: _old_tier(matter, seen),
    }
    return [sign for name in rule.signs if (sign := checks[name]()) is not None]


def _charged(matter: Matter) -> Sign | None:
    if text(matter.charge, "status") != "succeeded":
        return None
    paid = f"{matter.money(matter.paid_minor)} were taken on {minute(matter.paid_at)}"
    return Sign("charge_succeeded", paid, (matter.charge,))


def _exception(matter: Matter, within: timedelta) -> Sign | None:
    rows = tuple(row for row in exceptions(matter, within) if _is_theirs(matter, row))
    if not rows:
        return None
    title = text(rows[0], "issue_title") or text(rows[0], "message")
    told = f"the error tracker recorded {count(len(rows), 'error')} for them at that moment: {title.splitlines()[0]}"
    return Sign("exception", told, rows)


def exceptions(matter: Matter, within: timedelta) -> list[Evidence]:
    """Errors that were recorded so shortly before or after the payment."""
    return [row for row in matter.exhibits.rows("sentry.events") if _near(matter, row, "timestamp", within)]


def _alert(matter: Matter, within: timedelta) -> Sign | None:
    services = {service for row in exceptions(matter, within) for service in services_of(row)}
    rows = tuple(
        row
        for row in matter.exhibits.rows("datadog.monitor_events")
        if text(row, "service") in services and _meets(matter, row, within)
    )
    if not rows:
        return None
    names = listed(sorted({text(row, "monitor_name").split("\n")[0] or text(row, "service") for row in rows}))
    return Sign("alert", f"a monitor alerted at that moment: {names}", rows)


def _old_tier(matter: Matter, seen: Assessment) -> Sign | None:
    """They used the product after the payment, and every use shows a tier that is not what they bought."""
    after = [use for use in seen.uses if use.at > matter.paid_at and use.tier]
    served = {use.tier for use in after}
    if not after or any(language.names_word(matter.plan, tier) for tier in served):
        return None
    told = f"after paying for {matter.plan} they were still served {listed(sorted(served))}"
    return Sign("old_tier", told, tuple(use.evidence for use in after))


def services_of(row: Evidence) -> frozenset[str]:
    """The service in which an error happened: by its tags, else the project of its issue."""
    return tags_of(row).get("service", frozenset()) or frozenset({text(row, "project")} - {""})


def _is_theirs(matter: Matter, row: Evidence) -> bool:
    customer = text(matter.charge, "customer")
    return matter.is_theirs(text(row, "user_email")) or (customer != "" and text(row, "customer") == customer)


def _near(matter: Matter, row: Evidence, column: str, within: timedelta) -> bool:
    at = moment(row.row.fields.get(column))
    return at is not None and abs(at - matter.paid_at) <= within


def _meets(matter: Matter, row: Evidence, within: timedelta) -> bool:
    start, end = (moment(row.row.fields.get(name)) for name in ("started_at", "ended_at"))
    return start is not None and start <= matter.paid_at + within and (end is None or end >= matter.paid_at - within)
