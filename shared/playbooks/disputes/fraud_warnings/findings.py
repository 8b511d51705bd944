"""The findings about an early fraud warning."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.case.evidence import Evidence
from shared.playbooks.disputes import labels, monitoring
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, WEAK, claimed
from shared.playbooks.disputes.fraud_warnings.ruling import Ruling
from shared.playbooks.disputes.payment import Payment
from shared.team.exhibits import text
from shared.team.moments import moment
from shared.team.words import day, listed, number


def findings(payment: Payment, warning: Evidence, ruling: Ruling) -> tuple[Finding, ...]:
    """Every finding that the evidence supports, in the order in which a reader needs them."""
    found = (
        _warning(payment, warning),
        _disputes(payment),
        _returned(payment),
        _weighed(payment, ruling),
        _secure(payment),
        _monitored(payment),
        _policy(ruling),
        _aside(ruling),
        claimed("; ".join(ruling.reasons), WEAK, *ruling.cites),
    )
    return tuple(item for item in found if item is not None)


def _warning(payment: Payment, warning: Evidence) -> Finding | None:
    at = moment(warning.row.fields.get("created"))
    kind = text(warning, "fraud_type").replace("_", " ") or "no kind given"
    when = f" on {day(at)}" if at else ""
    claim = (
        f"the card issuer reported the payment of {payment.money(payment.amount_minor)} by {payment.customer_name} "
        f"({day(payment.paid_at)}) as possible fraud{when}: {kind}"
    )
    return claimed(claim, READ_OUT, warning, payment.charge, payment.customer)


def _disputes(payment: Payment) -> Finding | None:
    if payment.disputes:
        told = listed([f"{item.row.record_id} ({text(item, 'status')})" for item in payment.disputes])
        return claimed(f"the charge is disputed: {told}", READ_OUT, payment.charge, *payment.disputes)
    absent = payment.exhibits.absences(labels.NO_EARLIER_DISPUTE)
    return claimed("neither this charge nor another of the customer is disputed", READ_OUT, payment.charge, *absent)


def _returned(payment: Payment) -> Finding | None:
    if payment.refunds:
        return claimed("part of the charge was returned before", READ_OUT, payment.charge, *payment.refunds)
    absent = payment.exhibits.absences(labels.NO_REFUND)
    return claimed("nothing of the charge was returned", READ_OUT, payment.charge, *absent) if absent else None


def _weighed(payment: Payment, ruling: Ruling) -> Finding | None:
    weighing = ruling.weighing
    if weighing is None:
        return None
    small, even = weighing.shown(weighing.small_minor), weighing.shown(weighing.break_even_minor)
    claim = (
        f"a dispute costs a fee of {weighing.shown(weighing.fee_minor)}, and {ruling.rule.odds_pct} of 100 warnings "
        f"become one: up to {number(ruling.rule.small_multiple)} fees ({small}) a refund is cheaper for certain, up to "
        f"{even} on average; left of this charge are {weighing.shown(weighing.left_minor)}"
    )
    source = ruling.policy.evidence if ruling.policy else None
    return claimed(claim, READ_OUT, source, payment.charge, *payment.exhibits.rows("rules.fraud_warnings"))


def _secure(payment: Payment) -> Finding | None:
    result = text(payment.charge, "payment_method_details__card__three_d_secure__result")
    told = f"3-D Secure: {result.replace('_', ' ')}" if result else "the payment went without 3-D Secure"
    return claimed(told, READ_OUT, payment.charge)


def _monitored(payment: Payment) -> Finding | None:
    counted = monitoring.figures(payment.exhibits)
    if counted is None:
        return None
    close = "close to" if monitoring.is_close(counted) else "not close to"
    claim = f"the account is {close} the networks' monitoring programmes: {monitoring.in_words(counted)}"
    return claimed(claim, INFERRED, counted)


def _policy(ruling: Ruling) -> Finding | None:
    if ruling.policy is not None:
        return claimed(f"current policy for warnings: {ruling.policy.name}", READ_OUT, ruling.policy.evidence)
    return None


def _aside(ruling: Ruling) -> Finding | None:
    others = [page for page in ruling.policies if page.status != "current"]
    named = listed([page.name for page in others])
    return claimed(f"read, but not applied: {named}", READ_OUT, *[page.evidence for page in others])
