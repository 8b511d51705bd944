"""What becomes of a chargeback: contested, contested with what is owed paid after a win, or put before a person.

An inquiry is weighed by the same rules and has other moves: it is answered, or the charge is refunded in full.

The rules go from what must be known to what may be decided. What no rule covers goes to a person, with the reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from shared.case.brief import DecisionKind
from shared.case.evidence import Ended, Evidence, Gap
from shared.playbooks.disputes import labels, outage
from shared.playbooks.disputes.admission import OTHER_QUESTIONS, admit, admit_fraud
from shared.playbooks.disputes.assessment import Assessment, operations_seen, support_seen
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.compelling import Compelling
from shared.playbooks.disputes.credit import AllOwed, Credit, Stop, credit_of, evidence_of
from shared.playbooks.disputes.fraud import against_fraud
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.outage import Clean
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import outage_claim
from shared.playbooks.disputes.policy_rules.proration import KIND as PRORATION
from shared.playbooks.disputes.policy_rules.proration import proration
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.playbooks.disputes.standing import left_minor
from shared.team.words import count, feature, listed, percent

T = TypeVar("T")

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
    compelling: Compelling | None = None
    """Earlier payments that tie a payment disputed as fraud to the same person."""


_PERSON_PCT = 50
_CREDIT_PCT = 95
_REFUND_PCT = 90
_FIGHT_PCT = 85
_FIGHT_WITHOUT_POLICY_PCT = 65
_PER_GAP_PCT = 5
_MOST_FOR_GAPS_PCT = 20
_PER_LOST_DISPUTE_PCT = 10


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """The ruling on a matter. `gaps`: what the specialists could not find out."""
    try:
        if matter.rule.family is Family.FRAUD:
            admit_fraud(matter, seen)
            found, reasons = against_fraud(matter, seen, gaps)
            return Ruling(DecisionKind.FIGHT, reasons, _confidence(_FIGHT_PCT, seen, gaps), compelling=found)
        admit(matter, seen)
        ruling = _on_record(matter, seen, gaps)
        return _of_inquiry(matter, ruling) if matter.is_inquiry else ruling
    except AllOwed as stop:
        return _in_full(matter, stop) if matter.is_inquiry else _escalated(stop)
    except Stop as stop:
        return _escalated(stop)


def _escalated(stop: Stop) -> Ruling:
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
    trouble = "outage" if seen.relevant else "record of trouble"
    if len(days) < DAYS_OF_USE:
        raise Stop(
            (f"no incident is on record, but use is seen on {count(len(days), 'day')} only: too little to contest",),
            (matter.charge,),
        )
    policy = clean.policy if clean else next(iter(seen.in_force), None)
    base = _FIGHT_PCT if policy else _FIGHT_WITHOUT_POLICY_PCT
    reasons: tuple[str, ...] = (
        f"they used the product on {count(len(days), 'day')}, and no {trouble} concerned them",
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


def _of_inquiry(matter: Matter, ruling: Ruling) -> Ruling:
    """A ruling as it applies to an inquiry, where nothing can be contested and nothing paid in part.

    Raises Stop where part of the money is owed: it ends no inquiry, can be lost on top of the whole, and answering
    without it leaves it owed. That is for a person to weigh.
    """
    if ruling.credit is not None:
        owed = ruling.credit.derivation.words
        raise Stop(
            (
                f"a part is owed ({owed}), and a partial refund does not resolve an inquiry",
                "either answer it, say what is owed and pay that once the inquiry is closed, or refund in full",
            ),
            (ruling.credit.policy.evidence, matter.dispute, *evidence_of(ruling.credit.troubles)),
        )
    told = "it is an inquiry so far: an answer with the facts may end it, and it costs no fee"
    return replace(ruling, kind=DecisionKind.ANSWER, reasons=(*ruling.reasons, told))


def _in_full(matter: Matter, owed: AllOwed) -> Ruling:
    """Refunding all of it resolves the inquiry; what does not add up to the whole charge goes to a person."""
    left = left_minor(matter.charge)
    if matter.dispute_currency != matter.currency or left != matter.disputed_minor:
        return Ruling(
            DecisionKind.ESCALATE,
            (*owed.reasons, "what is asked about is not what is left of the charge: only a full refund counts"),
            _PERSON_PCT,
            cites=(*owed.cites, matter.charge),
        )
    reasons = (*owed.reasons, "refunding the whole charge resolves an inquiry, and it costs no fee")
    return Ruling(DecisionKind.REFUND, reasons, _REFUND_PCT, cites=owed.cites)


def _confidence(base: int, seen: Assessment, gaps: Sequence[Gap]) -> int:
    lost = _PER_LOST_DISPUTE_PCT if seen.lost_before else 0
    return base - lost - min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
