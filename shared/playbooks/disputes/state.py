"""What news means to a case that already knows something, and what the case still waits for outside."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from shared.case.actions import ActionKind, ActionState, Json
from shared.case.case import Case, Outcome
from shared.playbooks.disputes.stages import PROGRESS, TERMINAL_STATUSES, Stage, stage_of
from shared.team.contract import Observation

ISSUER_DECIDES_WITHIN = timedelta(days=75)
"""Issuers rule 60 to 75 days after the evidence was submitted."""

_SETTLED = {
    Stage.WON: "the card issuer decided for us",
    Stage.LOST: "the dispute is lost",
    Stage.PREVENTED: "the dispute was prevented before it became a chargeback",
    Stage.INQUIRY_CLOSED: "the inquiry is closed",
}
_ENDINGS = {Stage.WON: "won", Stage.LOST: "lost", Stage.PREVENTED: "prevented", Stage.INQUIRY_CLOSED: "inquiry_closed"}


def observe(case: Case, observation: Observation) -> Observation:
    """The observation as this case should take it: older or contradicting news changes nothing.

    Facts come in families, each with its own instant (`<family>.as_of`): the dispute, its funds, a warning, an invoice,
    each of our refunds. Every family is judged by itself.
    """
    facts = dict(observation.facts)
    outcome = observation.outcome
    for family in _families(facts):
        if not _is_news(case, facts, family):
            facts = {name: value for name, value in facts.items() if _family(name) != family}
            if outcome is not None and outcome.name.partition(".")[0] == family.partition(".")[0]:
                outcome = None
    return Observation(
        facts=facts,
        outcome=None if _is_known(case, outcome) else outcome,
        reopens=observation.reopens or _reopens(case, facts),
    )


def settled_by(case: Case) -> str | None:
    """Why the outside world has settled this dispute; None while it has not."""
    return _SETTLED.get(stage_of(case.facts.get("dispute.status")))


def awaits(case: Case) -> tuple[str, datetime | None] | None:
    """What the case waits for once its own actions are done: the issuer after a submission, the bank of a refund."""
    if settled_by(case) is None and _was_submitted(case):
        return "the issuer's decision", _submitted_at(case) + ISSUER_DECIDES_WITHIN
    statuses = [value for name, value in case.facts.items() if name.startswith("refund.") and name.endswith(".status")]
    pending = "pending" in statuses
    return ("the bank to settle our refund", None) if pending else None


def outcome_of(case: Case) -> str:
    """One word for memory: how the dispute ended, or that it is still open."""
    return _ENDINGS.get(stage_of(case.facts.get("dispute.status")), "open")


def _families(facts: Iterable[str]) -> list[str]:
    return sorted({_family(name) for name in facts} - {"charge", "payment_intent", "customer"})


def _family(name: str) -> str:
    # `due_by`, the deadline that people have, is the dispute's.
    return "dispute" if name == "due_by" else name.rpartition(".")[0]


def _is_news(case: Case, facts: dict[str, Json], family: str) -> bool:
    if family == "dispute" and "dispute.status" in facts:
        return _is_dispute_news(case, facts)
    before, now = case.facts.get(f"{family}.status"), facts.get(f"{family}.status")
    if family.startswith("refund.") and before in ("failed", "canceled") and now != before:
        return False
    return _is_later(case, facts, f"{family}.as_of")


def _is_dispute_news(case: Case, facts: dict[str, Json]) -> bool:
    before, now = case.facts.get("dispute.status"), facts["dispute.status"]
    if before in TERMINAL_STATUSES:
        # A lost dispute can still be won; nothing else follows an end.
        return before == now or (before, now) == ("lost", "won")
    if now in TERMINAL_STATUSES:
        return True
    if case.facts.get("dispute.as_of") == facts.get("dispute.as_of"):
        return PROGRESS.get(str(now), 0) >= PROGRESS.get(str(before), 0)
    return _is_later(case, facts, "dispute.as_of")


def _is_later(case: Case, facts: dict[str, Json], name: str) -> bool:
    before, now = case.facts.get(name), facts.get(name)
    return not (isinstance(before, int) and isinstance(now, int) and now < before)


def _is_known(case: Case, outcome: Outcome | None) -> bool:
    known = case.outcomes.get(outcome.name) if outcome else None
    return (
        known is not None
        and outcome is not None
        and (known.event_id, known.detail) == (outcome.event_id, outcome.detail)
    )


def _reopens(case: Case, facts: dict[str, Json]) -> bool:
    was = stage_of(case.facts.get("dispute.status"))
    if was in (Stage.INQUIRY, Stage.INQUIRY_FILED) and facts.get("dispute.status") == "needs_response":
        return True
    before, now = case.facts.get("invoice.attempt_count"), facts.get("invoice.attempt_count")
    return isinstance(before, int) and isinstance(now, int) and now > before


def _was_submitted(case: Case) -> bool:
    if stage_of(case.facts.get("dispute.status")) in (Stage.FILED, Stage.INQUIRY_FILED):
        return True
    return any(
        action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE and action.state is ActionState.SUCCEEDED
        for action in case.actions
    )


def _submitted_at(case: Case) -> datetime:
    # Stripe's own word for it when it has come; until then the last change of the case, which is our submission.
    as_of = case.int_fact("dispute.as_of")
    if stage_of(case.facts.get("dispute.status")) in (Stage.FILED, Stage.INQUIRY_FILED) and as_of is not None:
        return datetime.fromtimestamp(as_of, UTC)
    return case.updated_at
