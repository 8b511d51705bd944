"""Whether a failed payment has every sign for which the merchant's policy wants people to look for fraud first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.case.brief import Option
from shared.case.evidence import Evidence
from shared.case.money import MissingRate, Money, convert
from shared.playbooks.disputes import labels, purposes
from shared.playbooks.disputes.choices import chosen
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.model import Errand, Person
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.fraud_review import FraudReview, fraud_review
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import count, listed

CLEARED = Option(
    id="cleared",
    label="No fraud: follow the invoice up",
    effect="a new round starts, and the invoice is followed up by the page on failed payments",
)


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign. `there` None: no evidence tells."""

    there: bool | None
    told: str
    cites: tuple[Evidence, ...] = ()


def review(bill: Bill, policy: Policy) -> None:
    """Return when the policy does not ask for a review of this payment.

    Raises Person when every sign is there, or when all that are known are and another is not known; Unevaluable.
    """
    wanted = fraud_review(policy)
    answer = chosen(bill.case)
    if answer is not None and answer.option == CLEARED.id:
        return
    signs = [sign for look in _LOOKS if (sign := look(bill, wanted)) is not None]
    if any(sign.there is False for sign in signs):
        return
    unknown = [sign.told for sign in signs if sign.there is None]
    cites = (policy.evidence, bill.invoice, *(row for sign in signs for row in sign.cites))
    if unknown:
        raise Person(
            f"whether {policy.name} wants a review for fraud is not known: {listed(unknown)}",
            cites=cites,
            policy=policy,
        )
    found = tuple(item for sign in signs if (item := claimed(sign.told, READ_OUT, *sign.cites)) is not None)
    raise Person(
        f"every sign of {policy.name} is there: {listed([sign.told for sign in signs])}",
        "until people have looked at it nothing is tried again and nothing is paid back",
        cites=cites,
        policy=policy,
        found=found,
        errand=_errand(bill, wanted, signs),
        ways_out=(CLEARED,),
    )


def _errand(bill: Bill, wanted: FraudReview, signs: list[Sign]) -> Errand:
    due = bill.money(bill.due_minor)
    body = (
        f"Invoice {bill.number} of {bill.customer_name} ({bill.invoice.row.record_id}): {due} could not be collected. "
        f"Please look for fraud before anybody collects it: {listed([sign.told for sign in signs])}. "
        "Nothing is tried again, and nobody has written to them."
    )
    return Errand(
        purposes.fraud_review(bill.attempt), f"Fraud review: {bill.customer_name}, {due}", body, wanted.review_by
    )


def _amount(bill: Bill, wanted: FraudReview) -> Sign:
    told = f"{bill.money(bill.due_minor)} is due, more than {wanted.above}"
    try:
        due, bound = (
            convert(money, bill.org.currency, bill.org.fx)
            for money in (Money(minor=bill.due_minor, currency=bill.currency), wanted.above)
        )
    except MissingRate:
        return Sign(None, f"whether {told}", (bill.invoice,))
    return Sign(due > bound, told, (bill.invoice,))


def _domain(bill: Bill, wanted: FraudReview) -> Sign | None:
    if wanted.domain_younger_than_days is None:
        return None
    rows = bill.exhibits.rows("whois.domains")
    registered = [at for row in rows if (at := moment(row.row.fields.get("registered_at"))) is not None]
    if not registered:
        return Sign(None, "when their domain was registered")
    age = (bill.now - max(registered)).days
    named = listed(sorted(row.row.record_id for row in rows))
    return Sign(age < wanted.domain_younger_than_days, f"{named} was registered {count(age, 'day')} ago", tuple(rows))


def _use(bill: Bill, wanted: FraudReview) -> Sign | None:
    if wanted.critical_events_below is None:
        return None
    rows = bill.exhibits.rows("posthog.events")
    critical = [row for row in rows if text(row, "event") in wanted.critical_events]
    absent = bill.exhibits.absences(labels.NO_USE)
    few = len(critical) < wanted.critical_events_below
    if few and (labels.USE_BY_EVENT in bill.unread or not (rows or absent)):
        return Sign(None, "how much they used the product")
    told = f"they did {count(len(critical), 'critical action')} in the product"
    return Sign(few, told, tuple(critical or rows[:3] or absent))


def _tenure(bill: Bill, wanted: FraudReview) -> Sign | None:
    if wanted.owner_tenure_below_days is None:
        return None
    rows = [row for row in bill.accounts if moment(row.row.fields.get("owner_started_at")) is not None]
    began = {moment(row.row.fields.get("owner_started_at")) for row in rows}
    started = began.pop() if len(began) == 1 else None
    if started is None:
        return Sign(None, "since when the owner of the account has been with us", tuple(bill.accounts))
    days = (bill.now - started).days
    return Sign(
        days < wanted.owner_tenure_below_days, f"{bill.owner} has been here for {count(days, 'day')}", tuple(rows)
    )


def _score(bill: Bill, wanted: FraudReview) -> Sign | None:
    if wanted.risk_score_from is None:
        return None
    score = whole(bill.failed, "outcome__risk_score")
    cites = (bill.failed,) if bill.failed is not None else ()
    if score is None:
        return Sign(None, "which risk score Radar gave", cites)
    return Sign(score >= wanted.risk_score_from, f"Radar scored the payment {score}", cites)


_LOOKS: tuple[Callable[[Bill, FraudReview], Sign | None], ...] = (_amount, _domain, _use, _tenure, _score)
