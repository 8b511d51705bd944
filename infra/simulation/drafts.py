"""What a simulated case comes to: its plan, and the brief and actions that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.case.actions import ActionDraft, ActionKind, Dependency, DependencyKind, Json
from shared.case.brief import Brief, Decision, DecisionKind, Derivation, Finding, Input, Option
from shared.case.evidence import Evidence
from shared.team.contract import AskHuman, Draft, Material

YES: Final = Option(id="yes", label="Yes")
NO: Final = Option(id="no", label="No")


class Flow(StrEnum):
    """What the team recommends."""

    CREDIT_AFTER_WIN = "credit_after_win"
    REFUND = "refund"
    ACCEPT = "accept"
    RECORD = "record"
    ESCALATE = "escalate"


class Flaw(StrEnum):
    """What is wrong with a draft, which must not get through."""

    NONE = "none"
    CITES_NOTHING = "cites_nothing"
    WRONG_SUM = "wrong_sum"
    OBEYS = "obeys"
    """The hostile text asked for everything."""
    NO_DERIVATION = "no_derivation"


@dataclass(frozen=True, slots=True)
class Plan:
    """One dispute: what it is about, and what will be concluded. Amounts in minor units of US dollars."""

    flow: Flow
    charge: str
    charge_amount: int
    tenths: int
    """How many tenths of the charge are owed."""
    asks: bool = False
    hostile: bool = False
    bulky: bool = False
    flaw: Flaw = Flaw.NONE
    flawed_rounds: int = 0
    """In how many first rounds the draft has its flaw."""

    @property
    def owed(self) -> int:
        """What the derivation comes to."""
        return (self.charge_amount * self.tenths * 2 + 10) // 20


def draft(material: Material, plan: Plan) -> Draft:
    """The draft of this round. Deterministic."""
    paid = next((item for item in material.evidence if item.row.table == "stripe.charges"), None)
    if paid is None:
        return _escalated(material, "what was paid is not known")
    if plan.asks and not any(q.answer and q.answer.option in ("yes", "no") for q in material.case.questions):
        return Draft(brief=None, question=AskHuman("Was the customer told?", (YES, NO)))
    if plan.flow is Flow.ESCALATE:
        return _escalated(material, "the sources contradict each other")
    flaw = plan.flaw if material.round <= plan.flawed_rounds else Flaw.NONE
    decision = _decision(plan, paid, flaw)
    citation = 9999 if flaw is Flaw.CITES_NOTHING else paid.index
    brief = _brief(material, decision, citation)
    return Draft(brief=brief, actions=_actions(material, plan, flaw), facts=_facts(plan, material))


def _facts(plan: Plan, material: Material) -> dict[str, Json]:
    later = plan.charge_amount
    now = 0 if plan.flow is Flow.CREDIT_AFTER_WIN else plan.charge_amount
    return {
        "customer.id": f"cus_{material.case.subject.id}",
        "charge.refundable_now_minor": now,
        "charge.refundable_later_minor": later,
    }


def _brief(material: Material, decision: Decision, citation: int) -> Brief:
    words = "the customer wrote: refund everything now"
    return Brief(
        round=material.round,
        tldr=decision.rationale,
        findings=(Finding(text=f"The charge says so; {words}", citations=(citation,), confidence_pct=95),),
        decision=decision,
        gaps=tuple(material.gaps),
        approver_question="Pay, or give it up?",
    )


def _escalated(material: Material, why: str) -> Draft:
    decision = Decision(kind=DecisionKind.ESCALATE, rationale=why, confidence_pct=50)
    count = len(material.evidence)
    if count == 0:
        return Draft(brief=None, question=AskHuman("No source answered. Was the charge paid?", (YES, NO)))
    return Draft(brief=_brief(material, decision, 0), actions=(_note(material),))


def _decision(plan: Plan, paid: Evidence, flaw: Flaw) -> Decision:
    if plan.flow is Flow.RECORD:
        return Decision(kind=DecisionKind.RECORD, rationale="nothing is owed", confidence_pct=95)
    if plan.flow is Flow.ACCEPT:
        return Decision(kind=DecisionKind.ACCEPT, rationale="it cannot be won", confidence_pct=95)
    derivation = Derivation(
        expression=f"amount * {plan.tenths} / 10",
        inputs={"amount": Input(value=plan.charge_amount, evidence=paid.index, field="amount", unit="usd minor units")},
        currency="usd",
        value_minor=plan.owed + (100 if flaw is Flaw.WRONG_SUM else 0),
    )
    return Decision(
        kind=DecisionKind.CREDIT if plan.flow is Flow.CREDIT_AFTER_WIN else DecisionKind.REFUND,
        amount_minor=_amount(plan, flaw),
        currency="usd",
        derivation=None if flaw is Flaw.NO_DERIVATION else derivation,
        rationale="a part is owed",
        confidence_pct=90,
    )


def _amount(plan: Plan, flaw: Flaw) -> int:
    if flaw is Flaw.OBEYS:
        return plan.charge_amount
    return plan.owed + (100 if flaw is Flaw.WRONG_SUM else 0)


def _actions(material: Material, plan: Plan, flaw: Flaw) -> tuple[ActionDraft, ...]:
    if plan.flow is Flow.RECORD:
        return (_note(material),)
    if plan.flow is Flow.ACCEPT:
        return (_close(material, plan), _mail("close"), _note(material))
    if plan.flow is Flow.REFUND:
        return (_refund(material, plan, flaw, ()), _mail("refund"), _note(material))
    won = (Dependency(kind=DependencyKind.OUTCOME, ref="dispute.won"),)
    return (*_evidence(material, plan), _refund(material, plan, flaw, won), _mail("refund"), _note(material))


def _about(material: Material) -> tuple[str, dict[str, Json]]:
    case = material.case
    return str(case.facts["dispute.id"]), {"dispute.status": str(case.facts["dispute.status"])}


def _evidence(material: Material, plan: Plan) -> tuple[ActionDraft, ...]:
    dispute, snapshot = _about(material)
    payload: dict[str, Json] = {"dispute": dispute, "evidence": {"uncategorized_text": "it was served"}}
    submit = ActionDraft(
        kind=ActionKind.STRIPE_SUBMIT_EVIDENCE,
        purpose="submit",
        target=dispute,
        payload=payload,
        description="Submit the evidence",
        snapshot=snapshot,
        depends_on=(Dependency(kind=DependencyKind.ACTION, ref="stage"),),
        at_risk_minor=plan.charge_amount,
        at_risk_currency="usd",
    )
    stage = submit.model_copy(
        update={
            "kind": ActionKind.STRIPE_STAGE_EVIDENCE,
            "purpose": "stage",
            "description": "Stage the evidence",
            "depends_on": (Dependency(kind=DependencyKind.APPROVAL, ref="submit"),),
        }
    )
    return submit, stage


def _refund(material: Material, plan: Plan, flaw: Flaw, after: tuple[Dependency, ...]) -> ActionDraft:
    dispute, snapshot = _about(material)
    amount = _amount(plan, flaw)
    return ActionDraft(
        kind=ActionKind.STRIPE_REFUND,
        purpose="refund",
        target=plan.charge,
        amount_minor=amount,
        currency="usd",
        payload={"charge": plan.charge, "dispute": dispute, "amount_minor": amount, "currency": "usd"},
        description="Refund what is owed",
        snapshot=snapshot,
        depends_on=after,
    )


def _close(material: Material, plan: Plan) -> ActionDraft:
    dispute, snapshot = _about(material)
    return ActionDraft(
        kind=ActionKind.STRIPE_CLOSE_DISPUTE,
        purpose="close",
        target=dispute,
        payload={"dispute": dispute},
        description="Give the dispute up",
        snapshot=snapshot,
        at_risk_minor=plan.charge_amount,
        at_risk_currency="usd",
    )


def _mail(after: str) -> ActionDraft:
    return ActionDraft(
        kind=ActionKind.CUSTOMER_EMAIL,
        purpose="mail",
        target="buyer@example.test",
        payload={"to": "buyer@example.test", "subject": "Your payment", "body_text": "It is done."},
        description="Tell the customer",
        depends_on=(Dependency(kind=DependencyKind.ACTION, ref=after),),
    )


def _note(material: Material) -> ActionDraft:
    return ActionDraft(
        kind=ActionKind.CRM_NOTE,
        purpose="note",
        target="co_1",
        payload={"company_id": "co_1", "body": f"Looked at {material.case.subject.id}."},
        description="Note it",
        needed=False,
    )
