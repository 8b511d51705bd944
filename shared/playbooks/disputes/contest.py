"""From evidence to a brief: findings with citations that exist, a decision with its derivation, drafted actions."""

from __future__ import annotations

from shared.case.actions import ActionDraft
from shared.case.brief import Brief, Decision, DecisionKind, Derivation
from shared.case.derivation import verify
from shared.case.evidence import Gap
from shared.errors import InvalidInput
from shared.playbooks.disputes import derive, drafting
from shared.playbooks.disputes.assessment import Assessment, assess
from shared.playbooks.disputes.established import established
from shared.playbooks.disputes.findings import findings
from shared.playbooks.disputes.matter import Incomplete, Matter, matter_of
from shared.playbooks.disputes.remedies import laws
from shared.playbooks.disputes.ruling import Ruling, rule
from shared.team.contract import Draft, Material
from shared.team.words import feature, listed, minute

SPECIALIST = "synthesizer"


def synthesize(material: Material) -> Draft:
    """The draft of a round. Deterministic: the same evidence gives the same draft."""
    try:
        matter = matter_of(material)
    except Incomplete as why:
        return _unreadable(material, str(why))
    seen = assess(matter)
    ruling = rule(matter, seen, material.gaps)
    try:
        actions = _actions(matter, seen, ruling)
    except InvalidInput as why:
        ruling = Ruling(DecisionKind.ESCALATE, (f"the evidence does not fit: {why}",), 50, cites=(matter.dispute,))
        actions = []
    return _draft(material, matter, seen, ruling, actions)


def _actions(matter: Matter, seen: Assessment, ruling: Ruling) -> list[ActionDraft]:
    if ruling.kind is DecisionKind.ESCALATE:
        return []
    drafted = drafting.contest(matter, seen, ruling)
    if ruling.credit is not None:
        drafted.append(drafting.refund_after_win(matter, ruling.credit))
        email = drafting.tell_customer(matter, ruling.credit)
        drafted += [email] if email else []
    return drafted


def _draft(material: Material, matter: Matter, seen: Assessment, ruling: Ruling, actions: list[ActionDraft]) -> Draft:
    summary = _tldr(matter, ruling)
    note = drafting.crm_note(matter, summary)
    telling = [*([note] if note else []), drafting.slack_brief(material.org.default_channel, summary)]
    derivation = _derivation(matter, ruling)
    if derivation is not None:
        verify(derivation, matter.exhibits.lookup)
    decision = Decision(
        kind=ruling.kind,
        amount_minor=derivation.value_minor if derivation else None,
        currency=derivation.currency if derivation else None,
        derivation=derivation,
        rationale=". ".join(_capital(reason) for reason in ruling.reasons) + ".",
        confidence_pct=ruling.confidence_pct,
    )
    brief = Brief(
        round=material.round,
        tldr=summary,
        findings=findings(matter, seen, ruling),
        decision=decision,
        gaps=(*material.gaps, *_own_gaps(matter, ruling, note is not None, actions)),
        approver_question=_question(matter, ruling),
        notes=_notes(matter, seen, ruling),
    )
    return Draft(brief=brief, actions=(*actions, *telling), facts=established(matter))


def _derivation(matter: Matter, ruling: Ruling) -> Derivation | None:
    if ruling.credit is not None:
        return ruling.credit.derivation
    if ruling.kind is DecisionKind.FIGHT:
        return derive.whole_amount(matter.dispute, matter.dispute_currency)
    return None


def _tldr(matter: Matter, ruling: Ruling) -> str:
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    opening = f"{matter.customer_name} disputes {disputed} for {matter.plan}: {matter.rule.meaning}."
    if ruling.credit is not None:
        credit = ruling.credit
        owed = matter.money(credit.derivation.value_minor)
        features = listed(sorted({feature(item.service) for item in credit.troubles}))
        return (
            f"{opening} {features} was in trouble from {minute(credit.windows[0].start)} to "
            f"{minute(credit.windows[-1].end)}; they used it and complained at the time. {credit.policy.title}: "
            f"{credit.derivation.words}. Contest the chargeback, say openly that {owed} are owed, and refund that once "
            "the dispute is won."
        )
    if ruling.kind is DecisionKind.FIGHT:
        return f"{opening} {_capital(ruling.reasons[0])}. Contest the whole {disputed}."
    return f"{opening} A person has to decide: {'; '.join(ruling.reasons)}."


def _question(matter: Matter, ruling: Ruling) -> str:
    disputed = matter.money(matter.disputed_minor, matter.dispute_currency)
    if ruling.credit is not None:
        owed = matter.money(ruling.credit.derivation.value_minor)
        return (
            f"Shall we contest {disputed} while admitting that {owed} are owed, and refund {owed} only if we win? The "
            "packet can be submitted once, and contesting costs a fee that only a win returns. If we lose, the "
            f"customer keeps the whole {disputed} and nothing more is paid. The alternative is to accept the dispute "
            "and to lose all of it, more than the policy gives back."
        )
    if ruling.kind is DecisionKind.FIGHT:
        return (
            f"Shall we contest the whole {disputed}? The packet can be submitted once, and contesting costs a fee that "
            "only a win returns. The alternative is to accept the dispute and keep the goodwill of the customer."
        )
    return (
        f"What shall become of the chargeback of {disputed}? The rules could not decide it: "
        f"{'; '.join(ruling.reasons)}. Left unanswered, it is lost at its due date."
    )


def _notes(matter: Matter, seen: Assessment, ruling: Ruling) -> tuple[str, ...]:
    notes = [f"Not legal here: {decision}, because {why}." for _, decision, why in laws(matter.stage)]
    if ruling.credit is not None:
        notes += [
            f"Considered: the whole {matter.money(matter.paid_minor)}. Only the documented time is owed.",
            "Considered: contesting without admitting anything. An incident is on record, and its share is owed.",
            f"The time counts by {ruling.credit.rule.clock}: not to the deploy of the fix, nor in calendar dates.",
        ]
    if seen.courtesies:
        notes.append("Considered: a courtesy amount that a colleague suggested. No policy knows it.")
    return tuple(notes)


def _own_gaps(matter: Matter, ruling: Ruling, noted: bool, actions: list[ActionDraft]) -> list[Gap]:
    gaps = []
    if not noted:
        why = "no CRM account of this customer is known, so no note can be written"
        gaps.append(Gap(specialist=SPECIALIST, what="a note in the CRM", why=why))
    if ruling.credit is not None and all(action.purpose != drafting.EMAIL for action in actions):
        why = "neither Stripe nor the CRM holds an address of this customer"
        gaps.append(Gap(specialist=SPECIALIST, what="a message to the customer", why=why))
    return gaps


def _unreadable(material: Material, why: str) -> Draft:
    summary = f"A chargeback could not be investigated: {why}. A person has to decide."
    decision = Decision(kind=DecisionKind.ESCALATE, rationale=f"{_capital(why)}.", confidence_pct=50)
    brief = Brief(
        round=material.round,
        tldr=summary,
        findings=(),
        decision=decision,
        gaps=tuple(material.gaps),
        approver_question=f"What shall become of this chargeback? It could not be investigated: {why}.",
    )
    return Draft(brief=brief, actions=(drafting.slack_brief(material.org.default_channel, summary),))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
