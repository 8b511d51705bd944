"""A claim without a category, or one that a payment provider decides: a person reads it, and is told whose it is."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.evidence import Gap
from shared.playbooks.disputes.admission import admit_documents
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims import seats
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.claims.refunded import contest_with, went_back
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.current import BRAND, CODE, PROVIDERS
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest what was refunded, or what the policy on seats decides. Raises Stop for anything else."""
    admit_documents(matter, seen)
    refunds = went_back(matter, seen.refunds)
    if refunds:
        return contest_with(matter, seen, gaps, refunds, "the charge was refunded before it was disputed")
    ruled = seats.rule(matter, seen, gaps)
    if ruled is not None:
        return ruled
    raise Stop(
        (*_whose(matter), "missing: what the customer claims, which no code says"), (matter.dispute, matter.charge)
    )


def _whose(matter: Matter) -> tuple[str, ...]:
    """Who decides it, in whose words."""
    brand, code = matter.now_at[BRAND], matter.now_at[CODE]
    if brand not in PROVIDERS:
        return ("no rule decides claims of the kind general (no category given)",)
    named = str(brand).capitalize() if brand != "paypal" else "PayPal"
    case = text(matter.dispute, "payment_method_details__paypal__case_id")
    known = f" (case {case})" if case else ""
    return (
        f"{named} decides this claim{known}, and calls it {code or 'nothing'}: the rules of the card networks do not "
        "apply",
    )
