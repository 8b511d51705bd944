"""What news means to a case that already knows something, and what the case still waits for outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from shared.case.actions import ActionKind, ActionState, Json
from shared.case.brief import DecisionKind
from shared.case.case import Case, Outcome
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.current import family_of
from shared.playbooks.disputes.ending import ending_of, was_lost_on_arrival, was_prevented
from shared.playbooks.disputes.figures import figure
from shared.playbooks.disputes.purposes import OF_INQUIRY
from shared.playbooks.disputes.stages import PROGRESS, TERMINAL_STATUSES, Stage, stage_of
from shared.team.contract import Observation

ISSUER_DECIDES_WITHIN = timedelta(days=figure("window.issuer_decides"))
"""Issuers rule 60 to 75 days after the evidence was submitted."""

INQUIRY_ENDS_WITHIN = timedelta(days=figure("window.inquiry_ends"))
"""An inquiry that does not become a chargeback is closed after 120 days."""

AFTER_AN_ATTEMPT = timedelta(days=3)
"""How long after a planned attempt its failure would have been told; silence until then means that it was paid."""

_INVOICE_SETTLED = {
    "paid": "the invoice is paid",
    "void": "the invoice was made void",
    "uncollectible": "the invoice was given up as uncollectible",
}

_SETTLED = {
    Stage.WON: "the card issuer decided for us",
    Stage.LOST: "the dispute is lost",
    Stage.PREVENTED: "the dispute was prevented before it became a chargeback",
    Stage.INQUIRY_CLOSED: "the inquiry is closed",
}

_DONE = {
    DecisionKind.REFUND: "refunded",
    DecisionKind.CREDIT: "credited",
    DecisionKind.DECLINE: "declined",
    DecisionKind.RECOVER: "followed_up",
    DecisionKind.RECORD: "recorded",
}


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
    if outcome is not None and outcome.name.startswith("invoice.") and _invoice_settled_by(case) is not None:
        # Paid after it was given up: good news about a case that is over.
        outcome = None
    escalates, breaks_through = _escalates(case, facts), _breaks_through(case, facts)
    if escalates:
        facts["dispute.escalated"] = True
    return Observation(
        facts=facts,
        outcome=None if _is_known(case, outcome) else outcome,
        reopens=observation.reopens or escalates or breaks_through or _is_another_attempt(case, facts),
        why=_why_again(escalates=escalates, breaks_through=breaks_through),
    )


def _why_again(*, escalates: bool, breaks_through: bool) -> str:
    if breaks_through:
        return "the dispute was not prevented after all: it needs an answer"
    return "the inquiry became a chargeback" if escalates else "the payment failed again"


def settled_by(case: Case) -> str | None:
    """Why the outside world has settled this dispute or this invoice; None while it has not.

    A bank debit that came to us lost is settled by nobody: it has to be booked, and its mandate repaired.
    """
    if case.subject.kind == "invoice":
        return _invoice_settled_by(case)
    if is_lost_debit(case):
        return None
    stage = stage_of(case.facts.get("dispute.status"))
    if stage is Stage.LOST and was_prevented(case):
        return _SETTLED[Stage.PREVENTED]
    return (
        "the dispute was lost on arrival" if stage is Stage.LOST and was_lost_on_arrival(case) else _SETTLED.get(stage)
    )


def reconsiders(case: Case, world: Mapping[str, Json]) -> str | None:
    """Why what `act` has just read calls for another round: a fraud warning whose charge is disputed by now."""
    overtaken = case.subject.kind == "early_fraud_warning" and world.get("charge.disputed") is True
    return "the charge is disputed by now, and the dispute is a case of its own" if overtaken else None


def is_lost_debit(case: Case) -> bool:
    """Whether this is a bank debit that was lost when we heard of it: Stripe never gave it a date to answer by."""
    lost = stage_of(case.facts.get("dispute.status")) is Stage.LOST
    return lost and not case.int_fact("dispute.due_by") and family_of(case) is Family.BANK_DEBIT


def _invoice_settled_by(case: Case) -> str | None:
    return _INVOICE_SETTLED.get(str(case.facts.get("invoice.status")))


def awaits(case: Case) -> tuple[str, datetime | None] | None:
    """What the case waits for once its own actions are done.

    That is the issuer after a submission, the next attempt to collect an invoice, the bank of a refund.
    """
    if settled_by(case) is None and _was_submitted(case):
        within = INQUIRY_ENDS_WITHIN if _is_inquiry(case) else ISSUER_DECIDES_WITHIN
        return "the issuer's decision", _submitted_at(case) + within
    if case.subject.kind == "invoice" and settled_by(case) is None:
        waited_for = _awaited_of_invoice(case)
        if waited_for is not None:
            return waited_for
    statuses = [value for name, value in case.facts.items() if name.startswith("refund.") and name.endswith(".status")]
    pending = "pending" in statuses
    return ("the bank to settle our refund", None) if pending else None


def looks_again(case: Case) -> str | None:
    """Why a wait that ended without a word is followed by another round; None: a person is asked.

    An invoice tells by itself what became of it, while the issuer's silence tells nothing; a debit that is still under
    way is for people to look into.
    """
    if case.subject.kind != "invoice" or any(action.pending for action in case.actions):
        return None
    return "the invoice is read again: nothing was heard of it in time"


def outcome_of(case: Case) -> str:
    """One word for memory: how the dispute ended or that it is open; of anything else, what was done about it."""
    if case.subject.kind == "invoice" and case.facts.get("invoice.status") in _INVOICE_SETTLED:
        return str(case.facts["invoice.status"])
    if case.subject.kind != "dispute" and case.brief is not None:
        return _DONE.get(case.brief.decision.kind, "open")
    return ending_of(case).value


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
    if family == "invoice" and before in _INVOICE_SETTLED and now not in _INVOICE_SETTLED:
        # Nothing is owed any more on an invoice that is paid, void or given up: what else is told of it came late.
        return False
    return _is_later(case, facts, f"{family}.as_of")


def _is_dispute_news(case: Case, facts: dict[str, Json]) -> bool:
    before, now = case.facts.get("dispute.status"), facts["dispute.status"]
    if before in TERMINAL_STATUSES:
        # A lost dispute can still be won, and prevention can come too late; nothing else follows an end.
        return before == now or (before, now) == ("lost", "won") or _breaks_through(case, facts)
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


def _escalates(case: Case, facts: dict[str, Json]) -> bool:
    was = stage_of(case.facts.get("dispute.status"))
    return was in (Stage.INQUIRY, Stage.INQUIRY_FILED) and facts.get("dispute.status") == "needs_response"


def _breaks_through(case: Case, facts: dict[str, Json]) -> bool:
    """Whether a dispute that was to be prevented is open after all, by news that is later than its end."""
    moves = (case.facts.get("dispute.status"), facts.get("dispute.status"))
    before, now = case.facts.get("dispute.as_of"), facts.get("dispute.as_of")
    later = isinstance(before, int) and isinstance(now, int) and now > before
    return moves == ("prevented", "needs_response") and later


def _is_another_attempt(case: Case, facts: dict[str, Json]) -> bool:
    before, now = case.facts.get("invoice.attempt_count"), facts.get("invoice.attempt_count")
    return isinstance(before, int) and isinstance(now, int) and now > before


def _awaited_of_invoice(case: Case) -> tuple[str, datetime] | None:
    """What the follow-up of an invoice waits for: the day on which it is to be tried, or Stripe's own next attempt."""
    if case.brief is None or case.brief.decision.kind is not DecisionKind.RECOVER:
        return None
    day, attempt = (_ahead(case, name) for name in ("invoice.hold_until", "invoice.next_payment_attempt"))
    if day is not None and day > case.updated_at:
        return "the day on which they usually pay", day
    if attempt is not None and attempt + AFTER_AN_ATTEMPT > case.updated_at:
        return "the next attempt to collect the invoice", attempt + AFTER_AN_ATTEMPT
    return None


def _ahead(case: Case, fact: str) -> datetime | None:
    at = case.int_fact(fact)
    return datetime.fromtimestamp(at, UTC) if at else None


def _is_inquiry(case: Case) -> bool:
    return stage_of(case.facts.get("dispute.status")) in (Stage.INQUIRY, Stage.INQUIRY_FILED)


def _was_submitted(case: Case) -> bool:
    if stage_of(case.facts.get("dispute.status")) in (Stage.FILED, Stage.INQUIRY_FILED):
        return True
    # The answer to an inquiry is none to the chargeback that it became.
    return any(
        action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE
        and action.state is ActionState.SUCCEEDED
        and (action.purpose in OF_INQUIRY) is _is_inquiry(case)
        for action in case.actions
    )


def _submitted_at(case: Case) -> datetime:
    # Stripe's own word for it when it has come; until then the last change of the case, which is our submission.
    as_of = case.int_fact("dispute.as_of")
    if stage_of(case.facts.get("dispute.status")) in (Stage.FILED, Stage.INQUIRY_FILED) and as_of is not None:
        return datetime.fromtimestamp(as_of, UTC)
    return case.updated_at
