"""The findings about a request."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.case.evidence import Evidence
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, WEAK, claimed
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.model import Ruling
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import lasting, listed, minute, quoted

_SYSTEMS = {"sentry": "the error tracker", "datadog": "the logs", "pagerduty": "the pager"}


def findings(claim: Claim, ruling: Ruling) -> tuple[Finding, ...]:
    """Every finding that the evidence supports, in the order in which a reader needs them."""
    found = (
        _asked(claim),
        _who(claim),
        _charge(ruling.payment),
        _twins(claim, ruling),
        _cause(ruling),
        *ruling.found,
        _standing(claim),
        _returned(claim, ruling.payment),
        _disputes(claim),
        _policy(ruling),
        _aside(ruling),
        claimed("; ".join(ruling.reasons), WEAK, *ruling.cites),
    )
    return tuple(item for item in found if item is not None)


def _asked(claim: Claim) -> Finding | None:
    channel = text(claim.request, "channel")
    return claimed(f"on {claim.when} somebody wrote by {channel}: {quoted(claim.words)}", READ_OUT, claim.request)


def _who(claim: Claim) -> Finding | None:
    known = "is one of" if claim.is_theirs else "is not known as one of"
    people = [
        row
        for row in claim.exhibits.rows("hubspot.contacts", "salesforce.contacts")
        if text(row, "email").lower() == claim.sender
    ]
    accounts = claim.exhibits.rows("hubspot.companies", "salesforce.accounts")
    told = f"{claim.sender} {known} the people of {claim.customer_name}"
    return claimed(told, INFERRED, claim.customer, *people, *accounts) if claim.customer else None


def _charge(payment: Payment | None) -> Finding | None:
    if payment is None:
        return None
    for_what = listed(
        sorted({text(line, "price__nickname", "description").split("\n")[0] for line in payment.paid_lines})
    )
    what = for_what or text(payment.charge, "description") or "a charge"
    claim = f"the charge that is meant: {payment.money(payment.amount_minor)} on {minute(payment.paid_at)} for {what}"
    return claimed(claim, READ_OUT, payment.charge, *payment.paid_lines)


def _twins(claim: Claim, ruling: Ruling) -> Finding | None:
    if ruling.twins is None:
        return None
    twins = ruling.twins
    first, later = (moment(row.row.fields.get("created")) for row in (twins.first, twins.later))
    assert first is not None
    assert later is not None
    both = f"; {listed(sorted(twins.shared))} stands behind both" if twins.shared else ""
    claim_ = f"two equal charges, {lasting(twins.apart)} apart: {minute(first)} and {minute(later)}{both}"
    lines = [
        row
        for row in claim.exhibits.rows("datadog.logs")
        if any(m.rpartition("=")[2] in text(row, "message").lower() for m in twins.shared)
    ]
    return claimed(claim_, READ_OUT, twins.first, twins.later, *lines)


def _cause(ruling: Ruling) -> Finding | None:
    shown = ruling.checked.shown if ruling.checked else {}
    told = listed([_SYSTEMS[system] for system in shown])
    words = quoted(_words(shown)) if shown else ""
    rows = [row for found in shown.values() for row in found]
    return claimed(f"our own systems show what happened ({told}): {words}", READ_OUT, *rows)


def _words(shown: dict[str, list[Evidence]]) -> str:
    return "; ".join(text(found[0], "message", "title").split("\n")[0] for found in shown.values())


def _standing(claim: Claim) -> Finding | None:
    tickets = claim.exhibits.rows("zendesk.tickets")
    if not tickets:
        return claimed("they have no tickets", INFERRED, *claim.exhibits.absences(labels.NO_SUPPORT))
    told = listed(sorted({f"{text(row, 'status') or 'unknown'}" for row in tickets}))
    return claimed(f"their tickets: {told}", READ_OUT, *tickets)


def _returned(claim: Claim, payment: Payment | None) -> Finding | None:
    if payment is None:
        return None
    if payment.refunds or (whole(payment.charge, "amount_refunded") or 0) > 0:
        claim_ = f"returned of it already: {payment.money(whole(payment.charge, 'amount_refunded') or 0)}"
        return claimed(claim_, READ_OUT, payment.charge, *payment.refunds)
    absent = claim.exhibits.absences(labels.NO_REFUND)
    return claimed("nothing of it was returned", READ_OUT, payment.charge, *absent)


def _disputes(claim: Claim) -> Finding | None:
    rows = claim.exhibits.rows("stripe.disputes")
    if rows:
        told = listed([f"{row.row.record_id} ({text(row, 'status')})" for row in rows])
        return claimed(f"they have disputed charges: {told}", READ_OUT, *rows)
    absent = claim.exhibits.absences(labels.NO_EARLIER_DISPUTE)
    return claimed("they have disputed no charge", READ_OUT, *absent)


def _policy(ruling: Ruling) -> Finding | None:
    if ruling.policy is None:
        return None
    deciding = [ruling.policy, *ruling.beside]
    named = f"the {'policy that decides' if len(deciding) == 1 else 'policies that decide'} it"
    told = f"{named}: {listed([policy.name for policy in deciding])}"
    return claimed(told, READ_OUT, *[policy.evidence for policy in deciding])


def _aside(ruling: Ruling) -> Finding | None:
    others = [page for page in ruling.policies if page not in (ruling.policy, *ruling.beside)]
    named = listed([page.name for page in others])
    return claimed(f"read, but not applied: {named}", READ_OUT, *[page.evidence for page in others])
