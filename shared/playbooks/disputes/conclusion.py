"""What the synthesizer concludes about any kind of case, and the draft that becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.case.actions import ActionDraft, Json
from shared.case.brief import Brief, Decision, DecisionKind, Derivation, Finding, Option
from shared.case.derivation import verify
from shared.case.evidence import Gap
from shared.playbooks.disputes import telling
from shared.playbooks.disputes.telling import Party
from shared.team.contract import Draft, Material

SPECIALIST = "synthesizer"

PERSON_PCT = 50
"""How sure a decision to let a person decide is, in per cent."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A decision with everything that goes with it.

    `reasons`: why, one sentence each; `ways_out`: for an escalation, what a person may choose beside the usual.
    """

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    summary: str
    question: str
    findings: tuple[Finding, ...]
    derivation: Derivation | None = None
    after_win: Derivation | None = None
    actions: tuple[ActionDraft, ...] = ()
    notes: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    ways_out: tuple[Option, ...] = ()


def drafted(material: Material, party: Party, conclusion: Conclusion, facts: Mapping[str, Json]) -> Draft:
    """The draft: the brief, its actions, a note in the CRM and a message to the team.

    Raises InvalidInput when the derivation does not hold, which is a fault of ours.
    """
    derivation = conclusion.derivation
    for claimed in filter(None, (derivation, conclusion.after_win)):
        verify(claimed, party.exhibits.lookup)
    note = telling.crm_note(party, conclusion.summary, material.round)
    telling_us = [
        *([note] if note else []),
        telling.slack_brief(material.org.default_channel, conclusion.summary, material.round),
    ]
    decision = Decision(
        kind=conclusion.kind,
        amount_minor=derivation.value_minor if derivation else None,
        currency=derivation.currency if derivation else None,
        derivation=derivation,
        after_win=conclusion.after_win,
        rationale=sentences(conclusion.reasons),
        confidence_pct=conclusion.confidence_pct,
    )
    brief = Brief(
        round=material.round,
        tldr=conclusion.summary,
        findings=conclusion.findings,
        decision=decision,
        gaps=(*material.gaps, *conclusion.gaps, *([] if note else [_NO_NOTE])),
        approver_question=conclusion.question,
        notes=conclusion.notes,
        ways_out=conclusion.ways_out,
    )
    return Draft(brief=brief, actions=(*conclusion.actions, *telling_us), facts=dict(facts))


_NO_NOTE = Gap(
    specialist=SPECIALIST,
    what="a note in the CRM",
    why="no CRM account of this customer is known, so no note can be written",
)


def unreadable(material: Material, what: str, why: str) -> Draft:
    """The draft where the object of the case could not be read: a person decides. `what`: "a chargeback"."""
    summary = f"{capital(what)} could not be investigated: {why}. A person has to decide."
    decision = Decision(kind=DecisionKind.ESCALATE, rationale=f"{capital(why)}.", confidence_pct=PERSON_PCT)
    brief = Brief(
        round=material.round,
        tldr=summary,
        findings=(),
        decision=decision,
        gaps=tuple(material.gaps),
        approver_question=f"What shall become of this? It could not be investigated: {why}.",
    )
    return Draft(brief=brief, actions=(telling.slack_brief(material.org.default_channel, summary, material.round),))


def unsent(why: str) -> Gap:
    """The gap where the customer should be told, and cannot be."""
    return Gap(specialist=SPECIALIST, what="a message to the customer", why=why)


NO_ADDRESS = unsent("neither Stripe nor the CRM holds an address of this customer")


def sentences(reasons: tuple[str, ...]) -> str:
    """Reasons as sentences."""
    return ". ".join(capital(reason) for reason in reasons) + "."


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
