"""What speaks against a claim of fraud."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.codes import OF_FRAUD
from shared.playbooks.disputes.findings.claim import READ_OUT, claimed
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text, whole
from shared.team.moments import moment
from shared.team.words import day, listed


def earlier_payments(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """The earlier payments that qualify, and what ties them to the disputed one."""
    found = ruling.compelling
    if found is None:
        return None
    told = [
        f"{matter.money(whole(item.charge, 'amount') or 0)} on {day(at)} ({(matter.paid_at - at).days} days before)"
        for item in found.earlier
        if (at := moment(item.charge.row.fields.get("created"))) is not None
    ]
    same = listed(
        [
            f"{name.removeprefix('customer_').replace('_', ' ')} {found.disputed.identifiers[name]}"
            for name in found.shared
        ]
    )
    claim = f"two earlier, undisputed payments with the same card: {listed(told)}; on all three the same {same}"
    return claimed(claim, READ_OUT, *found.cites)


def secure(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Whether the holder of the card was authenticated."""
    if matter.rule.family not in OF_FRAUD:
        return None
    result = text(matter.charge, "payment_method_details__card__three_d_secure__result")
    told = f"3-D Secure: {result.replace('_', ' ')}" if result else "the payment went without 3-D Secure"
    return claimed(told, READ_OUT, matter.charge)
