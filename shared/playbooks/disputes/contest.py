"""From evidence about a disputed charge to a conclusion: what to do about the chargeback, or the inquiry."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind
from shared.case.brief import DecisionKind, Derivation
from shared.errors import InvalidInput
from shared.playbooks.disputes import derive, drafting
from shared.playbooks.disputes.assessment import Assessment, assess
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.conclusion import NO_ADDRESS, PERSON_PCT, Conclusion, drafted, unreadable
from shared.playbooks.disputes.established import established
from shared.playbooks.disputes.findings import findings
from shared.playbooks.disputes.matter import Incomplete, Matter, matter_of
from shared.playbooks.disputes.remedies import laws
from shared.playbooks.disputes.ruling import rule
from shared.playbooks.disputes.wording import question, summary
from shared.team.contract import Draft, Material


def synthesize(material: Material) -> Draft:
    """The draft of a round. Deterministic: the same evidence gives the same draft."""
    try:
        matter = matter_of(material)
    except Incomplete as why:
        return unreadable(material, "a chargeback", str(why))
    seen = assess(matter)
    ruling = rule(matter, seen, material.gaps)
    try:
        actions = _actions(matter, seen, ruling)
    except InvalidInput as why:
        reason = f"the evidence does not fit: {why}"
        ruling, actions = Ruling(DecisionKind.ESCALATE, (reason,), PERSON_PCT, cites=(matter.dispute,)), []
    return drafted(material, matter, _conclusion(matter, seen, ruling, actions), established(matter))


def _conclusion(matter: Matter, seen: Assessment, ruling: Ruling, actions: list[ActionDraft]) -> Conclusion:
    paid = any(action.kind is ActionKind.STRIPE_REFUND for action in actions)
    told = any(action.kind is ActionKind.CUSTOMER_EMAIL for action in actions)
    return Conclusion(
        kind=ruling.kind,
        reasons=ruling.reasons,
        confidence_pct=ruling.confidence_pct,
        summary=summary(matter, ruling),
        question=question(matter, ruling),
        findings=findings(matter, seen, ruling),
        derivation=_derivation(matter, ruling),
        after_win=ruling.ending.unused if ruling.ending else None,
        actions=tuple(actions),
        notes=_notes(matter, seen, ruling),
        gaps=(NO_ADDRESS,) if paid and not told else (),
    )


def _actions(matter: Matter, seen: Assessment, ruling: Ruling) -> list[ActionDraft]:
    if ruling.kind is DecisionKind.ESCALATE:
        return []
    if ruling.kind is DecisionKind.REFUND:
        told = drafting.tell_of_full_refund(matter)
        return [drafting.refund_in_full(matter), *([told] if told else [])]
    warning = [drafting.warn_owner(matter, ruling)] if ruling.warn_owner else []
    if ruling.kind is DecisionKind.ACCEPT:
        return [drafting.accept(matter), *warning]
    return [*_contesting(matter, seen, ruling), *warning]


def _contesting(matter: Matter, seen: Assessment, ruling: Ruling) -> list[ActionDraft]:
    actions = drafting.contest(matter, seen, ruling)
    if ruling.ending is not None:
        actions.append(drafting.end_subscription(matter, ruling.ending))
        actions += [drafting.refund_after_win(matter, ruling.ending.unused)] if ruling.ending.unused else []
    if ruling.credit is not None:
        told = drafting.tell_customer(matter, ruling.credit)
        actions += [drafting.refund_after_win(matter, ruling.credit.derivation), *([told] if told else [])]
    return actions


def _derivation(matter: Matter, ruling: Ruling) -> Derivation | None:
    if ruling.credit is not None:
        return ruling.credit.derivation
    if ruling.kind in (DecisionKind.FIGHT, DecisionKind.ACCEPT):
        return derive.whole_amount(matter.dispute, matter.dispute_currency)
    return derive.left_of(matter.charge, matter.currency) if ruling.kind is DecisionKind.REFUND else None


def _notes(matter: Matter, seen: Assessment, ruling: Ruling) -> tuple[str, ...]:
    notes = [f"Not legal here: {decision}, because {why}." for _, decision, why in laws(matter.stage)]
    if ruling.credit is not None:
        notes += [
            f"Considered: the whole {matter.money(matter.paid_minor)}. Only the documented time is owed.",
            "Considered: contesting without admitting anything. An incident is on record, and its share is owed.",
            f"The time counts by {ruling.credit.rule.clock}: not to the deploy of the fix, nor in calendar dates.",
        ]
    if ruling.kind is DecisionKind.ACCEPT:
        notes.append("Never refunded as well: the bank has the money already, and a refund would pay twice.")
    if ruling.ending is not None:
        notes.append("Considered: a credit for the unused time now. If the dispute is lost, that would pay it twice.")
    if ruling.kind is DecisionKind.ANSWER:
        notes.append("Considered: refunding in full. Nothing is owed; it would end the inquiry for certain.")
    if seen.courtesies:
        notes.append("Considered: a courtesy amount that a colleague suggested. No policy knows it.")
    return tuple(notes)
