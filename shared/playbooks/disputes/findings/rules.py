"""What the card network, the law of the dispute's state and the merchant's policies say."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import Finding
from shared.playbooks.disputes import derive, labels
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.deadlines import deadline_of
from shared.playbooks.disputes.findings.claim import INFERRED, READ_OUT, WEAK, claimed
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text
from shared.team.words import hours_and_days, listed


def network(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What the code claims, and by when it must be answered."""
    deadline = deadline_of(matter.now_at["evidence_details__due_by"])
    when = f"; it has to be answered {deadline.in_words(matter.now)}" if deadline else ""
    rule = matter.rule
    claim = f"the claim is {rule.network} {rule.code}, {rule.meaning}{when}"
    return claimed(claim, READ_OUT, matter.dispute, *matter.exhibits.rows("rules.network_codes"))


def legal(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Why the money cannot simply be refunded now."""
    laws = [law for law in matter.exhibits.rows("rules.remedies") if text(law, "decision") == "refund"]
    claim = f"in this state ({matter.stage.value}) a refund is not possible: {text(laws[0], 'rule')}" if laws else ""
    return claimed(claim, READ_OUT, matter.dispute, *laws) if laws else None


def policy(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """What the merchant's policy gives back, or that there is none."""
    if ruling.credit is not None:
        credit = ruling.credit
        assert matter.cycle is not None
        inside = int(derive.seconds_inside(credit.windows, matter.cycle))
        claim = (
            f"{credit.policy.name} gives back the share of the cycle by the clock {credit.rule.clock}: "
            f"{hours_and_days(inside)} inside the cycle, pro rata {credit.derivation.words}"
        )
        rows = [end.evidence for window in credit.windows for end in (window.first, window.last)]
        return claimed(claim, READ_OUT, credit.policy.evidence, matter.line, credit.priced, *rows)
    if seen.in_force:
        named = listed([policy.name for policy in seen.in_force])
        return claimed(f"current policy for this claim: {named}", READ_OUT, *[item.evidence for item in seen.in_force])
    claim = "no current merchant policy covers this kind of claim"
    return claimed(claim, INFERRED, *matter.exhibits.absences(labels.NO_POLICY), *[p.evidence for p in seen.policies])


def policies_aside(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Pages that were read and do not count."""
    others = [policy for policy in seen.policies if policy not in seen.in_force]
    named = listed([policy.name for policy in others])
    return claimed(f"read, but not applied: {named}", READ_OUT, *[policy.evidence for policy in others])


def shown(matter: Matter, seen: Assessment, ruling: Ruling) -> Sequence[Finding | None]:
    """What the rules of the family found."""
    return [claimed(item.text, READ_OUT, *item.cites) for item in ruling.shown]


def reasons(matter: Matter, seen: Assessment, ruling: Ruling) -> Finding | None:
    """Why a person has to decide, where evidence shows it."""
    return claimed("; ".join(ruling.reasons), WEAK, *ruling.cites)
