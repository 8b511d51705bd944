"""Who has won disputes before and disputes again without having cancelled: what the merchant's policy does then."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from shared.case.brief import DecisionKind, Derivation
from shared.case.evidence import Evidence, Gap
from shared.playbooks.disputes import cancelling, derive, labels, purposes
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import ACCEPT_PCT, FIGHT_PCT, Errand, Ruling, confidence, followed
from shared.playbooks.disputes.credit import Stop, billed
from shared.playbooks.disputes.matter import Matter, paid_lines
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import repeat_disputer as rules
from shared.playbooks.disputes.policy_rules.repeat_disputer import RepeatDisputer
from shared.team.exhibits import whole
from shared.team.moments import moment, months_before
from shared.team.words import count


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling | None:
    """The ruling for a repeat disputer; None where no policy knows them or they have won nothing in time.

    Raises Stop where the page has to be read by a person, or their earlier disputes were not read whole. An inquiry
    has taken no money: it is answered, and says nothing yet about what the page is for.
    """
    policy = next((page for page in seen.in_force if page.kind == rules.KIND), None)
    if policy is None or matter.is_inquiry:
        return None
    wanted = followed(policy, rules.repeat_disputer, ())
    if labels.DISPUTES in {gap.what for gap in gaps}:
        raise Stop(("their earlier disputes were not read whole, and the policy counts them",), (policy.evidence,))
    won = won_before(matter, seen, wanted)
    if not won:
        return None
    told = f"they won {count(len(won), 'dispute')} in the {wanted.within_months} months before and never cancelled"
    if len(won) == 1:
        return _second(matter, seen, gaps, policy, wanted, told, won)
    return _third(matter, seen, gaps, policy, wanted, told, won)


def won_before(matter: Matter, seen: Assessment, wanted: RepeatDisputer) -> list[Evidence]:
    """The earlier disputes that the customer won, opened in the months before this one, the first day included."""
    opened = moment(matter.dispute.row.fields.get("created")) or matter.now
    since = _day(matter, months_before(opened.astimezone(ZoneInfo(matter.org.timezone)), wanted.within_months))
    return [
        item
        for item in seen.lost_before
        if (at := moment(item.row.fields.get("created"))) is not None and since <= _day(matter, at) and at <= opened
    ]


def _second(
    matter: Matter,
    seen: Assessment,
    gaps: Sequence[Gap],
    policy: Policy,
    wanted: RepeatDisputer,
    told: str,
    won: Sequence[Evidence],
) -> Ruling:
    cites = (policy.evidence, *won)
    if not wanted.accepts_second:
        reasons: tuple[str, ...] = (told, f"{policy.name} contests the second one")
        return Ruling(DecisionKind.FIGHT, reasons, confidence(FIGHT_PCT, seen, gaps), cites=cites, policy=policy)
    reasons = (
        f"{told}: {policy.name} gives the second one back, flags them and warns the owner of the account",
        "an open chargeback cannot be refunded: it is given back by accepting it",
    )
    sure = confidence(ACCEPT_PCT, seen, gaps)
    errands = (_warning(matter, reasons[0]),)
    return Ruling(DecisionKind.ACCEPT, reasons, sure, cites=cites, policy=policy, errands=errands)


def _third(
    matter: Matter,
    seen: Assessment,
    gaps: Sequence[Gap],
    policy: Policy,
    wanted: RepeatDisputer,
    told: str,
    won: Sequence[Evidence],
) -> Ruling:
    subscription = cancelling.active_at(matter, matter.now) if wanted.cancels_third else None
    reasons: tuple[str, ...] = (f"{told}: {policy.name} contests from the third one on",)
    unused = None
    if subscription is not None:
        unused = _unused(matter) if wanted.refunds_unused else None
        reasons = (
            *reasons,
            "it ends the subscription as well"
            + (f"; its unused time goes back after a win: {unused.words}" if unused else ""),
        )
    sure = confidence(FIGHT_PCT, seen, gaps)
    return Ruling(
        DecisionKind.FIGHT,
        reasons,
        sure,
        cites=(policy.evidence, *won, *([subscription] if subscription else [])),
        policy=policy,
        errands=(_warning(matter, reasons[0]),),
        ends=(subscription,) if subscription else (),
        after_win=unused,
    )


def _warning(matter: Matter, told: str) -> Errand:
    """The owner of the account is told, and the customer is flagged."""
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    return Errand(
        purpose=purposes.WARN_OWNER,
        title=f"{matter.customer_name}: another dispute, of {disputed}",
        body=f"{told}. Flagged as a repeat disputer. Please talk to them before anything else is billed.",
    )


def _unused(matter: Matter) -> Derivation | None:
    """The share of the cycle that was left when the dispute was opened. Raises Stop where it cannot be told."""
    line, cycle = billed(matter)
    lines = [item for item in paid_lines(matter) if (whole(item, "amount") or 0) > 0]
    if len(lines) != 1:
        raise Stop(("the invoice has several lines: which time is unused is for a person to say",), tuple(lines))
    opened = moment(matter.dispute.row.fields.get("created"))
    if opened is None or opened >= cycle.end:
        return None
    return derive.rest_of_cycle(matter.charge, matter.currency, line, matter.dispute)


def _day(matter: Matter, instant: datetime) -> date:
    """The calendar day of the org."""
    return instant.astimezone(ZoneInfo(matter.org.timezone)).date()
