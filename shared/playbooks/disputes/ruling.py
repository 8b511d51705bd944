"""What becomes of a chargeback: contested, contested with what is owed paid after a win, or put before a person.

The rules go from what must be known to what may be decided. What no rule covers goes to a person, with the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from shared.case.brief import DecisionKind
from shared.case.evidence import Ended, Evidence, Gap
from shared.playbooks.disputes import labels, outage, remedies
from shared.playbooks.disputes.assessment import Assessment, operations_seen, policies_seen, returns_seen, support_seen
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.credit import Credit, Stop, billed, credit_of, evidence_of
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.outage import Clean
from shared.playbooks.disputes.policies import Policy, disagree
from shared.playbooks.disputes.policy_rules import outage_claim
from shared.playbooks.disputes.policy_rules.proration import KIND as PRORATION
from shared.playbooks.disputes.policy_rules.proration import proration
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.playbooks.disputes.stages import Stage
from shared.team.exhibits import text, whole
from shared.team.words import count, feature, listed, percent

T = TypeVar("T")

COVERED = frozenset({Family.NOT_AS_DESCRIBED, Family.NOT_RECEIVED})
"""The claim families that these rules decide; every other one goes to a person."""

_FOLLOWED = frozenset({PRORATION, outage_claim.KIND})
"""The kinds of policy rules that these rules follow; one of each can hold at the same time."""

DAYS_OF_USE = 3
"""On how many different days somebody must have used the product for its use to speak against the claim."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, and how sure we are, in per cent. `cites`: evidence for the reasons of an escalation."""

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    credit: Credit | None = None
    cites: tuple[Evidence, ...] = ()
    policy: Policy | None = None
    clean: Clean | None = None
    """What was measured, where a policy on claims of an outage calls it clean."""


_PERSON_PCT = 50
_CREDIT_PCT = 95
_FIGHT_PCT = 85
_FIGHT_WITHOUT_POLICY_PCT = 65
_PER_GAP_PCT = 5
_MOST_FOR_GAPS_PCT = 20
_PER_LOST_DISPUTE_PCT = 10


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """The ruling on a matter. `gaps`: what the specialists could not find out."""
    try:
        for check in _CHECKS:
            check(matter, seen)
        return _on_record(matter, seen, gaps)
    except Stop as stop:
        return Ruling(DecisionKind.ESCALATE, stop.reasons, _PERSON_PCT, cites=stop.cites)


def _on_record(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    policy = next((policy for policy in seen.in_force if policy.kind == outage_claim.KIND), None)
    if policy is None:
        return _with_trouble(matter, seen, gaps) if seen.relevant else _without_trouble(matter, seen, gaps)
    wanted = _followed(policy, outage_claim.outage_claim, evidence_of(seen.relevant))
    _, outages = outage.split(seen.relevant)
    if not outages:
        return _without_trouble(matter, seen, gaps, outage.clean(matter, seen, policy, wanted))
    if any(other.kind == PRORATION for other in seen.in_force):
        return _with_trouble(matter, seen, gaps)
    raise Stop(
        (f"operations recorded an outage that hit them: by {policy.name} they get their money back",),
        (policy.evidence, *evidence_of(outages)),
    )


def _is_answerable(matter: Matter, seen: Assessment) -> None:
    if matter.stage is not Stage.OPEN:
        raise Stop((f"this is {matter.stage.value}, not an open chargeback",), (matter.dispute,))
    if whole(matter.dispute, "evidence_details__due_by") == 0:
        raise Stop((remedies.NOT_ANSWERABLE,), (matter.dispute,))
    if (whole(matter.dispute, "evidence_details__submission_count") or 0) > 0:
        raise Stop(("evidence has already been submitted, and the bank takes it once",), (matter.dispute,))


def _is_covered(matter: Matter, seen: Assessment) -> None:
    case_type = text(matter.dispute, "payment_method_details__card__case_type")
    if remedies.is_compliance(case_type, text(matter.dispute, "reason")):
        raise Stop((remedies.COMPLIANCE,), (matter.dispute,))
    if matter.rule.family not in COVERED:
        raise Stop(
            (f"no rule decides claims of the kind {matter.rule.family.value} ({matter.rule.meaning})",),
            (matter.dispute,),
        )


def _has_a_cycle(matter: Matter, seen: Assessment) -> None:
    billed(matter)


def _nothing_came_back(matter: Matter, seen: Assessment) -> None:
    if not returns_seen(matter):
        raise Stop(("whether anything was refunded already could not be read",), (matter.charge,))
    returned = [*seen.refunds, *seen.credits]
    if returned or (whole(matter.charge, "amount_refunded") or 0) > 0:
        raise Stop(("part of the money has been returned already: that has to be set off",), (matter.charge, *returned))


def _policies_agree(matter: Matter, seen: Assessment) -> None:
    if not policies_seen(matter):
        raise Stop(("the merchant's policies could not be read",), (matter.dispute,))
    if disagree(seen.in_force, _FOLLOWED):
        named = listed([policy.name for policy in seen.in_force])
        raise Stop((f"two current policies disagree: {named}",), tuple(policy.evidence for policy in seen.in_force))


def _no_cancellation(matter: Matter, seen: Assessment) -> None:
    if seen.cancellations:
        raise Stop(
            ("the customer asked to cancel: whether that covers this charge is for a person to say",),
            tuple(item.evidence for item in seen.cancellations),
        )


_CHECKS: tuple[Callable[[Matter, Assessment], None], ...] = (
    _is_answerable,
    _is_covered,
    _has_a_cycle,
    _nothing_came_back,
    _policies_agree,
    _no_cancellation,
)


def _with_trouble(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """There was trouble that concerned the customer: the policy says whether and how much is owed."""
    recorded = tuple(item.evidence for item in seen.relevant)
    if not seen.in_force:
        raise Stop(("an incident is on record, and no current policy says what is owed for it",), recorded)
    about = [item for item in seen.in_force if item.kind != outage_claim.KIND]
    policy = max(about, key=lambda item: (str(item.effective_from or ""), item.id))
    wanted = _followed(policy, proration, recorded)
    credit = credit_of(matter, seen, policy, wanted)
    reasons = (
        f"an incident on {listed(sorted({feature(item.service) for item in credit.troubles}))} is on record, they used "
        f"it, complained at the time, and {policy.name} gives back the share of the cycle: {credit.derivation.words}",
        "the charge cannot be refunded while the chargeback is open: contest it, say what is owed, pay it after a win",
    )
    return Ruling(DecisionKind.CREDIT, reasons, _confidence(_CREDIT_PCT, seen, gaps), credit, policy=policy)


def _followed(policy: Policy, read: Callable[[Policy], T], recorded: tuple[Evidence, ...]) -> T:
    """The rule of a policy. Raises Stop for one that has to be read by a person."""
    try:
        return read(policy)
    except Unevaluable as why:
        raise Stop(
            (f"the policy {policy.name} has to be read by a person: {why}",), (policy.evidence, *recorded)
        ) from why


def _without_trouble(matter: Matter, seen: Assessment, gaps: Sequence[Gap], clean: Clean | None = None) -> Ruling:
    """Nothing on record concerned the customer: their use speaks, unless somebody's words speak against it."""
    _check_everything_was_read(matter, gaps)
    if seen.unclear:
        whys = tuple(f"{item.service}: {item.why}" for item in seen.unclear)
        raise Stop(("trouble is on record that may have concerned them", *whys), evidence_of(seen.unclear))
    if seen.promises:
        raise Stop(
            ("our staff promised compensation in writing, and no record of an incident that concerned them backs it",),
            tuple(item.evidence for item in seen.promises) + evidence_of(seen.aside),
        )
    if seen.complaints:
        raise Stop(
            ("they complained that it did not work, and no record of an incident that concerned them explains it",),
            tuple(item.evidence for item in seen.complaints) + evidence_of(seen.aside),
        )
    days = {use.at.date() for use in seen.uses}
    if len(days) < DAYS_OF_USE:
        raise Stop(
            (f"no incident is on record, but use is seen on {count(len(days), 'day')} only: too little to contest",),
            (matter.charge,),
        )
    policy = clean.policy if clean else next(iter(seen.in_force), None)
    base = _FIGHT_PCT if policy else _FIGHT_WITHOUT_POLICY_PCT
    reasons: tuple[str, ...] = (
        f"they used the product on {count(len(days), 'day')}, and no record of trouble concerned them",
        "nothing was promised, nobody complained, and nothing is owed"
        if policy
        else f"no merchant policy covers this claim; the default for its code: {matter.rule.stance}",
    )
    if clean is not None:
        measured = f"uptime {percent(clean.uptime_pct)}, error rate {percent(clean.error_rate_pct)}, no outage"
        reasons = (f"{clean.policy.name} calls this clean: {measured}", *reasons)
    return Ruling(DecisionKind.FIGHT, reasons, _confidence(base, seen, gaps), policy=policy, clean=clean)


def _check_everything_was_read(matter: Matter, gaps: Sequence[Gap]) -> None:
    """Contesting says that nothing speaks for the customer: so everything that could must have been read whole."""
    current = matter.case.round
    unfinished = (
        [pointer.specialist for pointer in current.reports if pointer.ended is not Ended.REPORTED] if current else []
    )
    unread = [gap.what for gap in gaps if gap.what in labels.AGAINST_US]
    if not operations_seen(matter):
        unread.append("every operations system")
    if not support_seen(matter):
        unread.append("every support channel")
    if unread or unfinished:
        missing = listed([*dict.fromkeys(unread), *(f"the report of the {name}" for name in unfinished)])
        raise Stop((f"what could speak for the customer was not read whole: {missing}",), (matter.dispute,))


def _confidence(base: int, seen: Assessment, gaps: Sequence[Gap]) -> int:
    lost = _PER_LOST_DISPUTE_PCT if seen.lost_before else 0
    return base - lost - min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
