"""Seats that were given up within a cycle that is paid for: their price for the rest of it."""

from __future__ import annotations

from shared.case.brief import Derivation
from shared.case.evidence import Evidence
from shared.errors import InvalidInput
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.seat_proration import SeatProration, seat_proration
from shared.playbooks.disputes.requests import amounts
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import paid_as_billed, payment_meant, untouched
from shared.playbooks.disputes.requests.model import Owed, Ruling, person
from shared.team.contract import Material
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import count, listed, minute


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling | str:
    """Every seat that went, less those that came, for the rest of the cycle. Raises Said, Unevaluable."""
    rule = seat_proration(policy)
    if labels.SEATS in claim.unread:
        raise person("not all changes of seats could be read", policy.evidence)
    every = _changes(claim, rule)
    if not any(sign > 0 for _, sign in every):
        return "no seat of theirs was given up"
    payment = payment_meant(material, claim)
    line, cycle = claim.line_of(payment.charge), claim.cycle_of(payment.charge)
    if line is None or cycle is None:
        raise person("the billing cycle of the charge is not known", payment.charge, payment=payment)
    changes = [(row, sign) for row, sign in every if _inside(row, cycle, claim)]
    if not any(sign > 0 for _, sign in changes):
        return "no seat of theirs was given up within the cycle that was paid for"
    if any(whole(row, "seats") is None or (whole(row, "seats") or 0) <= 0 for row, _ in changes):
        raise person("a change of seats does not say how many", *[row for row, _ in changes], payment=payment)
    _check_bounds(payment, line, changes)
    paid_as_billed(payment)
    untouched(claim, payment)
    owed = Owed(_derived(payment, line, changes, rule, policy), rule.instrument, _because(changes))
    told = _told(changes)
    finding = claimed(told, READ_OUT, line, *[row for row, _ in changes])
    reason = f"{told}; {policy.name} gives back the rest of the cycle: {owed.derivation.words}"
    return Ruling(
        owed.kind,
        (reason,),
        (policy.evidence,),
        policy=policy,
        payment=payment,
        owed=owed,
        found=(finding,) if finding else (),
    )


def _changes(claim: Claim, rule: SeatProration) -> list[tuple[Evidence, int]]:
    """Every change of seats, in order; 1: they went, -1: they came. At one instant, what goes makes room first."""
    signs = {rule.removed_event: 1, rule.added_event: -1}
    found = [
        (at, -signs[text(row, "event")], row.index, row)
        for row in claim.exhibits.rows("posthog.events")
        if text(row, "event") in signs and (at := moment(row.row.fields.get("timestamp"))) is not None
    ]
    return [(row, -came) for _, came, _, row in sorted(found, key=lambda item: item[:3])]


def _inside(row: Evidence, cycle: Cycle, claim: Claim) -> bool:
    at = moment(row.row.fields.get("timestamp"))
    return at is not None and cycle.start <= at < cycle.end and at <= claim.received_at


def _check_bounds(payment: Payment, line: Evidence, changes: list[tuple[Evidence, int]]) -> None:
    """Never more seats gone than were paid for, and never more come than had gone. Raises Said."""
    paid, gone = whole(line, "quantity"), 0
    rows = [row for row, _ in changes]
    if paid is None or whole(line, "price__unit_amount") is None:
        raise person("the invoice does not say how many seats were paid for, at which price", line, payment=payment)
    if paid * (whole(line, "price__unit_amount") or 0) != whole(line, "amount"):
        raise person("the seats at their price are not what the invoice bills", line, payment=payment)
    for row, sign in changes:
        gone += sign * (whole(row, "seats") or 0)
        if gone < 0 or gone > paid:
            raise person("the changes of seats do not fit the seats that were paid for", line, *rows, payment=payment)


def _derived(
    payment: Payment, line: Evidence, changes: list[tuple[Evidence, int]], rule: SeatProration, policy: Policy
) -> Derivation:
    rows = [row for row, _ in changes]
    try:
        found = amounts.rest_of_seats(line, payment.currency, changes, rule.basis_days, f"{policy.id}: basis_days")
    except InvalidInput as why:
        raise person(f"what is owed could not be computed: {why}", line, *rows, payment=payment) from why
    if found.value_minor <= 0:
        raise person("what the policy gives back rounds to nothing", line, *rows, payment=payment)
    return found


def _told(changes: list[tuple[Evidence, int]]) -> str:
    return "seats: " + listed([_change(row, sign) for row, sign in changes])


def _change(row: Evidence, sign: int) -> str:
    at = moment(row.row.fields.get("timestamp"))
    return f"{whole(row, 'seats')} {'given up' if sign > 0 else 'added'} on {minute(at) if at else 'an unknown day'}"


def _because(changes: list[tuple[Evidence, int]]) -> str:
    gone = sum(sign * (whole(row, "seats") or 0) for row, sign in changes)
    return f"You have given up {count(gone, 'seat')} within a period that you had paid for. That time is not charged."
