"""A claim that something was charged twice: the documents of both charges are held against each other.

Two invoices for two periods or things are contested with both. One thing paid twice is given up, unless one of the two
went back already. What two sides billed after a migration is for the merchant's policy.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.admission import admit_documents
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims import double_billing
from shared.playbooks.disputes.claims.model import (
    ACCEPT_WITHOUT_POLICY_PCT,
    FIGHT_PCT,
    FIGHT_WITHOUT_POLICY_PCT,
    Argument,
    Letter,
    Ruling,
    Shown,
    confidence,
)
from shared.playbooks.disputes.claims.refunded import contest_with, went_back
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.standing import KEEPS_MONEY, disputes_on, left_minor, refunds_of, strictest
from shared.playbooks.disputes.twins import Kinship, Side, Twin, side_of, twins
from shared.team.exhibits import whole
from shared.team.moments import moment
from shared.team.words import day, listed, minute

PAID_OTHERWISE = frozenset({"visa-12.6.2", "amex-C14", "discover-4865"})
"""Codes that claim a payment by other means, which need not be among our charges at all."""

_UNREAD = frozenset({labels.TWINS, labels.OTHER_CUSTOMERS, labels.LEDGER})


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest two different things, give one thing up that was paid twice. Raises Stop where no document tells."""
    admit_documents(matter, seen)
    _check_others_were_read(matter, gaps)
    refunds = went_back(matter, seen.refunds)
    if refunds:
        return contest_with(matter, seen, gaps, refunds, "the disputed charge was refunded before it was disputed")
    ruled = double_billing.rule(matter, seen, gaps)
    if ruled is not None:
        return ruled
    found = twins(matter)
    same = [twin for twin in found if twin.kinship is Kinship.SAME]
    if same:
        return _paid_twice(matter, seen, gaps, same)
    unclear = [twin for twin in found if twin.kinship is Kinship.UNCLEAR]
    if unclear:
        told = "; ".join(sorted({twin.why for twin in unclear}))
        raise Stop(
            (f"equal charges are on file, and no document tells whether they are one thing: {told}",),
            (matter.charge, *(row for twin in unclear for row in twin.side.rows)),
        )
    return _two_things(matter, seen, gaps, found)


def _check_others_were_read(matter: Matter, gaps: Sequence[Gap]) -> None:
    unread = sorted({gap.what for gap in gaps} & _UNREAD)
    others = [row for row in matter.exhibits.rows("stripe.charges") if row.index != matter.charge.index]
    if unread or not (others or matter.exhibits.absences(labels.NO_TWIN)):
        missing = listed(unread) or labels.TWINS
        raise Stop(
            (f"a second charge cannot be ruled out, since this was not read whole: {missing}",), (matter.charge,)
        )


def _paid_twice(matter: Matter, seen: Assessment, gaps: Sequence[Gap], same: list[Twin]) -> Ruling:
    for twin in same:
        refunds = went_back(matter, refunds_of(matter.exhibits, twin.charge), of=twin.charge)
        if refunds:
            why = f"{twin.why}, and one of the two was refunded"
            return contest_with(matter, seen, gaps, refunds, why, beside=twin)
    if len(same) > 1:
        raise Stop(
            ("more than two charges were made for one thing: which of them stands is for a person to say",),
            (matter.charge, *(twin.charge for twin in same)),
        )
    (twin,) = same
    _check_money_is_there(matter, twin)
    ours = side_of(matter, matter.charge)
    paid = matter.money(matter.paid_minor)
    reasons = (
        f"{twin.why}: {paid} on {minute(matter.paid_at)} and {_when(twin.side)}, and neither went back",
        f"the default for its code: {matter.rule.stance}",
    )
    return Ruling(
        DecisionKind.ACCEPT,
        reasons,
        confidence(ACCEPT_WITHOUT_POLICY_PCT, seen, gaps),
        shown=(Shown(f"one thing was paid twice: {twin.why}", (*ours.rows, *twin.side.rows)),),
        letter=Letter(
            f"Your payment of {paid}",
            f"you are right: we took {paid} twice for {twin.side.bought}. That was a fault on our side, and we are "
            "sorry. We have accepted your bank's dispute, so the second payment stays with you.",
        ),
    )


def _check_money_is_there(matter: Matter, twin: Twin) -> None:
    """Giving one of the two up is right only while the other one stays. Raises Stop."""
    disputes = disputes_on(matter.exhibits, twin.charge)
    if strictest(disputes) in KEEPS_MONEY:
        raise Stop(("both of the two charges are disputed, and only one of them is owed",), (twin.charge, *disputes))
    if left_minor(twin.charge) != whole(twin.charge, "amount") or left_minor(matter.charge) != matter.paid_minor:
        raise Stop(
            ("a part of one of the two charges went back: that has to be set off",), (matter.charge, twin.charge)
        )


def _two_things(matter: Matter, seen: Assessment, gaps: Sequence[Gap], found: list[Twin]) -> Ruling:
    ours = side_of(matter, matter.charge)
    if not found and (matter.rule.id in PAID_OTHERWISE or ours.invoice is None):
        why = (
            "the claim is a payment by other means" if matter.rule.id in PAID_OTHERWISE else "the charge has no invoice"
        )
        raise Stop(
            (f"no second charge is on file, and {why}: whether it was paid in another way is not known",),
            (matter.charge, *matter.exhibits.absences(labels.NO_TWIN)),
        )
    policy = next((page for page in seen.in_force if page.kind), None)
    absent = matter.exhibits.absences(labels.NO_TWIN)
    told = (
        f"each of the equal charges paid for something else: {'; '.join(sorted({twin.why for twin in found}))}"
        if found
        else "this is the only charge of its amount that the company paid around that time"
    )
    rows = (*ours.rows, *(row for twin in found for row in twin.side.rows), *absent)
    return Ruling(
        DecisionKind.FIGHT,
        (told, f"the default for its code: {matter.rule.stance}"),
        confidence(FIGHT_PCT if found else FIGHT_WITHOUT_POLICY_PCT, seen, gaps),
        policy=policy,
        shown=(Shown(_both(matter, ours, found), rows),),
        argument=_argument(matter, ours, found),
    )


def _both(matter: Matter, ours: Side, found: list[Twin]) -> str:
    others = "; ".join(f"{_when(twin.side)} paid {twin.side.in_words()}" for twin in found)
    return f"the disputed charge paid {ours.in_words()}" + (f"; {others}" if others else "; no equal charge is on file")


def _argument(matter: Matter, ours: Side, found: list[Twin]) -> Argument:
    paid = matter.money(matter.paid_minor)
    told = _both(matter, ours, found)
    fields = {
        "duplicate_charge_explanation": f"These are separate charges of {paid}, not one charge made twice: {told}.",
        **({"duplicate_charge_id": found[0].charge.row.record_id} if found else {}),
    }
    entries = tuple(
        (at, f"{minute(at)}: a separate payment of {paid} for {twin.side.in_words()}.")
        for twin in found
        if (at := moment(twin.charge.row.fields.get("created"))) is not None
    )
    closing = f"The disputed payment is for {ours.in_words()}."
    closing += " No charge was made twice." if found else " There was no other charge of this amount."
    return Argument(fields, entries, closing)


def _when(side: Side) -> str:
    at = moment(side.charge.row.fields.get("created"))
    return f"{side.charge.row.record_id} on {day(at)}" if at else side.charge.row.record_id
