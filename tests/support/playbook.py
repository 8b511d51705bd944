"""A playbook whose specialists and conclusions a test writes down."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from shared.case.actions import Action, ActionDraft, ActionKind, Dependency, DependencyKind, Json
from shared.case.brief import Brief, Decision, DecisionKind, Derivation, Finding, Input
from shared.case.case import Case, Outcome, PostMortem, Subject
from shared.case.evidence import EvidenceRow
from shared.errors import InvalidInput
from shared.team.contract import Draft, Findings, Ignored, Job, Material, Observation, Routing, Specialist

NAMES = ("payments", "customer", "reliability", "policies", "network")


def row(table: str, record_id: str, **fields: str | int | bool | None) -> EvidenceRow:
    """A row as a specialist would find it."""
    return EvidenceRow(
        source=table.partition(".")[0],
        table=table,
        record_id=record_id,
        fields=fields,
        query=f"select * from {table}",
        retrieved_at=datetime(2026, 5, 8, tzinfo=UTC),
        link=f"https://example.test/{record_id}",
        untrusted=False,
    )


@dataclass
class ScriptedSpecialist:
    """Hands over what the script says; `script` may raise."""

    name: str
    script: Callable[[Job, Findings], None]
    deadline_s: float = 180.0

    def investigate(self, job: Job, findings: Findings) -> None:
        self.script(job, findings)


def finds_charge(job: Job, findings: Findings) -> None:
    findings.rows.append(row("stripe.charges", f"ch_{job.specialist}", amount=84000, refunded=0))


def partial_credit(material: Material) -> Draft:
    """A credit of a tenth, contested first and paid only once the dispute is won; like the real one, but shorter."""
    amount, currency = 8400, "usd"
    derivation = Derivation(
        expression="amount / 10",
        inputs={"amount": Input(value=84000, evidence=0, field="amount", unit="usd minor units")},
        currency=currency,
        value_minor=amount,
    )
    decision = Decision(
        kind=DecisionKind.CREDIT,
        amount_minor=amount,
        currency=currency,
        derivation=derivation,
        rationale="a tenth is owed",
        confidence_pct=90,
    )
    brief = Brief(
        round=material.round,
        tldr="A tenth is owed.",
        findings=(Finding(text="The charge was 840.00.", citations=(0,), confidence_pct=95),),
        decision=decision,
        gaps=tuple(material.gaps),
        approver_question="Pay a tenth after a win, or give up the dispute?",
    )
    dispute = str(material.case.facts["dispute.id"])
    snapshot: dict[str, Json] = {"dispute.status": str(material.case.facts["dispute.status"])}
    risk = {"at_risk_minor": 84000, "at_risk_currency": "usd"}
    actions = (
        ActionDraft(
            kind=ActionKind.STRIPE_SUBMIT_EVIDENCE,
            purpose="submit",
            target=dispute,
            payload={"dispute": dispute, "evidence": {"uncategorized_text": "served"}},
            description="Submit the evidence",
            snapshot=snapshot,
            depends_on=(Dependency(kind=DependencyKind.ACTION, ref="stage"),),
            **risk,
        ),
        ActionDraft(
            kind=ActionKind.STRIPE_STAGE_EVIDENCE,
            purpose="stage",
            target=dispute,
            payload={"dispute": dispute, "evidence": {"uncategorized_text": "served"}},
            description="Stage the evidence",
            snapshot=snapshot,
            depends_on=(Dependency(kind=DependencyKind.APPROVAL, ref="submit"),),
            **risk,
        ),
        ActionDraft(
            kind=ActionKind.STRIPE_REFUND,
            purpose="refund",
            target="ch_payments",
            amount_minor=amount,
            currency=currency,
            payload={"charge": "ch_payments", "amount_minor": amount, "currency": currency},
            description="Refund a tenth after the win",
            snapshot=snapshot,
            depends_on=(Dependency(kind=DependencyKind.OUTCOME, ref="dispute.won"),),
        ),
        ActionDraft(
            kind=ActionKind.CUSTOMER_EMAIL,
            purpose="mail",
            target="buyer@example.test",
            payload={"to": "buyer@example.test", "subject": "Your refund", "body_text": "It is on its way."},
            description="Tell the customer",
            depends_on=(Dependency(kind=DependencyKind.ACTION, ref="refund"),),
        ),
        ActionDraft(
            kind=ActionKind.CRM_NOTE,
            purpose="note",
            target="co_1",
            payload={"company_id": "co_1", "body": "A tenth is owed."},
            description="Note it",
            needed=False,
        ),
    )
    facts: dict[str, Json] = {
        "customer.id": "cus_1",
        "charge.refundable_now_minor": 0,
        "charge.refundable_later_minor": 84000,
    }
    return Draft(brief=brief, actions=actions, facts=facts)


@dataclass
class ScriptedPlaybook:
    """A playbook for things called disputes, told by events of type test.*; closings decide."""

    specialists: Sequence[Specialist] = field(
        default_factory=lambda: [ScriptedSpecialist(name, finds_charge) for name in NAMES]
    )
    conclude: Callable[[Material], Draft] = partial_credit
    refusal: Callable[[Case, Decision, Action | None], str | None] = lambda case, decision, action: None
    again: Callable[[Case, Mapping[str, Json]], str | None] = lambda case, world: None
    known: Mapping[str, Json] = field(default_factory=dict)
    """Further facts that every event tells."""
    written: Callable[[Case], PostMortem | None] = lambda case: None
    another_look: str | None = None
    name: str = "disputes"

    def route(self, org: str, event: Mapping[str, Json]) -> Routing | Ignored | None:
        kind = str(event.get("type"))
        if not kind.startswith("test."):
            return None
        if kind == "test.boring":
            return Ignored("it concerns nothing")
        if kind == "test.broken":
            raise InvalidInput("the object has no id")
        data = event["data"]
        assert isinstance(data, dict)
        item = data["object"]
        assert isinstance(item, dict)
        status = str(item["status"])
        outcome = None
        at = datetime.fromtimestamp(int(str(event["created"])), UTC)
        if kind == "test.closed":
            outcome = Outcome(name=f"dispute.{status}", at=at, event_id=str(event["id"]))
        if kind.startswith("test.refund_"):
            outcome = Outcome(
                name="refund." + kind.removeprefix("test.refund_"),
                at=at,
                event_id=str(event["id"]),
                detail=str(item["action"]),
            )
        facts: dict[str, Json] = {"dispute.id": str(item["id"]), "dispute.status": status}
        facts |= self.known
        if "due_by" in item:
            facts["due_by"] = str(item["due_by"])
        return Routing(
            subject=Subject(kind="dispute", id=str(item["id"])),
            case_id=None,
            playbook=self.name,
            opens=kind in ("test.created", "test.updated"),
            waits=kind != "test.aside",
            summary=f"{kind} of {item['id']}",
            observation=Observation(facts=facts, outcome=outcome, reopens=kind == "test.escalated"),
        )

    def observe(self, case: Case, observation: Observation) -> Observation:
        if case.outcomes and observation.outcome is None and not observation.reopens:
            return Observation(facts={})
        return observation

    def team(self, case: Case) -> Sequence[Specialist]:
        return self.specialists

    def synthesize(self, material: Material) -> Draft:
        return self.conclude(material)

    def illegal(self, case: Case, decision: Decision, action: Action | None) -> str | None:
        return self.refusal(case, decision, action)

    def settled_by(self, case: Case) -> str | None:
        for name in ("dispute.won", "dispute.lost"):
            if name in case.outcomes:
                return f"the dispute was {name.partition('.')[2]}"
        return None

    def awaits(self, case: Case) -> tuple[str, datetime | None] | None:
        submitted = any(
            action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE and action.state == "succeeded" for action in case.actions
        )
        if submitted and self.settled_by(case) is None:
            return "the issuer's decision", case.updated_at + timedelta(days=75)
        return None

    def reconsiders(self, case: Case, world: Mapping[str, Json]) -> str | None:
        return self.again(case, world)

    def post_mortem(self, case: Case) -> PostMortem | None:
        return self.written(case)

    def looks_again(self, case: Case) -> str | None:
        return self.another_look

    def outcome_of(self, case: Case) -> str:
        return ", ".join(sorted(case.outcomes)) or "done"
