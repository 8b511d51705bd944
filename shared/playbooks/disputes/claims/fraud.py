"""A claim of fraud: contested where the evidence ties the payment to the person, or 3-D Secure did; else a person."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes.admission import FOLLOWED, admit_fraud
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import FIGHT_PCT, Ruling, confidence
from shared.playbooks.disputes.compelling import Compelling, compelling, shared_in_words
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.standing import liability_shifted
from shared.team.words import listed


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest where the evidence ties the payment to the person. Raises Stop where nothing does."""
    admit_fraud(matter, seen)
    found, reasons = against_fraud(matter, seen, gaps)
    return Ruling(DecisionKind.FIGHT, reasons, confidence(FIGHT_PCT, seen, gaps), compelling=found)


def against_fraud(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> tuple[Compelling | None, tuple[str, ...]]:
    """What speaks against the claim, and why in words. Raises Stop where nothing that counts does."""
    # Stripe's reason is coarse: by it, a page on the service may seem to be meant too.
    pages = [policy for policy in seen.in_force if policy.kind not in FOLLOWED]
    if pages:
        named = listed([policy.name for policy in pages])
        raise Stop(
            (f"the merchant has a page on claims of fraud that has to be read by a person: {named}",),
            tuple(policy.evidence for policy in pages),
        )
    found = compelling(matter, {gap.what for gap in gaps})
    if found is not None:
        shared = shared_in_words(found)
        return found, (f"Visa Compelling Evidence 3.0: two earlier payments share {shared} with this one",)
    if liability_shifted(matter.charge):
        return None, ("3-D Secure confirmed the holder of the card",)
    raise Stop(
        (
            f"no rule decides claims of the kind {matter.rule.family.value} ({matter.rule.meaning}) without earlier "
            "payments that qualify or a successful 3-D Secure check",
        ),
        (matter.dispute, matter.charge),
    )
