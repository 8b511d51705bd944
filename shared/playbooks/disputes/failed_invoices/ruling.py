"""What becomes of a failed invoice: who is told, whether it is tried again, or why nothing or a person is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.case.money import MissingRate, Money, convert
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.conclusion import PERSON_PCT
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.declines import Family
from shared.playbooks.disputes.policies import Policy, disagree, for_topics, in_force, topics_for
from shared.playbooks.disputes.policy_rules.dunning import Dunning, dunning
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.playbooks.disputes.profile import arr_minor
from shared.ports.directory import Org
from shared.team.exhibits import text
from shared.team.words import count, listed

LONG_OVERDUE_DAYS = 30
HIGH_DUE_MINOR = 500_000
HIGH_ARR_MINOR = 5_000_000
"""From 5,000.00 due or 50,000.00 a year the owner of the account is told, where the merchant has no rule. In the org's
currency."""

_SETTLED = frozenset({"paid", "void", "uncollectible", "draft"})
_SURE_PCT = 90
_UNKNOWN_PCT = 72
_PER_GAP_PCT = 4
_MOST_FOR_GAPS_PCT = 16


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, and for a follow-up: whether to write, to tell the owner, to try again.

    `high`: why the owner should know; `policies`: every page on failed payments that was read.
    """

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    cites: tuple[Evidence, ...] = ()
    policies: tuple[Policy, ...] = ()
    policy: Policy | None = None
    rule: Dunning | None = None
    contact: bool = False
    retry: bool = False
    high: tuple[str, ...] = ()


class _Person(Exception):
    def __init__(self, reason: str, *cites: Evidence) -> None:
        super().__init__(reason)
        self.reason, self.cites = reason, cites


def rule(bill: Bill, gaps: Sequence[Gap]) -> Ruling:
    """The ruling on a failed invoice. `gaps`: what the specialists could not find out."""
    pages = tuple(for_topics(bill.exhibits, topics_for(bill.case)))
    less = min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
    status = text(bill.invoice, "status")
    if status in _SETTLED or bill.due_minor == 0:
        reason = f"the invoice is {status or 'settled'} by now, and nothing is left to collect"
        return Ruling(DecisionKind.RECORD, (reason,), _SURE_PCT, (bill.invoice,), pages)
    try:
        policy, wanted = _policy(bill, pages)
        if bill.decline.family is Family.SUSPECTED:
            reason = "the bank suspects fraud: nobody should try again before a person has looked"
            raise _Person(reason, *([bill.failed] if bill.failed else []))
    except _Person as why:
        return Ruling(DecisionKind.ESCALATE, (why.reason,), PERSON_PCT, why.cites, pages)
    known = bill.decline.family is not Family.UNKNOWN
    sure = _SURE_PCT - less if known else _UNKNOWN_PCT
    found = Ruling(DecisionKind.RECOVER, (), sure, policies=pages, policy=policy, rule=wanted)
    return _followed_up(bill, found)


def _policy(bill: Bill, pages: Sequence[Policy]) -> tuple[Policy | None, Dunning | None]:
    current = in_force(pages, bill.now)
    if not pages and not bill.exhibits.absences(labels.NO_POLICY):
        raise _Person("the merchant's policies could not be read", bill.invoice)
    if disagree(current):
        named = listed([page.name for page in current])
        raise _Person(f"two current policies disagree: {named}", *[page.evidence for page in current])
    if not current:
        return None, None
    try:
        return current[0], dunning(current[0])
    except Unevaluable as why:
        reason = f"the policy {current[0].name} has to be read by a person: {why}"
        raise _Person(reason, current[0].evidence) from why


def _followed_up(bill: Bill, found: Ruling) -> Ruling:
    planned, retry = bill.next_attempt is not None, _retries(bill, found.rule)
    high = _why_high(bill, found.rule)
    contact = _contacts(bill, found.rule) or not (planned or retry)
    reasons = [f"the payment failed because {bill.decline.family.value}{_code(bill)}"]
    if contact:
        reasons.append("the customer has to be asked, on the first failure and in a friendly way")
    if planned:
        reasons.append("Stripe tries again by itself, so we do not")
    elif retry:
        reasons.append("trying again can help, and nothing is planned")
    else:
        reasons.append("trying again would not help, or is not for us to do")
    if high:
        reasons.append(f"the owner of the account should know: {listed(high)}")
    return replace(found, reasons=tuple(reasons), contact=contact, retry=retry, high=tuple(high))


def _contacts(bill: Bill, wanted: Dunning | None) -> bool:
    code = bill.decline.code
    if wanted is not None and code in wanted.contact_on | wanted.retry_on:
        return code in wanted.contact_on
    return bill.decline.contact


def _retries(bill: Bill, wanted: Dunning | None) -> bool:
    """Whether we try again: only where it can help, nothing is planned, and the merchant lets it."""
    if bill.next_attempt is not None:
        return False
    if wanted is None:
        return bill.decline.retry
    if wanted.automatic_retries_below_minor is not None and _reaches(
        bill, wanted.automatic_retries_below_minor, wanted.currency
    ):
        return False
    code = bill.decline.code
    return code in wanted.retry_on if code in wanted.contact_on | wanted.retry_on else bill.decline.retry


def _why_high(bill: Bill, wanted: Dunning | None) -> list[str]:
    """Why the owner of the account should know; empty: no reason."""
    reasons = []
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


def _code(bill: Bill) -> str:
    return f" ({bill.decline.code})" if bill.decline.code else ""
