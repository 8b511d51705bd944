"""How a dispute ended, by what is known of it: Stripe's status alone does not tell who gave it up, or who prevented it.

A dispute that we close becomes `lost`. One that the network settled by itself (Rapid Dispute Resolution, an alert, a
block) shows as `prevented`, or as `lost` on arrival without a fee (docs.stripe.com/disputes/prevention, read 2026-05).
"""

from __future__ import annotations

from enum import StrEnum

from shared.case.actions import IN_FLIGHT, ActionKind, ActionState
from shared.case.case import Case
from shared.playbooks.disputes.stages import Stage, stage_of


class Ending(StrEnum):
    """How it ended. `accepted`: lost because we closed it."""

    WON = "won"
    LOST = "lost"
    ACCEPTED = "accepted"
    PREVENTED = "prevented"
    INQUIRY_CLOSED = "inquiry_closed"
    OPEN = "open"


_OF_STAGE = {
    Stage.WON: Ending.WON,
    Stage.LOST: Ending.LOST,
    Stage.PREVENTED: Ending.PREVENTED,
    Stage.INQUIRY_CLOSED: Ending.INQUIRY_CLOSED,
}
_PREVENTING = frozenset({"block", "resolution"})
_WITHOUT_A_FEE = frozenset({"cartes_bancaires"})
"""Networks on which an ordinary dispute costs no fee, so that none says nothing."""


def ending_of(case: Case) -> Ending:
    """How the dispute of a case ended, or that it is open."""
    ended = _OF_STAGE.get(stage_of(case.facts.get("dispute.status")), Ending.OPEN)
    if ended is Ending.LOST and was_prevented(case):
        return Ending.PREVENTED
    return Ending.ACCEPTED if ended is Ending.LOST and _we_closed_it(case) else ended


def was_prevented(case: Case) -> bool:
    """Whether the network settled a lost dispute by itself, before it became a chargeback that could be answered."""
    if case.facts.get("dispute.case_type") in _PREVENTING:
        return True
    by_card = case.facts.get("dispute.method") in ("card", None) and case.facts.get("dispute.brand") is not None
    free = case.int_fact("books.fees_minor") == 0 and case.facts.get("dispute.brand") not in _WITHOUT_A_FEE
    return was_lost_on_arrival(case) and by_card and free


def was_lost_on_arrival(case: Case) -> bool:
    """Whether the event that told of the dispute already called it lost: there never was anything to answer."""
    return case.facts.get("dispute.lost_on_arrival") is True


def _we_closed_it(case: Case) -> bool:
    done = IN_FLIGHT | {ActionState.SUCCEEDED}
    return any(action.kind is ActionKind.STRIPE_CLOSE_DISPUTE and action.state in done for action in case.actions)
