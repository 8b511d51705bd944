"""What becomes of a chargeback: contested, contested with what is owed paid after a win, or put before a person.

The rules go from what must be known to what may be decided. Whatever no rule covers goes to a person, with the reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.case.brief import DecisionKind, Derivation
from shared.case.evidence import Evidence
from shared.errors import InvalidInput
from shared.playbooks.disputes import derive, remedies, testimony
from shared.playbooks.disputes.assessment import Assessment, operations_seen, returns_seen
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.matter import Matter, paid_lines
from shared.playbooks.disputes.policies import CLOCKS, Policy, Proration, Unevaluable, disagree, proration
from shared.playbooks.disputes.stages import Stage
from shared.playbooks.disputes.testimony import Statement
from shared.playbooks.disputes.trouble import Trouble, Window, windows
from shared.playbooks.disputes.usage import Use
from shared.team import language
from shared.team.exhibits import text, whole
from shared.team.words import feature, listed, minute

COVERED = frozenset({Family.NOT_AS_DESCRIBED, Family.NOT_RECEIVED})
"""The claim families that these rules decide; every other one goes to a person."""

DAYS_OF_USE = 3
"""On how many different days somebody must have used the product for its use to speak against the claim."""


@dataclass(frozen=True, slots=True)
class Credit:
    """What is owed, and everything that makes it so."""

    policy: Policy
    rule: Proration
    windows: list[Window]
    troubles: list[Trouble]
    uses: list[Use]
    complaints: list[Statement]
    priced: Evidence
    """The row whose amount was paid for the cycle."""
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, and how sure we are, in per cent. `cites`: evidence for the reasons of an escalation."""

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    credit: Credit | None = None
    cites: tuple[Evidence, ...] = ()
    policy: Policy | None = None


class _Stop(Exception):
    """A person has to decide: why, and what shows it."""

    def __init__(self, reasons: tuple[str, ...], cites: tuple[Evidence, ...]) -> None:
        super().__init__(*reasons)
        self.reasons = reasons
        self.cites = cites


_PERSON_PCT = 50
_CREDIT_PCT = 95
_FIGHT_PCT = 85
_FIGHT_WITHOUT_POLICY_PCT = 65
_PER_GAP_PCT = 5
_MOST_FOR_GAPS_PCT = 20
_PER_LOST_DISPUTE_PCT = 10


def rule(matter: Matter, seen: Assessment, gaps: int) -> Ruling:
    """The ruling on a matter. `gaps`: how many things the specialists could not find out."""
    try:
        for check in _CHECKS:
            check(matter, seen)
        return _with_trouble(matter, seen, gaps) if seen.relevant else _without_trouble(matter, seen, gaps)
    except _Stop as stop:
        return Ruling(DecisionKind.ESCALATE, stop.reasons, _PERSON_PCT, cites=stop.cites)


def _is_answerable(matter: Matter, seen: Assessment) -> None:
    if matter.stage is not Stage.OPEN:
        raise _Stop((f"this is {matter.stage.value}, not an open chargeback",), (matter.dispute,))
    if whole(matter.dispute, "evidence_details__due_by") == 0:
        raise _Stop((remedies.NOT_ANSWERABLE,), (matter.dispute,))
    if (whole(matter.dispute, "evidence_details__submission_count") or 0) > 0:
        raise _Stop(("evidence has already been submitted, and the bank takes it once",), (matter.dispute,))


def _is_covered(matter: Matter, seen: Assessment) -> None:
    case_type = text(matter.dispute, "payment_method_details__card__case_type")
    if remedies.is_compliance(case_type, text(matter.dispute, "reason")):
        raise _Stop((remedies.COMPLIANCE,), (matter.dispute,))
    if matter.rule.family not in COVERED:
        raise _Stop(
            (f"no rule decides claims of the kind {matter.rule.family.value} ({matter.rule.meaning})",),
            (matter.dispute,),
        )


def _nothing_came_back(matter: Matter, seen: Assessment) -> None:
    if not returns_seen(matter):
        raise _Stop(("whether anything was refunded already could not be read",), (matter.charge,))
    returned = [*seen.refunds, *seen.credits]
    if returned or (whole(matter.charge, "amount_refunded") or 0) > 0:
        raise _Stop(
            ("part of the money has been returned already: that has to be set off",), (matter.charge, *returned)
        )


def _policies_agree(matter: Matter, seen: Assessment) -> None:
    if len(seen.in_force) > 1 and disagree(seen.in_force):
        named = listed([policy.name for policy in seen.in_force])
        raise _Stop((f"two current policies disagree: {named}",), tuple(policy.evidence for policy in seen.in_force))


def _no_cancellation(matter: Matter, seen: Assessment) -> None:
    if seen.cancellations:
        raise _Stop(
            ("the customer asked to cancel: whether that covers this charge is for a person to say",),
            tuple(item.evidence for item in seen.cancellations),
        )


_CHECKS: tuple[Callable[[Matter, Assessment], None], ...] = (
    _is_answerable,
    _is_covered,
    _nothing_came_back,
    _policies_agree,
    _no_cancellation,
)


def _with_trouble(matter: Matter, seen: Assessment, gaps: int) -> Ruling:
    """There was trouble that concerned the customer: the policy says whether and how much is owed."""
    recorded = tuple(item.evidence for item in seen.relevant)
    if not seen.in_force:
        raise _Stop(("an incident is on record, and no current policy says what is owed for it",), recorded)
    policy = max(seen.in_force, key=lambda item: (str(item.effective_from or ""), item.id))
    try:
        wanted = proration(policy)
    except Unevaluable as why:
        raise _Stop(
            (f"the policy {policy.name} has to be read by a person: {why}",), (policy.evidence, *recorded)
        ) from why
    credit = _credit(matter, seen, policy, wanted)
    reasons = (
        f"an incident on {listed(sorted({feature(item.service) for item in credit.troubles}))} is on record, they used it, "
        f"complained at the time, and {policy.name} gives back the share of the cycle: {credit.derivation.words}",
        "the charge cannot be refunded while the chargeback is open: contest it, say what is owed, and pay it after a win",
    )
    return Ruling(DecisionKind.CREDIT, reasons, _confidence(_CREDIT_PCT, seen, gaps), credit, policy=policy)


def _credit(matter: Matter, seen: Assessment, policy: Policy, wanted: Proration) -> Credit:
    if matter.cycle is None or matter.line is None:
        raise _Stop(("the billing cycle of the charge is not known",), (matter.charge, policy.evidence))
    counted = [item for item in seen.relevant if item.table == CLOCKS[wanted.clock]]
    if any(item.end is None for item in counted):
        raise _Stop(("an alert has no end yet: how long it lasts is not known",), _rows(counted))
    found = windows(counted, matter.cycle)
    _check_downgrade(matter, wanted, found)
    services = frozenset(item.service for item in counted)
    during = [use for use in seen.uses if any(item.service == use.service and _covers(item, use) for item in counted)]
    heard = _heard(seen, services, found, wanted)
    _check_requirements(wanted, seen.relevant, found, during, heard, policy)
    priced = _priced(matter, counted)
    try:
        derivation = derive.share_of_cycle(priced, matter.currency, matter.line, matter.cycle, found, wanted, policy)
    except InvalidInput as why:
        raise _Stop((f"what is owed could not be computed: {why}",), (policy.evidence, *_rows(counted))) from why
    _check_amount(matter, derivation, policy)
    return Credit(policy, wanted, found, counted, during, heard, priced, derivation)


def _check_requirements(
    wanted: Proration,
    concerned: list[Trouble],
    found: list[Window],
    during: list[Use],
    heard: list[Statement],
    policy: Policy,
) -> None:
    """Every requirement needs its evidence; what is missing is named, for the person who decides."""
    missing = []
    if not found:
        missing.append(f"a record by the policy's clock ({wanted.clock}) with a start and an end inside the cycle")
    if "feature_usage" in wanted.requires and not during:
        missing.append("use of the feature during the incident by people of this customer")
    if "contemporaneous_complaint" in wanted.requires and not heard:
        missing.append(
            f"a complaint from the incident or up to {wanted.complaint_within_days} days after it by people of this customer"
        )
    if missing:
        raise _Stop(
            (f"{policy.name} asks for more than is on file; missing: {listed(missing)}",),
            (policy.evidence, *_rows(concerned)),
        )


def _heard(seen: Assessment, services: frozenset[str], found: list[Window], wanted: Proration) -> list[Statement]:
    if not found:
        return []
    start, end = found[0].start, found[-1].end
    return testimony.within(testimony.about(seen.complaints, services), start, end, wanted.complaint_within_days)


def _check_downgrade(matter: Matter, wanted: Proration, found: list[Window]) -> None:
    tiers = {tier for window in found for tier in window.first.tiers | window.last.tiers}
    if "downgraded_before_incident" not in wanted.exclude or not tiers or not found:
        return
    moves = [note for tier in sorted(tiers) if (note := testimony.left_tier(matter, tier)) is not None]
    for note in moves:
        left_at = testimony.written_at(note)
        if left_at is not None and left_at < found[-1].end:
            when = "before" if left_at <= found[0].start else "during"
            raise _Stop((f"they left the affected plan {when} the incident, on {minute(left_at)}",), (note,))


def _priced(matter: Matter, counted: list[Trouble]) -> Evidence:
    """What was paid for the cycle: the charge, where its invoice has one line, else the one line of the affected plan."""
    lines = [line for line in paid_lines(matter) if (whole(line, "amount") or 0) > 0]
    if len(lines) == 1:
        return matter.charge
    tiers = {tier for item in counted for tier in item.tiers}
    named = [line for line in lines if any(_names(line, item.service, tiers) for item in counted)]
    if len(named) != 1:
        raise _Stop(("the invoice has several lines, and none alone is the affected plan's",), tuple(lines))
    return named[0]


def _names(line: Evidence, service: str, tiers: set[str]) -> bool:
    bought = text(line, "price__nickname", "description")
    return language.is_about(bought, service) or any(language.names_word(bought, tier) for tier in tiers)


def _check_amount(matter: Matter, derivation: Derivation, policy: Policy) -> None:
    if derivation.value_minor <= 0:
        raise _Stop(("what the policy gives back rounds to nothing",), (policy.evidence,))
    if matter.dispute_currency == matter.currency and derivation.value_minor >= matter.disputed_minor:
        raise _Stop(
            (f"what is owed ({derivation.words}) is all that is disputed: accepting may be right",),
            (policy.evidence, matter.dispute),
        )


def _without_trouble(matter: Matter, seen: Assessment, gaps: int) -> Ruling:
    """Nothing on record concerned the customer: their use speaks, unless somebody's words speak against it."""
    if not operations_seen(matter):
        raise _Stop(("whether there was an incident could not be read in every operations system",), (matter.dispute,))
    if seen.unclear:
        whys = tuple(f"{item.service}: {item.why}" for item in seen.unclear)
        raise _Stop(("trouble is on record that may have concerned them", *whys), _rows(seen.unclear))
    if seen.promises:
        raise _Stop(
            ("our staff promised compensation in writing, and no record of an incident that concerned them backs it",),
            tuple(item.evidence for item in seen.promises) + _rows(seen.aside),
        )
    if seen.complaints:
        raise _Stop(
            ("they complained that it did not work, and no record of an incident that concerned them explains it",),
            tuple(item.evidence for item in seen.complaints) + _rows(seen.aside),
        )
    days = {use.at.date() for use in seen.uses}
    if len(days) < DAYS_OF_USE:
        raise _Stop(
            (
                f"no incident is on record, but use is seen on {len(days)} days of the cycle only, too little to contest with",
            ),
            (matter.charge,),
        )
    policy = seen.in_force[0] if seen.in_force else None
    base = _FIGHT_PCT if policy else _FIGHT_WITHOUT_POLICY_PCT
    reasons = (
        f"they used the product on {len(days)} days of the cycle, and every operations system shows that it worked for them",
        "nothing was promised, nobody complained, and nothing is owed"
        if policy
        else f"no merchant policy covers this claim; the default for this code is to {matter.rule.stance}",
    )
    return Ruling(DecisionKind.FIGHT, reasons, _confidence(base, seen, gaps), policy=policy)


def _confidence(base: int, seen: Assessment, gaps: int) -> int:
    lost = _PER_LOST_DISPUTE_PCT if seen.lost_before else 0
    return base - lost - min(gaps * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)


def _covers(item: Trouble, use: Use) -> bool:
    return item.start <= use.at and (item.end is None or use.at <= item.end)


def _rows(found: list[Trouble]) -> tuple[Evidence, ...]:
    return tuple(item.evidence for item in found)
