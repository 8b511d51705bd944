"""From evidence about a request to a draft."""

from __future__ import annotations

from shared.case.actions import ActionKind, Json
from shared.case.brief import DecisionKind
from shared.playbooks.disputes.conclusion import NO_ADDRESS, Conclusion, capital, drafted, unreadable
from shared.playbooks.disputes.established import customer_facts, of_payment
from shared.playbooks.disputes.matter import Incomplete
from shared.playbooks.disputes.profile import profile
from shared.playbooks.disputes.requests.actions import actions
from shared.playbooks.disputes.requests.claim import Claim, claim_of
from shared.playbooks.disputes.requests.findings import findings
from shared.playbooks.disputes.requests.model import Ruling
from shared.playbooks.disputes.requests.ruling import rule
from shared.team.contract import Draft, Material
from shared.team.exhibits import text

_ANSWERED = frozenset({DecisionKind.REFUND, DecisionKind.CREDIT, DecisionKind.DECLINE})


def synthesize(material: Material) -> Draft:
    """The draft of a round. Deterministic: the same evidence gives the same draft."""
    try:
        claim = claim_of(material)
        ruling = rule(material, claim)
    except Incomplete as why:
        return unreadable(material, "a request", str(why))
    does = tuple(actions(claim, ruling))
    unsent = ruling.kind in _ANSWERED and all(action.kind is not ActionKind.CUSTOMER_EMAIL for action in does)
    conclusion = Conclusion(
        kind=ruling.kind,
        reasons=ruling.reasons,
        confidence_pct=ruling.confidence_pct,
        summary=_summary(claim, ruling),
        question=_question(ruling),
        findings=findings(claim, ruling),
        derivation=ruling.owed.derivation if ruling.owed else None,
        actions=does,
        notes=_notes(claim, ruling),
        gaps=(NO_ADDRESS,) if unsent else (),
    )
    return drafted(material, claim, conclusion, _facts(claim, ruling))


def _facts(claim: Claim, ruling: Ruling) -> dict[str, Json]:
    if ruling.payment is not None:
        return of_payment(ruling.payment)
    return {**customer_facts(claim), **profile(claim, claim.org, claim.case.subject.id)}


def _summary(claim: Claim, ruling: Ruling) -> str:
    opening = f"{claim.customer_name} asks for money back. {capital('; '.join(ruling.reasons))}."
    if ruling.owed is not None:
        verb = "Credit" if ruling.owed.instrument.is_credit else "Refund"
        return f"{opening} {verb} {ruling.owed.money} and answer them."
    move = {DecisionKind.DECLINE: " Decline, with the reason."}
    return opening + move.get(ruling.kind, " A person has to decide.")


def _question(ruling: Ruling) -> str:
    weighed = f" {ruling.weighed}" if ruling.weighed else ""
    if ruling.owed is not None:
        owed = ruling.owed.money
        where = "be credited to their account" if ruling.owed.instrument.is_credit else "go back to the card"
        if ruling.invoice is not None and text(ruling.invoice, "status") == "open":
            where = "be taken off what is due on the invoice"
        return (
            f"Shall {owed} {where}? What goes back by mistake is gone; a fair request that waits becomes a "
            f"dispute with a fee. The alternative is to ask them first.{weighed}"
        )
    if ruling.kind is DecisionKind.DECLINE:
        return (
            f"Shall we decline, because {'; '.join(ruling.reasons)}? They may turn to their bank, which costs a fee "
            f"and perhaps the money. The alternative is a refund as a courtesy, which no policy asks for.{weighed}"
        )
    return f"What shall become of the request? The rules could not decide it: {'; '.join(ruling.reasons)}.{weighed}"


def _notes(claim: Claim, ruling: Ruling) -> tuple[str, ...]:
    if ruling.owed is None or claim.asked_minor is None:
        return ()
    derivation = ruling.owed.derivation
    if (claim.asked_minor, claim.asked_currency) == (derivation.value_minor, derivation.currency):
        return ()
    return ("The amount that they name is not what goes back: the policy decides how much.",)
