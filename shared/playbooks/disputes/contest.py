"""From evidence about a disputed charge to a conclusion: what to do about the chargeback, or the inquiry."""

from __future__ import annotations

from shared.case.actions import ActionDraft, ActionKind
from shared.case.brief import DecisionKind, Derivation
from shared.errors import InvalidInput
from shared.playbooks.disputes import derive, drafting, giving_up
from shared.playbooks.disputes.assessment import Assessment, assess
from shared.playbooks.disputes.claims.model import Ruling
from shared.playbooks.disputes.completeness import completeness
from shared.playbooks.disputes.conclusion import NO_ADDRESS, PERSON_PCT, Conclusion, drafted, unreadable
from shared.playbooks.disputes.established import established
from shared.playbooks.disputes.exhibit import Attached, attached
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
        drawn = attached(matter, seen, ruling, _actions(matter, seen, ruling), material.render)
    except InvalidInput as why:
        reason = f"the evidence does not fit: {why}"
        ruling = Ruling(DecisionKind.ESCALATE, (reason,), PERSON_PCT, cites=(matter.dispute,))
        drawn = Attached([])
    return drafted(material, matter, _conclusion(matter, seen, ruling, drawn), established(matter))


def _conclusion(matter: Matter, seen: Assessment, ruling: Ruling, drawn: Attached) -> Conclusion:
    actions = drawn.actions
    paid = ruling.letter is not None or any(action.kind is ActionKind.STRIPE_REFUND for action in actions)
    told = any(action.kind is ActionKind.CUSTOMER_EMAIL for action in actions)
    return Conclusion(
        kind=ruling.kind,
        reasons=ruling.reasons,
        confidence_pct=ruling.confidence_pct,
        summary=summary(matter, ruling),
        question=question(matter, ruling),
        findings=findings(matter, seen, ruling),
        derivation=_derivation(matter, ruling),
        after_win=ruling.after_win,
        actions=tuple(actions),
        notes=(*_notes(matter, seen, ruling), *_of_packet(matter, drawn)),
        gaps=(NO_ADDRESS,) if paid and not told else (),
    )


def _actions(matter: Matter, seen: Assessment, ruling: Ruling) -> list[ActionDraft]:
    match ruling.kind:
        case DecisionKind.ESCALATE | DecisionKind.RECORD:
            answer = []
        case DecisionKind.REFUND:
            told = drafting.tell_of_full_refund(matter)
            answer = [drafting.refund_in_full(matter), *([told] if told else [])]
        case DecisionKind.ACCEPT:
            told = giving_up.tell(matter, ruling.letter) if ruling.letter else None
            answer = [giving_up.close(matter), *([told] if told else [])]
        case _:
            answer = drafting.contest(matter, seen, ruling)
    if ruling.credit is not None:
        told = drafting.tell_customer(matter, ruling.credit)
        answer += [drafting.refund_after_win(matter, ruling.credit.derivation), *([told] if told else [])]
    if ruling.after_win is not None:
        answer.append(drafting.refund_after_win(matter, ruling.after_win))
    return [*answer, *giving_up.beside(matter, ruling)]


def _derivation(matter: Matter, ruling: Ruling) -> Derivation | None:
    if ruling.credit is not None:
        return ruling.credit.derivation
    if ruling.kind in (DecisionKind.FIGHT, DecisionKind.ACCEPT):
        return derive.whole_amount(matter.dispute, matter.dispute_currency)
    return derive.left_of(matter.charge, matter.currency) if ruling.kind is DecisionKind.REFUND else None


def _of_packet(matter: Matter, drawn: Attached) -> list[str]:
    """How complete the evidence is for this code, and what goes with it."""
    staged = next((item for item in drawn.actions if item.kind is ActionKind.STRIPE_STAGE_EVIDENCE), None)
    if staged is None:
        return []
    told = completeness(matter.rule, staged.payload).in_words(matter.rule)
    return [told, *([drawn.note] if drawn.note else [])]


def _notes(matter: Matter, seen: Assessment, ruling: Ruling) -> tuple[str, ...]:
    notes = [f"Not legal here: {decision}, because {why}." for _, decision, why in laws(matter.stage)]
    if ruling.credit is not None:
        notes += [
            f"Considered: the whole {matter.money(matter.paid_minor)}. Only the documented time is owed.",
            "Considered: contesting without admitting anything. An incident is on record, and its share is owed.",
            f"The time counts by {ruling.credit.rule.clock}: not to the deploy of the fix, nor in calendar dates.",
        ]
    if ruling.after_win is not None:
        notes.append("Considered: a credit for the unused time now. If the dispute is lost, that would pay it twice.")
    if ruling.kind is DecisionKind.ANSWER:
        notes.append("Considered: refunding in full. Nothing is owed; it would end the inquiry for certain.")
    if ruling.kind is DecisionKind.ACCEPT:
        notes.append("Considered: contesting first and paying after a win. What is on record does not carry that.")
        notes.append("Considered: a refund beside it. The bank keeps the disputed money, so that would pay twice.")
    if seen.courtesies:
        notes.append("Considered: a courtesy amount that a colleague suggested. No policy knows it.")
    return tuple(notes)
