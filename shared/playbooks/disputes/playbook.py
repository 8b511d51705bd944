"""The disputes playbook: chargebacks by rules; warnings, inquiries and failed invoices go to a person for now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from shared.case.actions import Action, Json
from shared.case.brief import Decision
from shared.case.case import Case
from shared.playbooks.disputes import remedies, routing, state, synthesis
from shared.playbooks.disputes.analysts import TEAM
from shared.playbooks.disputes.stages import Stage, stage_of
from shared.team.contract import Draft, Ignored, Material, Observation, Routing, Specialist


class DisputesPlaybook:
    """What a dispute adds to the pipeline. Stateless."""

    def __init__(self, specialists: Sequence[Specialist] = TEAM) -> None:
        self._specialists = tuple(specialists)

    @property
    def name(self) -> str:
        """disputes."""
        return routing.NAME

    def route(self, org: str, event: Mapping[str, Json]) -> Routing | Ignored | None:
        """What an event means; None for a type that is not ours. Raises InvalidInput for an object that has no id."""
        return routing.route(event)

    def observe(self, case: Case, observation: Observation) -> Observation:
        """The observation as this case should take it: older news than what is known changes nothing."""
        return state.observe(case, observation)

    def team(self, case: Case) -> Sequence[Specialist]:
        """All five for a chargeback that can be answered; nobody for anything else, which then goes to a person."""
        stage = stage_of(case.facts.get("dispute.status"))
        return self._specialists if case.subject.kind == "dispute" and stage is Stage.OPEN else ()

    def synthesize(self, material: Material) -> Draft:
        """Findings, decision and drafted actions from the evidence. Deterministic."""
        return synthesis.synthesize(material)

    def illegal(self, case: Case, decision: Decision, action: Action | None) -> str | None:
        """Why a decision, or one of its actions, is not legal in the known state of the dispute; None: legal."""
        return remedies.illegal(case, decision, action)

    def settled_by(self, case: Case) -> str | None:
        """Why the outside world has settled this case; None: it has not."""
        return state.settled_by(case)

    def awaits(self, case: Case) -> tuple[str, datetime | None] | None:
        """What the case still waits for outside once its own actions are done, and until when; None: nothing."""
        return state.awaits(case)

    def outcome_of(self, case: Case) -> str:
        """One word for memory: won, lost, prevented, inquiry_closed, or open."""
        return state.outcome_of(case)
