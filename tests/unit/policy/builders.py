"""Shapes that the policy tests speak about, with everything that does not matter filled in."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from shared.case.actions import Action, ActionDraft, ActionKind, Approval, Dependency, DependencyKind, Tier, Verdict
from shared.case.brief import Decision, DecisionKind, Derivation, Input
from shared.case.evidence import Cell, Evidence, EvidenceRow
from shared.policy.evaluate import evaluate
from shared.policy.facts import Facts
from shared.policy.model import Policy, load_policy
from shared.ports.directory import Member, Org, Role

NOW = datetime(2026, 5, 9, 10, tzinfo=UTC)
HASH = "hash-of-the-content"

DANA = Member(email="dana@merchant.test", name="Dana", role=Role.APPROVER)
ERIN = Member(email="erin@merchant.test", name="Erin", role=Role.ADMIN)
FINN = Member(email="finn@merchant.test", name="Finn", role=Role.APPROVER, limit_minor=20000)
OLEG = Member(email="oleg@merchant.test", name="Oleg", role=Role.OPERATOR)
VERA = Member(email="vera@merchant.test", name="Vera", role=Role.VIEWER)

SHIPPED = load_policy(None)


def org(
    currency: str = "usd",
    fx: Mapping[str, str] | None = None,
    *,
    members: tuple[Member, ...] = (DANA, ERIN, FINN, OLEG, VERA),
) -> Org:
    return Org(id="merchant", currency=currency, fx=dict(fx or {}), members=members)


def decision(
    kind: str = "refund", *, confidence: int = 95, minor: int | None = None, currency: str = "usd"
) -> Decision:
    return Decision(
        kind=DecisionKind(kind),
        amount_minor=minor,
        currency=currency if minor is not None else None,
        rationale="because",
        confidence_pct=confidence,
    )


def draft(
    kind: str,
    minor: int | None = None,
    currency: str | None = "usd",
    *,
    risk: tuple[int, str] | None = None,
    after: tuple[str, ...] = (),
    outcome: str | None = None,
) -> ActionDraft:
    """An action on `minor` of money; `risk` is the disputed or involved amount; `after`: the actions it depends on."""
    depends = [Dependency(kind=DependencyKind.ACTION, ref=ref) for ref in after]
    if outcome is not None:
        depends.append(Dependency(kind=DependencyKind.OUTCOME, ref=outcome))
    return ActionDraft(
        kind=ActionKind(kind),
        purpose=kind,
        target="ch_1",
        amount_minor=minor,
        currency=currency if minor is not None else None,
        at_risk_minor=risk[0] if risk is not None else None,
        at_risk_currency=risk[1] if risk is not None else None,
        description="what it does",
        depends_on=tuple(depends),
    )


def refund(minor: int | None, currency: str = "usd") -> ActionDraft:
    return draft("stripe_refund", minor, currency)


def submit(minor: int, currency: str = "usd") -> ActionDraft:
    return draft("stripe_submit_evidence", risk=(minor, currency))


def action(
    tier: str | None = "one",
    *,
    at_risk: int | None = 10000,
    approvals: tuple[Approval, ...] = (),
    edited_by: str | None = None,
    requested_by: str | None = None,
) -> Action:
    """A refund that the policy has judged; `tier` is auto, one, two or forbidden, None: not judged yet."""
    tiers = {"auto": Tier.AUTO, "one": Tier.ONE_APPROVER, "two": Tier.TWO_APPROVERS, "forbidden": Tier.FORBIDDEN}
    verdict = Verdict(tier=tiers[tier], rules=("a rule",), at_risk_minor=at_risk) if tier is not None else None
    return Action(
        **refund(10000).model_dump(),
        id="stripe_refund-1",
        hash=HASH,
        verdict=verdict,
        approvals=approvals,
        editors=() if edited_by is None else (edited_by,),
        requested_by=requested_by,
    )


def approval(email: str, content: str = HASH) -> Approval:
    return Approval(email=email, role="approver", at=NOW, hash=content)


def judge(
    subject: ActionDraft,
    *,
    others: Mapping[str, ActionDraft] | None = None,
    by: Policy = SHIPPED,
    within: Org | None = None,
    deciding: Decision | None = None,
    facts: Facts | None = None,
) -> Verdict:
    """The verdict on a draft; without more said: by the shipped policy, in dollars, on a confident refund."""
    return evaluate(
        subject, others=others or {}, decision=deciding or decision(), org=within or org(), policy=by, facts=facts
    )


def derived(minor: int, currency: str = "usd", *, evidence: int = 0, claimed: int | None = None) -> Derivation:
    """A derivation that takes its amount from the field `amount` of one cited row."""
    return Derivation(
        expression="amount",
        inputs={"amount": Input(value=minor, evidence=evidence, field="amount")},
        currency=currency,
        value_minor=minor if claimed is None else claimed,
    )


def row(index: int, fields: dict[str, Cell]) -> Evidence:
    found = EvidenceRow(
        source="stripe",
        table="stripe.charges",
        record_id=f"row-{index}",
        fields=fields,
        query="select 1",
        retrieved_at=NOW,
        link="",
        untrusted=False,
    )
    return Evidence(index=index, specialist="payments_analyst", row=found)
