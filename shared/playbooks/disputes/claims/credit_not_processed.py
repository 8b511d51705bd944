"""A claim that a refund was owed and did not come: made, promised, owed by a policy, or not owed at all.

A refund that went through is contested with it. One that was promised in writing, or asked for while the merchant's
policy still refunds, and never made, is given up. Where nothing was promised and the policy gives nothing back, the
claim is contested with the policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes import testimony
from shared.playbooks.disputes.admission import admit_documents, check_everything_was_read, check_not_cancelled
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import (
    ACCEPT_PCT,
    FIGHT_PCT,
    Argument,
    Letter,
    Ruling,
    Shown,
    confidence,
    followed,
)
from shared.playbooks.disputes.claims.refunded import contest_with, went_back
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import refund_window
from shared.playbooks.disputes.policy_rules.refund_window import RefundWindow
from shared.playbooks.disputes.testimony import Statement
from shared.team import language, promises
from shared.team.exhibits import text
from shared.team.plain import casts_doubt
from shared.team.words import day, minute, quoted


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """The ruling on a claim that a refund was owed. Raises Stop where it is not clear what was owed."""
    admit_documents(matter, seen)
    refunds = went_back(matter, seen.refunds)
    if refunds:
        return contest_with(matter, seen, gaps, refunds, "the refund that they claim was made")
    if seen.credits:
        raise Stop(("they were given a credit: whether that is what they were owed is for a person to say",),
                   (matter.charge, *seen.credits))  # fmt: skip
    spoken = testimony.about_money(seen.said, matter.paid_at)
    if spoken:
        return _promised(matter, seen, gaps, spoken)
    check_everything_was_read(matter, gaps, operations=False)
    policy, window = _window(matter, seen)
    asked = [item for item in seen.said if item.theirs and language.mentions_refund(item.text)]
    first = next((item for item in asked if language.asks_for_refund(item.text)), None)
    if seen.undated:
        raise Stop(("they wrote to us at a time that cannot be read",), tuple(seen.undated))
    if asked and first is None:
        raise Stop(("they wrote about a refund, and it is not clear whether they asked for one",),
                   tuple(item.evidence for item in asked))  # fmt: skip
    if first is not None and first.at <= window.last_instant(matter.paid_at, matter.org.timezone):
        return _owed(matter, seen, gaps, policy, first, window.last_instant(matter.paid_at, matter.org.timezone))
    check_not_cancelled(matter, seen)
    return _not_owed(matter, seen, gaps, policy, window, first)


def _promised(matter: Matter, seen: Assessment, gaps: Sequence[Gap], spoken: Sequence[Statement]) -> Ruling:
    """A plain promise of the whole amount is kept; whatever else staff wrote about money is for a person to read."""
    promised = [(item, promises.promise_of_all(item.text, matter.paid_minor, matter.currency)) for item in spoken]
    rows = tuple(item.evidence for item in spoken)
    unclear = next((item for item, plain in promised if plain is None), None) or _doubt(seen, spoken[0])
    if unclear is not None:
        raise Stop((f"our staff wrote about money back, and what they promised is not plain: {quoted(unclear.text)}",),
                   (*rows, unclear.evidence))  # fmt: skip
    first, told = promised[0]
    shown = f"on {minute(first.at)} our staff wrote {quoted(told or '')}, and no refund was ever made"
    return _give_up(matter, seen, gaps, None, Shown(shown, (matter.charge, *rows)), "we had promised you a refund")


def _doubt(seen: Assessment, promised: Statement) -> Statement | None:
    """What staff wrote after a promise that may take it back."""
    later = (item for item in seen.said if not item.theirs and item.at >= promised.at and item is not promised)
    return next((item for item in later if casts_doubt(item.text)), None)


def _owed(
    matter: Matter, seen: Assessment, gaps: Sequence[Gap], policy: Policy, asked: Statement, until: datetime
) -> Ruling:
    told = f"on {minute(asked.at)} they asked {quoted(asked.text)}; {policy.name} refunds in full until {day(until)}"
    shown = Shown(f"{told}, and no refund was ever made", (policy.evidence, asked.evidence, matter.charge))
    return _give_up(matter, seen, gaps, policy, shown, "you had asked us in time for a refund")


def _give_up(
    matter: Matter, seen: Assessment, gaps: Sequence[Gap], policy: Policy | None, shown: Shown, why: str
) -> Ruling:
    paid = matter.money(matter.paid_minor)
    letter = Letter(
        f"Your payment of {paid}",
        f"{why}, and we did not make it. We are sorry. We have accepted your bank's dispute, so the {paid} stay with "
        "you and there is nothing more for you to do.",
    )
    reasons = (shown.text, "what is owed in full is given up: closing the dispute leaves the amount with them")
    return Ruling(
        DecisionKind.ACCEPT, reasons, confidence(ACCEPT_PCT, seen, gaps), policy=policy, shown=(shown,), letter=letter
    )


def _window(matter: Matter, seen: Assessment) -> tuple[Policy, RefundWindow]:
    """The policy that says until when a plan like this is refunded. Raises Stop without one."""
    lines = matter.line
    interval = next(
        (
            text(row, "price__interval")
            for row in matter.exhibits.rows("stripe.subscriptions")
            if lines is not None and row.row.record_id == text(lines, "subscription")
        ),
        "",
    )
    for policy in (page for page in seen.in_force if page.kind == refund_window.KIND):
        window = followed(policy, refund_window.refund_window, (matter.charge,))
        if window.covers(interval):
            return policy, window
    raise Stop(("no refund was made or promised, and no current policy says whether one is owed",), (matter.charge,))


def _not_owed(
    matter: Matter,
    seen: Assessment,
    gaps: Sequence[Gap],
    policy: Policy,
    window: RefundWindow,
    asked: Statement | None,
) -> Ruling:
    until = day(window.last_instant(matter.paid_at, matter.org.timezone))
    told = (
        f"they first asked on {minute(asked.at)}" if asked else "they never asked for a refund in any channel we know"
    )
    shown = f"{policy.name} refunds until {until}, and {told}; nothing was promised"
    rows = (policy.evidence, matter.charge, *((asked.evidence,) if asked else ()))
    disclosed = text(policy.evidence, "body") or policy.title
    heard = f"The customer asked for a refund on {day(asked.at)}." if asked else "We have no request for a refund."
    argument = Argument(
        {
            "refund_policy_disclosure": disclosed,
            "refund_refusal_explanation": f"Payments of this kind are refunded when asked for until {until}. {heard}",
        },
        ((asked.at, f"{minute(asked.at)}: the customer asked for a refund: {quoted(asked.text)}"),) if asked else (),
        "No refund was owed or promised, and none was due.",
    )
    return Ruling(
        DecisionKind.FIGHT,
        (shown, "no refund is owed"),
        confidence(FIGHT_PCT, seen, gaps),
        policy=policy,
        shown=(Shown(shown, rows),),
        argument=argument,
    )
