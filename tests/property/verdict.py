"""What has to be true of every draft, said a second time and without the product's own tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from shared.case.actions import Action, ActionKind, DependencyKind, Effect, Tier
from shared.case.brief import DecisionKind
from shared.case.case import Case
from shared.case.derivation import verify
from shared.case.events import BriefDrafted
from shared.case.evidence import Evidence
from shared.case.evolve import evolve
from shared.case.money import exponent, payable_step
from shared.policy.gate import check_amounts
from shared.policy.model import load_policy
from shared.steps.policy_check import refundable, verdicts_of
from shared.steps.synthesize import build_actions
from shared.team.contract import Draft, Material
from tests.property.scene import ORG, PLAYBOOK, RATES

_A, _D = ActionKind, DecisionKind
_INTERNAL = {_A.CRM_NOTE, _A.SLACK_BRIEF, _A.TICKET, _A.DECISION_LOG}
_EVIDENCE = {_A.STRIPE_STAGE_EVIDENCE, _A.STRIPE_SUBMIT_EVIDENCE}
_REFUNDABLE_NOW = {"warning_needs_response", "warning_under_review", "warning_closed", "won", None}
_TIERS = ((50, Tier.AUTO), (500, Tier.ONE_APPROVER))
_ORDER = [Tier.AUTO, Tier.ONE_APPROVER, Tier.TWO_APPROVERS]


def judged(material: Material) -> tuple[Case, Draft]:
    """Draft, and check everything that has to be true of a draft."""
    draft = PLAYBOOK.synthesize(material)
    assert draft.brief is not None, "a draft without a brief"
    actions = build_actions(material.case, draft.actions, draft.brief)
    drafted = BriefDrafted(brief=draft.brief, brief_hash="h", actions=actions, facts=dict(draft.facts))
    case = evolve(material.case, drafted, material.now)
    by_index = {item.index: item for item in material.evidence}
    for problem in (*_of_brief(draft, by_index), *_of_law(case), *_of_money(case, by_index), *_of_tiers(case)):
        raise AssertionError(problem)
    return case, draft


def _of_brief(draft: Draft, evidence: dict[int, Evidence]) -> Iterator[str]:
    brief = draft.brief
    assert brief is not None
    decision = brief.decision
    for finding in brief.findings:
        for index in finding.citations:
            if index not in evidence:
                yield f"{finding.text!r} cites {index}, which does not exist"
    if not decision.rationale.strip(". ") or not brief.approver_question or not brief.tldr:
        yield "a decision without a reason, a summary or a question"
    if not 0 <= decision.confidence_pct <= 100:
        yield f"{decision.confidence_pct} % sure"
    if decision.derivation is not None:
        verify(decision.derivation, evidence.get)


def _of_law(case: Case) -> Iterator[str]:
    """The moves that are legal, as disputes.md tells them, and the product's own word about the same."""
    assert case.brief is not None
    decision = case.brief.decision
    kinds = {action.kind for action in case.actions}
    for action in (None, *case.actions):
        refusal = PLAYBOOK.illegal(case, decision, action)
        if refusal is not None:
            yield f"{action.kind.value if action else decision.kind.value}: {refusal}"
    for action in case.actions:
        yield from _of_action(case, action)
    if _A.STRIPE_CLOSE_DISPUTE in kinds and kinds & {_A.STRIPE_REFUND, *_EVIDENCE}:
        yield "given up and contested or refunded at once"
    if (_A.STRIPE_CLOSE_DISPUTE in kinds) is not (decision.kind is _D.ACCEPT) and case.subject.kind == "dispute":
        yield "closing is the one way to accept, and nothing else is"
    if decision.kind is _D.ESCALATE and kinds - _INTERNAL:
        yield f"a person decides, and yet there is {kinds - _INTERNAL}"


def _of_action(case: Case, action: Action) -> Iterator[str]:
    status = case.facts.get("dispute.status")
    due_by = case.facts.get("dispute.due_by")
    answerable = isinstance(due_by, int) and due_by > case.updated_at.timestamp()
    waits = {dependency.ref for dependency in action.depends_on if dependency.kind is DependencyKind.OUTCOME}
    if action.kind in _EVIDENCE and (status not in ("needs_response", "warning_needs_response") or not answerable):
        yield f"evidence into a dispute that is {status}, due {due_by}"
    if action.kind in _EVIDENCE and "noncompliant" in (case.facts.get("dispute.reason"),):
        yield "500 USD for a compliance case without a person"
    if action.kind is _A.STRIPE_CLOSE_DISPUTE and (status != "needs_response" or not answerable):
        yield f"closing a dispute that is {status}, due {due_by}"
    if action.kind is _A.STRIPE_REFUND and "dispute.won" not in waits and status not in _REFUNDABLE_NOW:
        yield f"a refund while the dispute is {status}"
    if action.kind is _A.STRIPE_SUBMIT_EVIDENCE:
        staged = {other.id for other in case.actions if other.kind is _A.STRIPE_STAGE_EVIDENCE}
        if not staged & {dependency.ref for dependency in action.depends_on}:
            yield "evidence is submitted that was not staged"


def _of_money(case: Case, evidence: dict[int, Evidence]) -> Iterator[str]:
    assert case.brief is not None
    decision = case.brief.decision
    charge = next((item for item in evidence.values() if item.row.record_id == case.facts.get("charge.id")), None)
    captured, refunded = (_whole(charge, name) for name in ("amount_captured", "amount_refunded"))
    refunds = [action for action in case.actions if action.kind is _A.STRIPE_REFUND]
    total = sum(action.amount_minor or 0 for action in refunds)
    if refunds and (captured is None or refunded is None or total > captured - refunded):
        yield f"refunds of {total} where {captured} was captured and {refunded} returned"
    for action in case.actions:
        if action.effect is Effect.MONEY_OUT and (action.amount_minor or 0) % payable_step(action.currency or "usd"):
            yield f"{action.amount_minor} {action.currency} cannot be paid"
    disputed = (case.facts.get("dispute.amount"), case.facts.get("dispute.currency"))
    if decision.kind in (_D.FIGHT, _D.ACCEPT) and (decision.amount_minor, decision.currency) != disputed:
        yield f"{decision.amount_minor} {decision.currency} where {disputed} is disputed"
    now_minor, later_minor = refundable(case)
    if decision.kind is not _D.ESCALATE:
        check_amounts(
            decision, case.actions, lookup=evidence.get, refundable_now=now_minor, refundable_after_outcome=later_minor
        )


def _of_tiers(case: Case) -> Iterator[str]:
    """What is at stake in dollars decides who approves, reckoned here by hand; an unknown rate asks for two people."""
    assert case.brief is not None
    verdicts = verdicts_of(case, case.brief.decision, ORG, load_policy(ORG.approval_policy))
    for action in case.actions:
        verdict = verdicts[action.id]
        if verdict.tier is Tier.FORBIDDEN:
            yield f"{action.kind.value} is forbidden: {verdict.rules}"
        elif _ORDER.index(verdict.tier) < _ORDER.index(_least(action)):
            yield f"{action.kind.value} needs {_least(action).value}, not {verdict.tier.value}"


def _least(action: Action) -> Tier:
    stakes = [(action.amount_minor, action.currency)]
    if action.kind in (_A.STRIPE_SUBMIT_EVIDENCE, _A.STRIPE_CLOSE_DISPUTE):
        stakes.append((action.at_risk_minor, action.at_risk_currency))
    least = Tier.AUTO
    for minor, currency in stakes:
        if minor is None or currency is None:
            continue
        rate = Fraction(1) if currency == "usd" else Fraction(RATES.get(currency, "1000000"))
        dollars = Fraction(minor, 10 ** exponent(currency)) * rate
        # Half a cent of slack: the product rounds what is at risk to the cent.
        tier = next((tier for bound, tier in _TIERS if dollars < bound - Fraction(1, 200)), Tier.TWO_APPROVERS)
        least = max(least, tier, key=_ORDER.index)
    return least


def _whole(item: Evidence | None, name: str) -> int | None:
    value = item.row.fields.get(name) if item else None
    return value if isinstance(value, int) else None
