"""Small cases and events for tests that need no world."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from datetime import UTC, datetime

from shared.case.actions import Action, ActionDraft, ActionKind, ActionState, Dependency, DependencyKind, Json
from shared.case.brief import Decision, DecisionKind
from shared.case.case import Case, Outcome, Subject, Trigger
from shared.case.lifecycle import State

NOW = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)
DISPUTE: dict[str, Json] = {
    "id": "du_1",
    "object": "dispute",
    "amount": 840000,
    "currency": "usd",
    "charge": "ch_1",
    "payment_intent": "pi_1",
    "reason": "product_unacceptable",
    "status": "needs_response",
    "created": 100,
    "is_charge_refundable": False,
    "evidence_details": {"due_by": 1779494399, "has_evidence": False, "submission_count": 0},
    "payment_method_details": {
        "type": "card",
        "card": {"brand": "visa", "case_type": "chargeback", "network_reason_code": "13.3"},
    },
}


def event(type_: str, found: Mapping[str, Json], /, created: int = 100, **more: Json) -> dict[str, Json]:
    """A Stripe event around an object."""
    return {
        "id": "evt_1",
        "type": type_,
        "created": created,
        "livemode": False,
        "data": {"object": copy.deepcopy(dict(found))},
        **more,
    }


def case(facts: Mapping[str, Json] | None = None, /, kind: str = "dispute", **more: object) -> Case:
    """A case that knows these facts."""
    made = Case(
        id="case_1",
        org="acme",
        subject=Subject(kind=kind, id="du_1"),
        playbook="disputes",
        state=State.INVESTIGATING,
        trigger=Trigger(event_id="evt_1", type="charge.dispute.created", summary="", created_at=NOW),
        opened_at=NOW,
        updated_at=NOW,
        facts=dict(facts or {}),
    )
    return made.model_copy(update=more)


def action(kind: ActionKind, state: ActionState = ActionState.DRAFTED, *, after: str | None = None) -> Action:
    """An action that may wait for an outcome."""
    waits = (Dependency(kind=DependencyKind.OUTCOME, ref=after),) if after else ()
    draft = ActionDraft(kind=kind, purpose=kind.value, target="x", description="x", depends_on=waits)
    return Action(**draft.model_dump(), id=kind.value, hash="h").model_copy(update={"state": state})


def decision(kind: DecisionKind) -> Decision:
    """A decision of this kind."""
    return Decision(kind=kind, rationale="", confidence_pct=80)


def outcome(name: str, event_id: str = "evt_9", detail: str = "") -> Outcome:
    """Something the outside world said."""
    return Outcome(name=name, at=NOW, event_id=event_id, detail=detail)
