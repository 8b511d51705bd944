"""Following a failed invoice up by the page on failed payments: who is told, whether and when it is tried again."""

from __future__ import annotations

from dataclasses import replace

from shared.case.brief import Finding
from shared.case.money import MissingRate, Money, convert
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.declines import Family
from shared.playbooks.disputes.failed_invoices.model import Person, Ruling
from shared.playbooks.disputes.failed_invoices.suspension import WAYS_OUT, Suspension, days_told, suspension
from shared.playbooks.disputes.failed_invoices.usual_day import UsualDay, usual_day
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, claimed
from shared.playbooks.disputes.policy_rules.dunning import Dunning
from shared.playbooks.disputes.profile import arr_minor
from shared.ports.directory import Org
from shared.team.words import count, day, listed

LONG_OVERDUE_DAYS = 30
HIGH_DUE_MINOR = 500_000
HIGH_ARR_MINOR = 5_000_000
"""From 5,000.00 due or 50,000.00 a year the owner of the account is told, where the merchant has no rule. In the org's
currency."""


def followed_up(bill: Bill, found: Ruling) -> Ruling:
    """The follow-up by the rule of `found`, or by ours. Raises Person when switching them off is due."""
    stop = suspension(bill, found.rule) if found.rule is not None else None
    if stop is not None and found.rule is not None and stop.needs_a_person:
        raise _asks_a_person(bill, found, found.rule, stop)
    planned, retry = bill.next_attempt is not None, _retries(bill, found.rule)
    usual = _usual_day(bill, found.rule) if retry else None
    holds = usual is not None and not usual.is_today
    high = _why_high(bill, found.rule, stop)
    contact = _contacts(bill, found.rule, holds=holds) or not (planned or retry)
    reasons = [_because(bill)]
    if contact and bill.decline.contact:
        reasons.append("the customer has to be asked, on the first failure and in a friendly way")
    reasons.append(_again(planned, retry and not holds, usual if holds else None))
    if high:
        reasons.append(f"the owner of the account should know: {listed(high)}")
    if stop is not None and stop.is_due:
        kept = [*([stop.decided] if stop.decided else []), *stop.spared]
        reasons.append(f"nobody is switched off here; {listed(kept)}")
    told = (_of_usual_day(usual), *(_of_suspension(stop) if stop else ()))
    return replace(
        found,
        reasons=tuple(reasons),
        contact=contact,
        retry=retry and not holds,
        high=tuple(high),
        spared=stop.spared if stop is not None and stop.is_due else (),
        hold_until=usual.next_at if usual is not None and holds else None,
        found=tuple(item for item in told if item is not None),
    )


def _asks_a_person(bill: Bill, found: Ruling, rule: Dunning, stop: Suspension) -> Person:
    asked = "; a colleague asks to keep them on, which decides nothing" if stop.asked else ""
    spares = "no flag and no written word of those who may say so spares them"
    page = (found.policy.evidence,) if found.policy else ()
    return Person(
        f"{days_told(bill, rule)}; {spares}{asked}",
        "whether they are switched off is for people to decide, never for us",
        cites=(*page, bill.invoice, *bill.accounts, *stop.asked),
        policy=found.policy,
        found=_of_suspension(stop),
        ways_out=WAYS_OUT,
    )


def _because(bill: Bill) -> str:
    if bill.failed is None and not bill.decline.code and bill.is_sent:
        return f"the invoice was sent to them and is {count(bill.days_overdue, 'day')} overdue"
    code = f" ({bill.decline.code})" if bill.decline.code else ""
    return f"the payment failed because {bill.decline.family.value}{code}"


def _again(planned: bool, retry: bool, waited: UsualDay | None) -> str:
    if planned:
        return "Stripe tries again by itself, so we do not"
    if waited is not None:
        usual = f"most of their payments go through on day {waited.day} of the month"
        return f"{usual}, so it waits until {day(waited.next_at)}"
    if retry:
        return "trying again can help, and nothing is planned"
    return "trying again would not help, or is not for us to do"


def _of_usual_day(usual: UsualDay | None) -> Finding | None:
    if usual is None:
        return None
    times = count(len(usual.payments), "payment")
    return claimed(f"{times} of theirs went through on day {usual.day} of a month", INFERRED, *usual.payments)


def _of_suspension(stop: Suspension) -> tuple[Finding, ...]:
    found = (
        claimed(f"they stay on: {listed(stop.spared)}", READ_OUT, *stop.cites),
        claimed("colleagues ask to keep them on, without being among those who may decide it", READ_OUT, *stop.asked),
    )
    return tuple(item for item in found if item is not None)


def _usual_day(bill: Bill, wanted: Dunning | None) -> UsualDay | None:
    if wanted is None or wanted.usual_day_payments is None or bill.decline.family is not Family.FUNDS:
        return None
    return usual_day(bill, wanted.usual_day_payments)


def _contacts(bill: Bill, wanted: Dunning | None, *, holds: bool) -> bool:
    code = bill.decline.code
    if holds and wanted is not None and not wanted.message_before_usual_day:
        return False
    if wanted is not None and code in wanted.contact_on | wanted.retry_on:
        return code in wanted.contact_on
    return bill.decline.contact


def _retries(bill: Bill, wanted: Dunning | None) -> bool:
    """Whether we try again: only where it can help, nothing is planned, and the merchant lets it."""
    if bill.next_attempt is not None:
        return False
    if wanted is None:
        return bill.decline.retry
    bound = wanted.automatic_retries_below_minor
    if bound is not None and _reaches(bill, bound, wanted.currency):
        return False
    code = bill.decline.code
    return code in wanted.retry_on if code in wanted.contact_on | wanted.retry_on else bill.decline.retry


def _why_high(bill: Bill, wanted: Dunning | None, stop: Suspension | None) -> list[str]:
    """Why the owner of the account should know; empty: no reason."""
    reasons = []
    if stop is not None and stop.is_due and stop.decided:
        reasons.append(stop.decided)
    if bill.is_strategic:
        reasons.append("they are a strategic customer")
    if bill.days_overdue >= LONG_OVERDUE_DAYS:
        reasons.append(f"the invoice is {count(bill.days_overdue, 'day')} overdue")
    least, currency = (HIGH_DUE_MINOR, bill.org.currency)
    if wanted is not None and wanted.owner_ticket_from_minor is not None:
        least, currency = wanted.owner_ticket_from_minor, wanted.currency or bill.org.currency
    if _reaches(bill, least, currency):
        reasons.append(f"{bill.money(bill.due_minor)} is much")
    arr = arr_minor(bill, bill.org)
    if wanted is None and arr is not None and arr >= HIGH_ARR_MINOR:
        reasons.append("they bring much revenue")
    return reasons


def _reaches(bill: Bill, least_minor: int, currency: str | None) -> bool:
    """Whether what is due reaches an amount, at the org's rates; without a rate it counts as much."""
    try:
        due = convert(Money(minor=bill.due_minor, currency=bill.currency), bill.org.currency, bill.org.fx)
        return due >= _in_org(least_minor, currency or bill.org.currency, bill.org)
    except MissingRate:
        return True


def _in_org(minor: int, currency: str, org: Org) -> int:
    return convert(Money(minor=minor, currency=currency), org.currency, org.fx)
