"""What the customer and our own people said and did."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.playbooks.disputes import labels, testimony
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, claimed
from shared.playbooks.disputes.matter import Matter
from shared.team import language
from shared.team.words import listed, minute, quoted

_TOLD = {"tier": "tier", "arr": "ARR", "owner_name": "owner"}


def complaint(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What the customer complained about."""
    heard = ruling.credit.complaints if ruling.credit else seen.complaints
    told = "; ".join(f"on {minute(item.at)} they wrote {quoted(item.text)}" for item in testimony.different(heard)[:3])
    return claimed(f"they complained: {told}", READ_OUT, *[item.evidence for item in heard])


def no_contact(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """That they never contacted support."""
    claim = "this customer contacted support neither in chat nor by ticket"
    return claimed(claim, INFERRED, *matter.exhibits.absences(labels.NO_SUPPORT))


def promise(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What our staff promised."""
    told = "; ".join(
        f"on {minute(item.at)} our staff wrote {quoted(language.promise_in(item.text) or '')}"
        for item in seen.promises[:2]
    )
    return claimed(f"a credit was promised in writing: {told}", READ_OUT, *[item.evidence for item in seen.promises])


def plan_change(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """That they moved to another plan, and when."""
    tiers = sorted({tier for item in seen.troubles for tier in item.tiers})
    moves = [note for tier in tiers if (note := testimony.left_tier(matter, tier)) is not None]
    if not moves:
        return None
    left_at = testimony.written_at(moves[0])
    starts, ends = [item.start for item in seen.relevant], [item.end for item in seen.relevant if item.end]
    relation = ""
    if left_at is not None and starts:
        begun = ", after the incident" if ends and left_at >= max(ends) else ", during the incident"
        relation = ", before the incident" if left_at <= min(starts) else begun
    when = f" on {minute(left_at)}" if left_at else ""
    subscriptions = matter.exhibits.rows("stripe.subscriptions")
    return claimed(f"they moved to another plan{when}{relation}", READ_OUT, *moves, *subscriptions)


def cancellation(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Whether they asked to cancel."""
    if seen.cancellations:
        told = "; ".join(f"on {minute(item.at)}: {quoted(item.text)}" for item in seen.cancellations[:2])
        return claimed(f"they asked to cancel {told}", INFERRED, *[item.evidence for item in seen.cancellations])
    claim = "they asked in no channel to cancel the subscription"
    return claimed(claim, INFERRED, *matter.exhibits.absences(labels.NO_CANCELLATION))


def account(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Who they are in the CRM."""
    rows = matter.exhibits.rows("salesforce.accounts", "hubspot.companies")
    told = [
        ", ".join(f"{label} {row.row.fields[name]}" for name, label in _TOLD.items() if row.row.fields.get(name))
        for row in rows
    ]
    return claimed(f"in the CRM they are {listed(told)}", READ_OUT, *rows)


def courtesy(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Opinions of colleagues about what to pay."""
    claim = "a colleague suggested a payment as a courtesy; an opinion is no policy, so it changes nothing here"
    return claimed(claim, INFERRED, *seen.courtesies)
