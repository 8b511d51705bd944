"""Whether the merchant's page would have a customer switched off by now, what spares them, and what people may choose.

Switching somebody off is never done here: at most a person is asked, and the owner of the account told.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from shared.case.brief import Option
from shared.case.evidence import Evidence
from shared.playbooks.disputes import product
from shared.playbooks.disputes.choices import chosen
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.policy_rules.dunning import CRITICAL, STRATEGIC, Dunning
from shared.team import language
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import count, day, listed

KEEP_ON = Option(
    id="keep_on",
    label="Do not switch them off",
    effect="the owner of the account is told that they stay on, and the invoice is followed up",
)
PAYMENT_PLAN = Option(
    id="payment_plan",
    label="Offer a payment plan",
    effect="the owner of the account is asked to agree on instalments; they stay on meanwhile",
)
SWITCH_OFF = Option(
    id="switch_off",
    label="Let the owner switch them off",
    effect="the owner of the account is told of this and does it by hand, under their own name",
)
WAYS_OUT = (KEEP_ON, PAYMENT_PLAN, SWITCH_OFF)


@dataclass(frozen=True, slots=True)
class Suspension:
    """What the page says about today. `spared`: why they stay on whatever the day; `decided`: what a person chose.

    `asked`: colleagues who wrote that they should stay on without being one of those who may say so.
    """

    is_due: bool
    spared: tuple[str, ...]
    cites: tuple[Evidence, ...]
    asked: tuple[Evidence, ...]
    decided: str

    @property
    def needs_a_person(self) -> bool:
        """Whether somebody has to decide now."""
        return self.is_due and not self.spared and not self.decided


def suspension(bill: Bill, rule: Dunning) -> Suspension:
    """Hold the page against the customer."""
    days = rule.suspend_after_days
    spared: list[str] = []
    cites: list[Evidence] = []
    flagged = [row for row in bill.accounts if row.row.fields.get("strategic") is True]
    if STRATEGIC in rule.never_suspend and flagged:
        spared.append("they are a strategic customer")
        cites += flagged
    used = _critical_use(bill, rule)
    if used:
        named = listed(sorted({_service(row) for row in used}))
        spared.append(f"what they run depends on {named}, last used {_last(used)}")
        cites += used[:3]
    words = [
        row for row in bill.exhibits.rows("slack.messages", "hubspot.notes") if language.holds_suspension(_said(row))
    ]
    allowed = [row for row in words if _author(row) in rule.overridden_by and language.forbids_suspension(_said(row))]
    if allowed:
        spared.append(f"{_author(allowed[-1])} has decided in writing that they stay on")
        cites += allowed
    return Suspension(
        is_due=days is not None and bill.days_overdue >= days,
        spared=tuple(spared),
        cites=tuple(cites),
        asked=tuple(row for row in words if row not in allowed),
        decided=_decided(bill),
    )


def _decided(bill: Bill) -> str:
    answer = chosen(bill.case)
    if answer is None or answer.option not in {option.id for option in WAYS_OUT}:
        return ""
    label = next(option.label for option in WAYS_OUT if option.id == answer.option)
    return f"{answer.by} decided: {label[:1].lower()}{label[1:]}"


def _critical_use(bill: Bill, rule: Dunning) -> list[Evidence]:
    """Uses of the services that others depend on, within the days that the page names, the latest first."""
    if CRITICAL not in rule.never_suspend:
        return []
    since = bill.now - timedelta(days=rule.critical_used_within_days)
    rows = [row for row in bill.exhibits.rows("posthog.events") if _service(row) in rule.critical_services]
    dated = [(at, row) for row in rows if (at := moment(row.row.fields.get("timestamp"))) is not None and at >= since]
    return [row for _, row in sorted(dated, key=lambda pair: (pair[0], pair[1].index), reverse=True)]


def _service(row: Evidence) -> str:
    return str(product.properties(row).get("service") or "")


def _last(used: list[Evidence]) -> str:
    at = moment(used[0].row.fields.get("timestamp"))
    assert at is not None
    return f"on {day(at)}"


def _said(row: Evidence) -> str:
    return text(row, "text", "body")


def _author(row: Evidence) -> str:
    return (text(row, "user_email") or text(row, "author_email")).strip().lower()


def days_told(bill: Bill, rule: Dunning) -> str:
    """Since when the page lets people switch them off, for people."""
    overdue = count(bill.days_overdue, "day")
    return f"the invoice is {overdue} overdue, and from day {rule.suspend_after_days} on people may switch them off"
