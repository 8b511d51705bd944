"""The disputes playbook: chargebacks, inquiries, early fraud warnings, failed invoices and requests, by rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from shared.case.actions import Action, Json
from shared.case.brief import Decision
from shared.case.case import Case, PostMortem
from shared.playbooks.disputes import post_mortem, remedies, routing, state, synthesis
from shared.playbooks.disputes.analysts import TEAM
from shared.playbooks.disputes.stages import Stage, stage_of
from shared.team.contract import Draft, Ignored, Material, Observation, Routing, Specialist

_ANSWERABLE = frozenset({Stage.OPEN, Stage.INQUIRY})
_NEEDED: dict[str, frozenset[str]] = {
    "early_fraud_warning": frozenset(
        {"payments_analyst", "customer_context", "policy_analyst", "network_rules_analyst"}
    ),
    "invoice": frozenset({"payments_analyst", "customer_context", "reliability_analyst", "policy_analyst"}),
    "request": frozenset({"payments_analyst", "customer_context", "reliability_analyst", "policy_analyst"}),
}
"""Which specialists a case that is not about a dispute needs; a dispute needs all of them."""

_FOR_LOST_DEBIT = frozenset({"payments_analyst", "customer_context", "policy_analyst", "network_rules_analyst"})
"""Which ones a bank debit needs that cannot be contested: whether the service worked does not matter."""


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
        """Those who can say something about this kind of case; nobody where there is nothing to decide by rules."""
        if state.is_lost_debit(case):
            return tuple(member for member in self._specialists if member.name in _FOR_LOST_DEBIT)
        wanted = _NEEDED.get(case.subject.kind, frozenset())
        if case.subject.kind == "dispute" and stage_of(case.facts.get("dispute.status")) not in _ANSWERABLE:
            return ()
        return tuple(member for member in self._specialists if member.name in wanted or case.subject.kind == "dispute")

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

    def reconsiders(self, case: Case, world: Mapping[str, Json]) -> str | None:
        """A warning whose charge is disputed by now has an answer of its own: another round, and no person."""
        return state.reconsiders(case, world)

    def post_mortem(self, case: Case) -> PostMortem | None:
        """Our advice against the outcome of a dispute that has closed; None for anything else."""
        return post_mortem.post_mortem(case)

    def looks_again(self, case: Case) -> str | None:
        """Why a wait that ended without a word is followed by another round; None: a person is asked."""
        return state.looks_again(case)

    def outcome_of(self, case: Case) -> str:
        """One word for memory: won, lost, accepted, prevented, inquiry_closed, or open."""
        return state.outcome_of(case)
