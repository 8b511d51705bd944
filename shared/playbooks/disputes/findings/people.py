"""What the customer and our own people said and did."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.playbooks.disputes import labels, product, testimony
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.cancelling import Request, days_before
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, WEAK, claimed
from shared.playbooks.disputes.matter import Matter
from shared.team import language
from shared.team.exhibits import text
from shared.team.words import count, listed, minute, quoted

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
    """Whether they asked to cancel, in which channel, and when: before the payment or after it."""
    asked = seen.cancellations.formal
    if asked:
        told = "; ".join(
            f"{item.where} on {minute(item.at)} ({_when(matter, item)}): {quoted(item.words)}" for item in asked[:3]
        )
        return claimed(f"they asked to cancel {told}", READ_OUT, *[item.evidence for item in asked])
    absent = matter.exhibits.absences(*labels.CANCELLATION_CHANNELS)
    searched = listed([labels.CANCELLATION_CHANNELS[item.row.record_id] for item in absent])
    if len(absent) == len(labels.CANCELLATION_CHANNELS):
        return claimed(f"they asked in no channel to cancel the subscription ({searched})", INFERRED, *absent)
    return claimed(f"nothing about cancelling the subscription is in {searched}", INFERRED, *absent)


def spoke_of_cancelling(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What they wrote about cancelling without asking for it."""
    told = "; ".join(f"on {minute(item.at)} {quoted(item.text)}" for item in seen.cancellations.mentions[:3])
    claim = f"they wrote about cancelling and did not ask for it: {told}"
    return claimed(claim, INFERRED, *[item.evidence for item in seen.cancellations.mentions])


def unclear_cancellation(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What speaks of cancelling and is no request that anybody can read as one."""
    unclear = seen.cancellations.unclear
    told = listed([f"{item.row.table} {item.row.record_id}" for item in unclear])
    return claimed(f"on record, and to be read by a person: it speaks of cancelling ({told})", WEAK, *unclear)


def terms(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Which terms they accepted, and whether they opened a notice of the renewal, for a claim of a cancellation."""
    if matter.rule.family is not Family.SUBSCRIPTION_CANCELED:
        return None
    accepted, opened = product.terms(matter), product.notice(matter)
    told = []
    if accepted is not None and (at := product.happened_at(accepted)) is not None:
        version = product.properties(accepted).get("terms_version")
        told.append(f"they accepted the terms, version {version}, on {minute(at)} from {text(accepted, 'ip')}")
    if opened is not None and (at := product.happened_at(opened)) is not None:
        told.append(f"they opened the notice of the renewal on {minute(at)}")
    return claimed("; ".join(told), READ_OUT, accepted, opened)


def _when(matter: Matter, asked: Request) -> str:
    if asked.at > matter.paid_at:
        return "after the payment"
    return f"{count(days_before(matter, asked), 'day')} before the payment"


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
