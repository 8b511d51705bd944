"""A claim that the service did not come, or was not as described: what operations recorded against what was used."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes import outage
from shared.playbooks.disputes.admission import OTHER_QUESTIONS, admit, check_everything_was_read
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims import vendor_failure
from shared.playbooks.disputes.claims.model import (
    CREDIT_PCT,
    FIGHT_PCT,
    FIGHT_WITHOUT_POLICY_PCT,
    Ruling,
    confidence,
    followed,
)
from shared.playbooks.disputes.credit import AllOwed, Stop, credit_of, evidence_of
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.outage import Clean
from shared.playbooks.disputes.policy_rules import outage_claim
from shared.playbooks.disputes.policy_rules.proration import KIND as PRORATION
from shared.playbooks.disputes.policy_rules.proration import proration
from shared.team.words import count, feature, listed, percent

DAYS_OF_USE = 3
"""On how many different days somebody must have used the product for its use to speak against the claim."""


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest a service that worked, pay the documented share of one that did not; else Stop, or AllOwed."""
    admit(matter, seen)
    ours = vendor_failure.rule(matter, seen, gaps)
    if ours is not None:
        return ours
    policy = next((policy for policy in seen.in_force if policy.kind == outage_claim.KIND), None)
    if policy is None:
        return _with_trouble(matter, seen, gaps) if seen.relevant else _without_trouble(matter, seen, gaps)
    wanted = followed(policy, outage_claim.outage_claim, evidence_of(seen.relevant))
    _, outages = outage.split(seen.relevant)
    if not outages:
        return _without_trouble(matter, seen, gaps, outage.clean(matter, seen, policy, wanted))
    if any(other.kind == PRORATION for other in seen.in_force):
        return _with_trouble(matter, seen, gaps)
    if not any(outage.is_major(item) for item in outages):
        raise Stop(
            (f"an outage that hit them is on record, and nobody recorded how severe it was: {policy.name} needs that",),
            (policy.evidence, *evidence_of(outages)),
        )
    raise AllOwed(
        (f"operations recorded an outage that hit them: by {policy.name} they get their money back",),
        (policy.evidence, *evidence_of(outages)),
    )


def _with_trouble(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """There was trouble that concerned the customer: the policy says whether and how much is owed."""
    recorded = tuple(item.evidence for item in seen.relevant)
    about = [item for item in seen.in_force if item.kind not in OTHER_QUESTIONS]
    if not about:
        raise Stop(("an incident is on record, and no current policy says what is owed for it",), recorded)
    if seen.siblings:
        raise Stop(
            ("the same charge carries another dispute, and what is owed is owed once",), (*recorded, *seen.siblings)
        )
    policy = max(about, key=lambda item: (str(item.effective_from or ""), item.id))
    wanted = followed(policy, proration, recorded)
    credit = credit_of(matter, seen, policy, wanted)
    reasons = (
        f"an incident on {listed(sorted({feature(item.service) for item in credit.troubles}))} is on record, they used "
        f"it, complained at the time, and {policy.name} gives back the share of the cycle: {credit.derivation.words}",
        "the charge cannot be refunded while the chargeback is open: contest it, say what is owed, pay it after a win",
    )
    return Ruling(DecisionKind.CREDIT, reasons, confidence(CREDIT_PCT, seen, gaps), credit, policy=policy)


def _without_trouble(matter: Matter, seen: Assessment, gaps: Sequence[Gap], clean: Clean | None = None) -> Ruling:
    """Nothing on record concerned the customer: their use speaks, unless somebody's words speak against it."""
    check_everything_was_read(matter, gaps)
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
    doubtful = (*(item.evidence for item in seen.unclear_complaints), *seen.undated)
    if doubtful:
        raise Stop(("they wrote something that may be a complaint, and a person has to read it",), doubtful)
    days = {use.at.date() for use in seen.uses}
    trouble = "outage" if seen.relevant else "record of trouble"
    if len(days) < DAYS_OF_USE:
        raise Stop(
            (f"no incident is on record, but use is seen on {count(len(days), 'day')} only: too little to contest",),
            (matter.charge,),
        )
    policy = clean.policy if clean else next(iter(seen.in_force), None)
    base = FIGHT_PCT if policy else FIGHT_WITHOUT_POLICY_PCT
    reasons: tuple[str, ...] = (
        f"they used the product on {count(len(days), 'day')}, and no {trouble} concerned them",
        "nothing was promised, nobody complained, and nothing is owed"
        if policy
        else f"no merchant policy covers this claim; the default for its code: {matter.rule.stance}",
    )
    if clean is not None:
        measured = f"uptime {percent(clean.uptime_pct)}, error rate {percent(clean.error_rate_pct)}, no outage"
        reasons = (f"{clean.policy.name} calls this clean: {measured}", *reasons)
    return Ruling(DecisionKind.FIGHT, reasons, confidence(base, seen, gaps), policy=policy, clean=clean)
