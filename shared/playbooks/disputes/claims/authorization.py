"""A claim that the payment was not authorised by the issuer: contested with the approval, if one is on record."""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes.admission import admit_documents
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims.model import FIGHT_WITHOUT_POLICY_PCT, Argument, Ruling, Shown, confidence
from shared.playbooks.disputes.claims.refunded import contest_with, went_back
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.team.exhibits import text, whole
from shared.team.words import listed, minute

EXPIRED = frozenset({"amex-A08", "visa-11.1"})
"""Codes that grant an approval and say that it did not count any more: the approval alone does not answer them."""


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest with the issuer's approval. Raises Stop, with what is missing, without one."""
    admit_documents(matter, seen)
    refunds = went_back(matter, seen.refunds)
    if refunds:
        return contest_with(matter, seen, gaps, refunds, "the charge was refunded before it was disputed")
    code = text(matter.charge, "payment_method_details__card__authorization_code")
    approved = text(matter.charge, "outcome__network_status") == "approved_by_network"
    missing = [
        *([] if code else ["the approval code of the issuer"]),
        *([] if approved else ["the network's word that it approved the payment"]),
        *(["proof that the approval had not expired or been recalled"] if matter.rule.id in EXPIRED else []),
        *([] if whole(matter.charge, "amount_captured") == matter.paid_minor else ["that what was approved was taken"]),
    ]
    if missing:
        raise Stop(
            (f"the claim is {matter.rule.meaning}, and what would answer it is not on file: {listed(missing)}",),
            (matter.dispute, matter.charge),
        )
    told = f"the issuer approved {matter.money(matter.paid_minor)} on {minute(matter.paid_at)}, approval code {code}"
    return Ruling(
        DecisionKind.FIGHT,
        (told, f"the default for its code: {matter.rule.stance}"),
        confidence(FIGHT_WITHOUT_POLICY_PCT, seen, gaps),
        shown=(Shown(told, (matter.charge,)),),
        argument=Argument({}, (), f"The payment was authorised: {told}."),
    )
