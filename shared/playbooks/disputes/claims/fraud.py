"""A claim of fraud: contested where evidence or 3-D Secure ties the payment to the person; given up by a policy."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes.admission import admit_fraud
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.conceding import give_up
from shared.playbooks.disputes.claims.model import FIGHT_PCT, Ruling, confidence
from shared.playbooks.disputes.compelling import compelling, shared_in_words
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.standing import liability_shifted


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest what evidence ties to the person. Raises Stop where nothing does and no policy gives it up."""
    admit_fraud(matter, seen)
    return ruled(matter, seen, gaps)


def ruled(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """What becomes of a claim that may be decided. Giving up comes last: it gives way to whatever would win."""
    found = compelling(matter, {gap.what for gap in gaps})
    if found is not None:
        shared = shared_in_words(found)
        reasons = (f"Visa Compelling Evidence 3.0: two earlier payments share {shared} with this one",)
        return Ruling(DecisionKind.FIGHT, reasons, confidence(FIGHT_PCT, seen, gaps), compelling=found)
    if liability_shifted(matter.charge):
        reasons = ("3-D Secure confirmed the holder of the card",)
        return Ruling(DecisionKind.FIGHT, reasons, confidence(FIGHT_PCT, seen, gaps))
    given_up = give_up(matter, seen, gaps)
    if given_up is not None:
        return given_up
    raise Stop(
        (
            f"no rule decides claims of the kind {matter.rule.family.value} ({matter.rule.meaning}) without earlier "
            "payments that qualify or a successful 3-D Secure check",
        ),
        (matter.dispute, matter.charge),
    )
