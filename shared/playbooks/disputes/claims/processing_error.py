"""A claim that the payment was processed wrongly: the charge is held against the invoice that it paid.

A claim that the amount is wrong, on an invoice of seats, is for the merchant's policy on seats where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes.admission import admit_documents
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims import seats
from shared.playbooks.disputes.claims.model import (
    ACCEPT_WITHOUT_POLICY_PCT,
    FIGHT_WITHOUT_POLICY_PCT,
    Argument,
    Ruling,
    Shown,
    confidence,
)
from shared.playbooks.disputes.claims.refunded import contest_with, went_back
from shared.playbooks.disputes.credit import Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.twins import Side, side_of
from shared.team.exhibits import text, whole

ABOUT_AMOUNT = frozenset({"visa-12.5", "mastercard-4831", "amex-P05", "amex-A01"})
ABOUT_CURRENCY = frozenset({"visa-12.3"})


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """Contest a charge that is what the invoice says, give up what was taken beyond it. Raises Stop for the rest."""
    admit_documents(matter, seen)
    refunds = went_back(matter, seen.refunds)
    if refunds:
        return contest_with(matter, seen, gaps, refunds, "the charge was refunded before it was disputed")
    if matter.rule.id in ABOUT_AMOUNT:
        ruled = seats.rule(matter, seen, gaps)
        if ruled is not None:
            return ruled
    ours = side_of(matter, matter.charge)
    total = whole(ours.invoice, "total")
    if matter.rule.id not in ABOUT_AMOUNT | ABOUT_CURRENCY or ours.invoice is None or total is None:
        missing = (
            "an invoice for the charge" if ours.invoice is None or total is None else "what the bank says is wrong"
        )
        raise Stop(
            (f"the claim is {matter.rule.meaning}, and what would answer it is not on file: {missing}",),
            (matter.dispute, *ours.rows),
        )
    if text(ours.invoice, "currency").lower() != matter.currency:
        raise Stop(("the charge is in another currency than its invoice: it may be a true error",), ours.rows)
    beyond = matter.paid_minor - total
    if beyond == 0:
        return _as_billed(matter, seen, gaps, ours)
    if beyond != matter.disputed_minor or matter.rule.id in ABOUT_CURRENCY:
        raise Stop(
            (
                f"the charge of {matter.money(matter.paid_minor)} is not what its invoice comes to "
                f"({matter.money(total)}), and what is disputed is neither that difference nor nothing",
            ),
            ours.rows,
        )
    told = f"{matter.money(beyond)} more were taken than invoice {ours.number} comes to ({matter.money(total)})"
    return Ruling(
        DecisionKind.ACCEPT,
        (told, f"the default for its code: {matter.rule.stance}"),
        confidence(ACCEPT_WITHOUT_POLICY_PCT, seen, gaps),
        shown=(Shown(told, ours.rows),),
    )


def _as_billed(matter: Matter, seen: Assessment, gaps: Sequence[Gap], ours: Side) -> Ruling:
    told = f"the charge is exactly what was billed: {matter.money(matter.paid_minor)}, {ours.in_words()}"
    return Ruling(
        DecisionKind.FIGHT,
        (told, f"the default for its code: {matter.rule.stance}"),
        confidence(FIGHT_WITHOUT_POLICY_PCT, seen, gaps),
        shown=(Shown(told, ours.rows),),
        argument=Argument({}, (), f"The amount and currency taken are those of the bill: {ours.in_words()}."),
    )
