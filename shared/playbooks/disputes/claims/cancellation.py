"""A claim that the subscription was cancelled: given up where it was, contested where nobody asked and they used it.

A formal request in any channel before the payment covers it; one after the payment does not. That nobody asked must be
proven: every channel has to have been read whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.playbooks.disputes import cancelling, labels, product
from shared.playbooks.disputes.admission import admit_cancellation, check_everything_was_read
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.cancelling import Request, days_before
from shared.playbooks.disputes.claims import repeat
from shared.playbooks.disputes.claims.consent import nobody_asked
from shared.playbooks.disputes.claims.model import (
    ACCEPT_PCT,
    ACCEPT_WITHOUT_POLICY_PCT,
    FIGHT_PCT,
    FIGHT_WITHOUT_POLICY_PCT,
    Ruling,
    confidence,
    followed,
)
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import cancellation as rules
from shared.playbooks.disputes.policy_rules.cancellation import DEFAULT, CancellationRule
from shared.team.words import count, day, listed, minute

CHANNELS = frozenset(
    {
        labels.CANCELLATIONS,
        labels.CHATS,
        labels.CHAT_MESSAGES,
        labels.TICKETS,
        labels.TICKET_COMMENTS,
        labels.NOTES,
        labels.COLLEAGUES,
        labels.PRODUCT_STEPS,
        labels.REQUESTS,
        labels.EMAILS,
        labels.SUBSCRIPTIONS,
        labels.CRM,
    }
)
"""What has to be read whole before anybody may say that nobody asked to cancel; the names of such gaps."""


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest, or give up, a charge that is disputed as cancelled. Raises Stop for a person."""
    admit_cancellation(matter, seen)
    policy = next((page for page in seen.in_force if page.kind == rules.KIND), None)
    wanted = followed(policy, rules.cancellation, ()) if policy else DEFAULT
    asked = seen.cancellations.before(matter.paid_at)
    covering = [item for item in asked if days_before(matter, item) <= wanted.look_back_days]
    if covering:
        return _cancelled(matter, seen, gaps, covering, policy, wanted)
    _check_nothing_is_open(matter, seen, gaps, asked, wanted)
    _check_requirements(matter, seen, policy, wanted)
    ruling = repeat.rule(matter, seen, gaps) or _contested(matter, seen, gaps, policy)
    if ruling.kind is not DecisionKind.FIGHT:
        return ruling
    return replace(ruling, argument=nobody_asked(matter, seen))


def _cancelled(
    matter: Matter,
    seen: Assessment,
    gaps: Sequence[Gap],
    covering: Sequence[Request],
    policy: Policy | None,
    wanted: CancellationRule,
) -> Ruling:
    """They asked in time: the charge should not have been made."""
    first = covering[0]
    by = policy.name if policy else "the stance of the network's code"
    reasons = (
        f"they asked to cancel {first.where} on {minute(first.at)}, {count(days_before(matter, first), 'day')} before "
        f"the charge of {day(matter.paid_at)}: by {by} that covers it",
    )
    cites = (*(item.evidence for item in covering), matter.charge, *([policy.evidence] if policy else []))
    if not wanted.accepts:
        raise Stop((*reasons, "what then happens is for a person to say, by the same policy"), cites)
    base = ACCEPT_PCT if policy else ACCEPT_WITHOUT_POLICY_PCT
    return Ruling(DecisionKind.ACCEPT, reasons, confidence(base, seen, gaps), cites=cites, policy=policy)


def _check_nothing_is_open(
    matter: Matter, seen: Assessment, gaps: Sequence[Gap], asked: Sequence[Request], wanted: CancellationRule
) -> None:
    """Contesting says that nobody asked: so nothing may be left that could have been a request."""
    if asked:
        days = count(days_before(matter, asked[-1]), "day")
        raise Stop(
            (
                f"they asked to cancel {asked[-1].where} {days} before the charge, longer ago than the "
                f"{wanted.look_back_days} days that count, and nobody carried it out",
            ),
            tuple(item.evidence for item in asked),
        )
    if seen.cancellations.unclear:
        raise Stop(
            ("something on record speaks of cancelling, and whether it is a request has to be read by a person",),
            seen.cancellations.unclear,
        )
    if seen.promises:
        raise Stop(("our staff promised money back in writing",), tuple(item.evidence for item in seen.promises))
    check_everything_was_read(matter, gaps, operations=False, wanted=CHANNELS)


def _check_requirements(matter: Matter, seen: Assessment, policy: Policy | None, wanted: CancellationRule) -> None:
    """Everything that the policy asks for before it contests; what is missing is named, for the person who decides."""
    days = len({use.at.date() for use in seen.uses})
    met = {
        rules.ACTIVE: (
            "a subscription that ran when the charge was made",
            cancelling.active_at(matter, matter.paid_at),
        ),
        rules.USE: (
            f"use in the paid period on {count(wanted.usage_days_min, 'day')} (seen on {days})",
            days >= wanted.usage_days_min or None,
        ),
        rules.TERMS: ("accepted terms with a version and an address", product.terms(matter)),
        rules.NOTICE: ("a renewal notice that they opened before the charge", product.notice(matter)),
    }
    missing = [met[name][0] for name in wanted.requires if met[name][1] is None]
    if missing:
        by = policy.name if policy else "the stance of the network's code"
        cites = [matter.charge, *([policy.evidence] if policy else [])]
        raise Stop(
            (f"nobody asked to cancel, but {by} asks for more than is on file: {listed(missing)}",), tuple(cites)
        )


def _contested(matter: Matter, seen: Assessment, gaps: Sequence[Gap], policy: Policy | None) -> Ruling:
    days = count(len({use.at.date() for use in seen.uses}), "day")
    after = seen.cancellations.formal
    later = f"; a request {after[0].where} on {minute(after[0].at)} came after it" if after else ""
    reasons: tuple[str, ...] = (
        f"nobody asked to cancel before the charge, in any channel; the subscription ran, and they used it on {days}"
        f"{later}",
        f"by {policy.name} that is contested"
        if policy
        else f"no merchant policy covers this claim; the default for its code: {matter.rule.stance}",
    )
    base = FIGHT_PCT if policy else FIGHT_WITHOUT_POLICY_PCT
    cites: tuple[Evidence, ...] = tuple(filter(None, [cancelling.active_at(matter, matter.paid_at)]))
    return Ruling(DecisionKind.FIGHT, reasons, confidence(base, seen, gaps), cites=cites, policy=policy)
