"""The work that is measured: a signed event about a dispute, five specialists that only return rows, one decision.

Nothing in it takes time of its own: the rows are made beforehand, the decision is always the same, the one action is
carried out in memory. What remains is the orchestration.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from shared.case.actions import Action, ActionDraft, ActionKind, Json
from shared.case.brief import Brief, Decision, DecisionKind, Finding
from shared.case.canonical import canonical
from shared.case.case import Case, PostMortem, Subject
from shared.case.evidence import EvidenceRow
from shared.ports.effects import Done, EffectContext
from shared.team.contract import Draft, Findings, Ignored, Job, Material, Observation, Routing, Specialist

NAMES: Final = ("customer", "network", "payments", "policies", "reliability")
ROWS_EACH: Final = 8
BYTES_PER_ROW: Final = 300
"""Of what a row says (its fields as JSON); where it was found comes on top."""

PLAYBOOK: Final = "bench"
EVENT_TYPE: Final = "charge.dispute.created"
TLDR: Final = "The dispute is recorded; nothing is owed and nothing is contested."
RATIONALE: Final = "It is smaller than what contesting it would cost."
APPROVER_QUESTION: Final = "Record it, or contest it for the principle?"
LOG_TITLE: Final = "Dispute recorded"
LOG_BODY: Final = "Recorded without contest, as decided."
FINDING: Final = "The {} rows agree with the charge."
DONE: Final = "written"


def dispute_id(number: int) -> str:
    """The business object of a case, by its number in the run."""
    return f"du_bench_{number:08d}"


def dispute_event(number: int) -> dict[str, Json]:
    """The event that opens a case, in the shape and about the size in which Stripe sends it."""
    dispute: dict[str, Json] = {
        "id": dispute_id(number),
        "object": "dispute",
        "amount": 1900,
        "balance_transactions": [],
        "charge": f"ch_bench_{number:08d}",
        "created": 1778241600,
        "currency": "usd",
        "evidence": {"customer_email_address": "buyer@example.com", "customer_name": "Mia Buyer"},
        "evidence_details": {"due_by": None, "has_evidence": False, "past_due": False, "submission_count": 0},
        "is_charge_refundable": False,
        "livemode": False,
        "metadata": {},
        "payment_intent": f"pi_bench_{number:08d}",
        "payment_method_details": {"card": {"brand": "visa", "network_reason_code": "13.1"}, "type": "card"},
        "reason": "product_not_received",
        "status": "needs_response",
    }
    return {
        "id": f"evt_bench_{number:08d}",
        "object": "event",
        "api_version": "2026-04-22",
        "created": 1778241600,
        "data": {"object": dispute},
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": None, "idempotency_key": None},
        "type": EVENT_TYPE,
    }


def row(specialist: str, ordinal: int) -> EvidenceRow:
    """One row of a specialist. Its fields are exactly BYTES_PER_ROW bytes of JSON."""
    fields = {"amount": 1900, "currency": "usd", "ordinal": ordinal, "text": ""}
    text = (f"What {specialist} found. " * BYTES_PER_ROW)[: BYTES_PER_ROW - len(canonical(fields))]
    return EvidenceRow(
        source=specialist,
        table=f"{specialist}.records",
        record_id=f"rec_{ordinal}",
        fields={**fields, "text": text},
        query=f"select * from {specialist}.records where charge = 'ch_bench'",
        retrieved_at=datetime(2026, 5, 8, 12, 0, tzinfo=UTC),
        link=f"https://{specialist}.example.com/records/rec_{ordinal}",
        untrusted=False,
    )


class NoOpSpecialist:
    """Hands over rows that were made beforehand, after `busy_s` seconds in which it waits as for a model or a query."""

    deadline_s = 180.0

    def __init__(self, name: str) -> None:
        self.name = name
        self.busy_s = 0.0
        self._rows = [row(name, ordinal) for ordinal in range(ROWS_EACH)]

    def investigate(self, job: Job, findings: Findings) -> None:
        """The same rows for every case."""
        if self.busy_s:
            time.sleep(self.busy_s)  # the work itself, as far as orchestration can see it
        findings.rows.extend(self._rows)


class BenchPlaybook:
    """Disputes that end by themselves: always recorded, with a note that needs nobody's approval."""

    name = PLAYBOOK

    def __init__(self) -> None:
        self.specialists = tuple(NoOpSpecialist(name) for name in NAMES)

    def be_busy(self, seconds: float) -> None:
        """How long every specialist takes from now on."""
        for specialist in self.specialists:
            specialist.busy_s = seconds

    def route(self, org: str, event: Mapping[str, Json]) -> Routing | Ignored | None:
        """A new dispute opens its case."""
        data = event.get("data")
        dispute = data.get("object") if isinstance(data, dict) else None
        if event.get("type") != EVENT_TYPE or not isinstance(dispute, dict):
            return None
        return Routing(
            subject=Subject(kind="dispute", id=str(dispute["id"])),
            case_id=None,
            playbook=PLAYBOOK,
            opens=True,
            summary=f"a dispute of {dispute['charge']}",
            observation=Observation(
                facts={
                    "charge.id": dispute["charge"],
                    "dispute.amount": dispute["amount"],
                    "dispute.currency": dispute["currency"],
                    "dispute.status": dispute["status"],
                }
            ),
        )

    def observe(self, case: Case, observation: Observation) -> Observation:
        """Everything is news."""
        return observation

    def team(self, case: Case) -> Sequence[Specialist]:
        """All five, for every case."""
        return self.specialists

    def synthesize(self, material: Material) -> Draft:
        """One finding per specialist, a decision without money, one internal action."""
        findings = tuple(
            Finding(text=FINDING.format(name), citations=(index * ROWS_EACH, index * ROWS_EACH + 1), confidence_pct=95)
            for index, name in enumerate(NAMES)
        )
        brief = Brief(
            round=material.round,
            tldr=TLDR,
            findings=findings,
            decision=Decision(kind=DecisionKind.RECORD, rationale=RATIONALE, confidence_pct=95),
            approver_question=APPROVER_QUESTION,
        )
        note = ActionDraft(
            kind=ActionKind.DECISION_LOG,
            purpose="record",
            target=material.case.subject.id,
            payload={"title": LOG_TITLE, "body": LOG_BODY},
            description="Write the decision down",
        )
        return Draft(brief=brief, actions=(note,), facts={"customer.id": "cus_bench"})

    def illegal(self, case: Case, decision: Decision, action: Action | None) -> str | None:
        """Recording is always legal."""
        return None

    def settled_by(self, case: Case) -> str | None:
        """Nothing else settles these cases."""
        return None

    def awaits(self, case: Case) -> tuple[str, datetime | None] | None:
        """They wait for nothing."""
        return None

    def reconsiders(self, case: Case, world: Mapping[str, Json]) -> str | None:
        """Their world stands still."""
        return None

    def post_mortem(self, case: Case) -> PostMortem | None:
        """Nothing comes of them."""
        return None

    def looks_again(self, case: Case) -> str | None:
        """They wait for nothing that could pass."""
        return None

    def outcome_of(self, case: Case) -> str:
        """How they end."""
        return "recorded"


class InMemoryEffects:
    """Carries the one action out by answering."""

    def observe(self, action: Action, org: str) -> Mapping[str, Json]:
        """The action was decided on nothing that could change."""
        return {}

    def look_up(self, action: Action, context: EffectContext) -> Done | None:
        """Nothing is kept, so nothing is found."""
        return None

    def perform(self, action: Action, context: EffectContext) -> Done:
        """Done at once."""
        return Done(external_ref=f"log_{action.target}", summary=DONE)
