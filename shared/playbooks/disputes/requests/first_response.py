"""An urgent ticket that nobody answered for too long: what the policy gives as goodwill."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.case.brief import Derivation, Finding
from shared.case.evidence import Evidence
from shared.errors import InvalidInput
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.first_response_breach import FirstResponseBreach, first_response_breach
from shared.playbooks.disputes.requests import amounts
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import payment_meant, untouched
from shared.playbooks.disputes.requests.model import Owed, Ruling, person
from shared.team.business import business_time
from shared.team.contract import Material
from shared.team.exhibits import decimal, text
from shared.team.moments import moment
from shared.team.words import day, hours_and_days, listed, minute


@dataclass(frozen=True, slots=True)
class _Wait:
    """A ticket and how long it waited for an answer; `answered` None: it still does."""

    ticket: Evidence
    comments: tuple[Evidence, ...]
    made: datetime
    answered: datetime | None
    lasted: timedelta
    """By the hours that the rule counts."""
    in_business_hours: timedelta


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """One month of the yearly revenue for whoever waited too long. Raises Said, Unevaluable."""
    rule = first_response_breach(policy)
    waits = [wait for row in claim.exhibits.rows("zendesk.tickets") if (wait := _wait(claim, rule, row)) is not None]
    breached = [wait for wait in waits if wait.lasted > rule.after]
    if not breached:
        _check_read(claim)
        return "no ticket of theirs waited for a first answer for so long"
    payment = payment_meant(material, claim)
    untouched(claim, payment)
    owed = Owed(_goodwill(claim, payment, rule), rule.instrument, _because(breached))
    if not rule.instrument.is_credit and owed.derivation.value_minor > (payment.left_minor or 0):
        raise person("the goodwill is more than the charge has left", payment.charge, payment=payment)
    longest = max(breached, key=lambda wait: wait.lasted)
    reason = (
        f"{policy.name} gives one month after more than {_long(rule.after)} without a "
        f"first answer; ticket {longest.ticket.row.record_id} waited {_long(longest.lasted)}"
    )
    found = tuple(item for wait in breached if (item := _finding(rule, wait)) is not None)
    return Ruling(owed.kind, (reason,), (policy.evidence,), policy=policy, payment=payment, owed=owed, found=found)


def _wait(claim: Claim, rule: FirstResponseBreach, ticket: Evidence) -> _Wait | None:
    made = moment(ticket.row.fields.get("created_at"))
    if made is None or made > claim.received_at or text(ticket, "priority").lower() not in rule.priorities:
        return None
    recorded = moment(ticket.row.fields.get("first_response_at"))
    comments = tuple(
        row
        for row in claim.exhibits.rows("zendesk.ticket_comments")
        if text(row, "ticket_id") == ticket.row.record_id and _is_answer(row)
    )
    wrote = min((at for row in comments if (at := moment(row.row.fields.get("created_at"))) is not None), default=None)
    by_record, by_comment = (_lasted(claim, rule, made, at) > rule.after for at in (recorded, wrote))
    if recorded is None and labels.TICKET_COMMENTS in claim.unread:
        raise person("whether anybody answered their ticket could not be read", ticket)
    if by_record != by_comment and (recorded is None or comments):
        raise person("the ticket and its comments disagree about when it was first answered", ticket, *comments)
    answered = min((at for at in (recorded, wrote) if at is not None), default=None)
    business = business_time(
        made,
        answered or claim.now,
        timezone=claim.org.timezone,
        opens=rule.business_day[0],
        closes=rule.business_day[1],
    )
    return _Wait(ticket, comments, made, answered, _lasted(claim, rule, made, answered), business)


def _is_answer(comment: Evidence) -> bool:
    return text(comment, "author_role") == "agent" and comment.row.fields.get("public") is not False


def _lasted(claim: Claim, rule: FirstResponseBreach, made: datetime, answered: datetime | None) -> timedelta:
    until = answered or claim.now
    if not rule.in_business_hours:
        return until - made
    opens, closes = rule.business_day
    return business_time(made, until, timezone=claim.org.timezone, opens=opens, closes=closes)


def _check_read(claim: Claim) -> None:
    contacts = claim.exhibits.rows("zendesk.tickets", "intercom.conversations")
    if labels.TICKETS in claim.unread or not (contacts or claim.exhibits.absences(labels.NO_SUPPORT)):
        raise person("their tickets could not be read", claim.request)


def _goodwill(claim: Claim, payment: Payment, rule: FirstResponseBreach) -> Derivation:
    rows = [row for row in claim.accounts if decimal(row.row.fields.get("arr")) is not None]
    if len({decimal(row.row.fields["arr"]) for row in rows}) != 1:
        raise person("the CRM does not hold one figure for their yearly revenue", *rows, payment=payment)
    if payment.currency != claim.org.currency:
        # The CRM keeps the revenue in the org's own currency.
        raise person("their yearly revenue is not in the currency that they pay in", *rows, payment=payment)
    try:
        month = amounts.month_of_revenue(rows[0], payment.currency, whole_units=rule.whole_units)
    except InvalidInput as why:
        raise person(f"a month of their yearly revenue could not be computed: {why}", *rows, payment=payment) from why
    if month.value_minor <= 0:
        raise person("a month of their yearly revenue comes to nothing", *rows, payment=payment)
    return month


def _because(breached: list[_Wait]) -> str:
    asked = listed([day(wait.made) for wait in breached])
    return (
        f"You wrote to our support on {asked}, marked as urgent, and nobody answered in time. That is not the service "
        "we promise, and we are sorry. It gives you back one month."
    )


def _finding(rule: FirstResponseBreach, wait: _Wait) -> Finding | None:
    until = f"was first answered on {minute(wait.answered)}" if wait.answered else "has no answer"
    target = (
        f"; {_hours(wait.in_business_hours)} business hours, where {_hours(rule.target)} are promised"
        if rule.target is not None
        else ""
    )
    told = (
        f"their {text(wait.ticket, 'priority').lower()} ticket {wait.ticket.row.record_id} of {minute(wait.made)} "
        f"{until}"
        f": {_long(wait.lasted)}{target}"
    )
    return claimed(told, READ_OUT, wait.ticket, *wait.comments)


def _long(span: timedelta) -> str:
    return hours_and_days(int(span.total_seconds()))


def _hours(span: timedelta) -> int:
    return int(span.total_seconds()) // 3600
