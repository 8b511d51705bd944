"""What becomes of a chargeback: contested, contested with what is owed paid after a win, given up, or a person decides.

An inquiry is weighed by the same rules and has other moves: it is answered, or the charge is refunded in full.

The rules go from what must be known to what may be decided. What no rule covers goes to a person, with the reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.claims import RULERS
from shared.playbooks.disputes.claims.model import ACCEPT_PCT, PERSON_PCT, REFUND_PCT, Ruling
from shared.playbooks.disputes.claims.service import rule as as_service
from shared.playbooks.disputes.credit import AllOwed, Stop, evidence_of
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.standing import left_minor


def rule(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """The ruling on a matter. `gaps`: what the specialists could not find out."""
    try:
        ruling = _weighed(matter, seen, gaps)
        if matter.is_inquiry:
            return _in_full(matter, ruling) if ruling.kind is DecisionKind.ACCEPT else _of_inquiry(matter, ruling)
        if ruling.kind is DecisionKind.ACCEPT:
            _check_given_up(matter, seen)
        return ruling
    except Stop as stop:
        return _escalated(stop)


def _weighed(matter: Matter, seen: Assessment, gaps: Sequence[Gap]) -> Ruling:
    """What the rules of the family say. Where all of the money is owed, the chargeback is given up."""
    try:
        return RULERS.get(matter.rule.family, as_service)(matter, seen, gaps)
    except AllOwed as owed:
        return Ruling(DecisionKind.ACCEPT, owed.reasons, ACCEPT_PCT, cites=owed.cites)


def _check_given_up(matter: Matter, seen: Assessment) -> None:
    """Closing gives up what is disputed, whatever is owed. Raises Stop where that can be more than is owed."""
    cites = (matter.dispute, matter.charge, *seen.siblings)
    if seen.siblings:
        raise Stop(("the same charge carries another dispute, and what is owed is owed once",), cites)
    if matter.dispute_currency != matter.currency:
        raise Stop(("the dispute is in another currency than the charge: it may be more than is owed",), cites)
    left = left_minor(matter.charge)
    if left is None or matter.disputed_minor > left:
        raise Stop(("more is disputed than is left of the charge: closing would give up more than is owed",), cites)


def _escalated(stop: Stop) -> Ruling:
    return Ruling(DecisionKind.ESCALATE, stop.reasons, PERSON_PCT, cites=stop.cites)


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
    if ruling.kind is not DecisionKind.FIGHT:
        return ruling
    told = "it is an inquiry so far: an answer with the facts may end it, and it costs no fee"
    return replace(ruling, kind=DecisionKind.ANSWER, reasons=(*ruling.reasons, told))


def _in_full(matter: Matter, owed: Ruling) -> Ruling:
    """Refunding all of it resolves the inquiry; what does not add up to the whole charge goes to a person."""
    left = left_minor(matter.charge)
    if matter.dispute_currency != matter.currency or left != matter.disputed_minor:
        return Ruling(
            DecisionKind.ESCALATE,
            (*owed.reasons, "what is asked about is not what is left of the charge: only a full refund counts"),
            PERSON_PCT,
            cites=(*owed.cites, matter.charge),
        )
    reasons = (*owed.reasons, "refunding the whole charge resolves an inquiry, and it costs no fee")
    return replace(owed, kind=DecisionKind.REFUND, reasons=reasons, confidence_pct=REFUND_PCT)
