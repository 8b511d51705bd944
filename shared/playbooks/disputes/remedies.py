"""The remedy table: which actions carry out a decision in the present state of the object, and why the others cannot.

An open chargeback cannot be refunded, an inquiry can, in full; evidence goes in once; a closed dispute cannot be
fought. Warnings, failed invoices and requests have no packet and nothing to accept: each has moves of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from shared.case.actions import IN_FLIGHT, Action, ActionKind, ActionState, DependencyKind, draws_on_charge
from shared.case.brief import Decision, DecisionKind
from shared.case.case import Case
from shared.playbooks.disputes.codes import network_name
from shared.playbooks.disputes.deadlines import deadline_of
from shared.playbooks.disputes.limits import broken
from shared.playbooks.disputes.purposes import OF_INQUIRY
from shared.playbooks.disputes.stages import Stage, stage_of

SOURCE = "docs.stripe.com/disputes (read 2026-05) and the refusals of the API"

_A, _D = ActionKind, DecisionKind

_TELL = frozenset({_A.CRM_NOTE, _A.SLACK_BRIEF, _A.TICKET, _A.DECISION_LOG})
_CONTEST = frozenset({_A.STRIPE_STAGE_EVIDENCE, _A.STRIPE_SUBMIT_EVIDENCE})

REMEDIES: dict[DecisionKind, dict[Stage, frozenset[ActionKind]]] = {
    _D.FIGHT: {Stage.OPEN: _CONTEST | _TELL | {_A.STRIPE_CANCEL_SUBSCRIPTION, _A.STRIPE_REFUND}},
    _D.CREDIT: {Stage.OPEN: _CONTEST | _TELL | {_A.STRIPE_REFUND, _A.STRIPE_BALANCE_CREDIT, _A.CUSTOMER_EMAIL}},
    _D.ACCEPT: {Stage.OPEN: _TELL | {_A.STRIPE_CLOSE_DISPUTE, _A.STRIPE_CANCEL_SUBSCRIPTION, _A.CUSTOMER_EMAIL}},
    _D.ANSWER: {Stage.INQUIRY: _CONTEST | _TELL},
    _D.REFUND: {Stage.INQUIRY: _TELL | {_A.STRIPE_REFUND, _A.STRIPE_CANCEL_SUBSCRIPTION, _A.CUSTOMER_EMAIL}},
    _D.RECORD: dict.fromkeys(Stage, _TELL),
    _D.ESCALATE: dict.fromkeys(Stage, _TELL),
}
"""What may carry out a decision, by where the dispute stands. A pair that is not listed is not legal."""

OF_OTHERS: dict[str, dict[DecisionKind, frozenset[ActionKind]]] = {
    "early_fraud_warning": {_D.REFUND: _TELL | {_A.STRIPE_REFUND}, _D.RECORD: _TELL, _D.ESCALATE: _TELL},
    "invoice": {
        _D.RECOVER: _TELL | {_A.STRIPE_RETRY_INVOICE, _A.CUSTOMER_EMAIL},
        _D.RECORD: _TELL,
        _D.ESCALATE: _TELL,
    },
    "request": {
        _D.REFUND: _TELL | {_A.STRIPE_REFUND, _A.STRIPE_CREDIT_NOTE, _A.CUSTOMER_EMAIL},
        _D.CREDIT: _TELL | {_A.STRIPE_REFUND, _A.STRIPE_BALANCE_CREDIT, _A.STRIPE_CREDIT_NOTE, _A.CUSTOMER_EMAIL},
        _D.DECLINE: _TELL | {_A.CUSTOMER_EMAIL},
        _D.RECORD: _TELL,
        _D.ESCALATE: _TELL,
    },
}
"""What may carry out a decision about something that is not a dispute, by the kind of the object."""

OBJECTS = {
    "early_fraud_warning": "an early fraud warning",
    "invoice": "a failed invoice",
    "request": "a request",
}
"""What a case can be about beside a dispute, for people."""

_WHY_NOT_OTHERS: dict[DecisionKind, str] = {
    _D.FIGHT: "only a chargeback is contested",
    _D.ACCEPT: "only a chargeback is accepted",
    _D.ANSWER: "only an inquiry of a bank is answered in that way",
    _D.DECLINE: "only a request is declined",
    _D.RECOVER: "recovering is for invoices that failed to be paid",
}

_NOT_REFUNDABLE = "a charge cannot be refunded while a chargeback on it is open"
_RECOVER = "recovering is for invoices that failed to be paid"

_WHY_NOT: dict[tuple[Stage, DecisionKind], str] = {
    (Stage.OPEN, _D.REFUND): f"{_NOT_REFUNDABLE}: contest it, accept it, or refund after a win",
    (Stage.OPEN, _D.ANSWER): "answering without money is for inquiries: a chargeback is contested or accepted",
    (Stage.OPEN, _D.DECLINE): "a chargeback cannot be declined: the money is gone, and only contesting brings it back",
    (Stage.OPEN, _D.RECOVER): _RECOVER,
    (Stage.INQUIRY, _D.FIGHT): "an inquiry is not a chargeback yet: answer it or refund in full",
    (Stage.INQUIRY, _D.CREDIT): "a partial refund does not resolve an inquiry and can be lost on top of the whole",
    (Stage.INQUIRY, _D.ACCEPT): "accepting does not resolve an inquiry: answer it or refund in full",
    (Stage.INQUIRY, _D.DECLINE): "an inquiry is answered, not declined",
    (Stage.INQUIRY, _D.RECOVER): _RECOVER,
}

_STAGE_LAW: dict[Stage, str] = {
    Stage.FILED: "evidence has been submitted, and the bank takes it once: the issuer decides now",
    Stage.INQUIRY_FILED: "the inquiry has been answered: the issuer decides now",
    Stage.WON: "the dispute is closed and won: there is nothing to contest",
    Stage.LOST: "the dispute is closed and lost: it cannot be contested, and the bank has returned the money",
    Stage.PREVENTED: "the dispute was prevented: the network has already returned the money",
    Stage.INQUIRY_CLOSED: "the inquiry is closed: nothing is disputed any more",
    Stage.UNKNOWN: "the state of the dispute at Stripe is not known",
}

_CLOSE_LAW: dict[Stage, str] = {
    **{stage: law for stage, law in _STAGE_LAW.items() if stage is not Stage.FILED},
    Stage.INQUIRY: "closing is for chargebacks: an inquiry is answered or refunded in full",
}

_ACTION_LAW: dict[ActionKind, dict[Stage, str]] = {
    _A.STRIPE_REFUND: {
        Stage.OPEN: _NOT_REFUNDABLE,
        Stage.FILED: "a charge cannot be refunded while a chargeback on it is under review",
        Stage.LOST: "the bank has already returned this money: a refund would pay twice",
        Stage.PREVENTED: "the network has already returned this money: a refund would pay twice",
        Stage.UNKNOWN: _STAGE_LAW[Stage.UNKNOWN],
    },
    _A.STRIPE_CLOSE_DISPUTE: _CLOSE_LAW,
    **dict.fromkeys(_CONTEST, _STAGE_LAW),
}
"""Why a kind of action cannot be carried out in a state, whatever was decided."""

_NEEDS_ANSWERABLE = _CONTEST | {_A.STRIPE_CLOSE_DISPUTE}
COMPLIANCE = "contesting a compliance dispute costs 500 USD extra: only a person may accept that fee"
TOO_LATE = "the date by which the dispute had to be answered has passed: Stripe takes no answer any more"
NOT_ANSWERABLE = "Stripe gives no date for an answer: this dispute cannot be answered"


def laws(stage: Stage) -> Iterator[tuple[str, str, str]]:
    """What the table says about a state, as (id of the rule, decision, why it is not legal)."""
    for decision in DecisionKind:
        why = why_not(stage, decision)
        if why:
            yield f"{stage.name.lower()}-{decision.value}", decision.value, why


def why_not(stage: Stage, decision: DecisionKind) -> str | None:
    """Why a decision cannot be carried out in this state; None: it can."""
    if stage in REMEDIES.get(decision, {}):
        return None
    return (
        _WHY_NOT.get((stage, decision)) or _STAGE_LAW.get(stage) or f"{decision.value} is no remedy for {stage.value}"
    )


def illegal(case: Case, decision: Decision, action: Action | None) -> str | None:
    """Why a decision (`action` None) or one of its actions is not legal in the known state; None: legal.

    An action that waits for an outcome is judged by the state that the outcome will bring.
    """
    if case.subject.kind != "dispute":
        return _law_of_others(case, decision, action)
    stage = stage_of(case.facts.get("dispute.status"))
    if action is None:
        return _decision_law(case, decision, stage)
    if action.kind not in _ever(decision.kind):
        return f"{action.kind.value} is no part of the decision to {decision.kind.value}"
    law = _ACTION_LAW.get(action.kind, {}).get(_expected(action, stage))
    return law or _contest_law(case, action.kind) or _partial_law(case, action, stage) or _packet_law(case, action)


def _packet_law(case: Case, action: Action) -> str | None:
    """Evidence that breaks a limit of Stripe or the network cannot be staged; also not after somebody edited it."""
    if action.kind not in _CONTEST:
        return None
    return broken(action.payload, network_name(case.text_fact("dispute.brand")))


def _decision_law(case: Case, decision: Decision, stage: Stage) -> str | None:
    # A draft that we have begun to carry out stays legal while its own effects change the state of the dispute.
    if decision.kind in _CONTESTING and _is_under_way(case, inquiry=decision.kind is DecisionKind.ANSWER):
        return None
    kinds = REMEDIES.get(decision.kind, {}).get(stage, frozenset())
    return why_not(stage, decision.kind) or next(
        (law for kind in sorted(kinds & _NEEDS_ANSWERABLE) if (law := _contest_law(case, kind))), None
    )


def _contest_law(case: Case, kind: ActionKind) -> str | None:
    if kind not in _NEEDS_ANSWERABLE:
        return None
    due_by = case.int_fact("dispute.due_by")
    deadline = deadline_of(due_by)
    if due_by is not None and deadline is None:
        return NOT_ANSWERABLE
    # The law has no clock: what is recorded of the case tells what time it is at least.
    if deadline is not None and deadline.has_passed(case.updated_at):
        return TOO_LATE
    if kind in _CONTEST and is_compliance(case.facts.get("dispute.case_type"), case.facts.get("dispute.reason")):
        return COMPLIANCE
    return None


def is_compliance(case_type: object, reason: object) -> bool:
    """Whether a dispute is a compliance case of the network."""
    return case_type == "compliance" or reason == "noncompliant"


def _expected(action: Action, stage: Stage) -> Stage:
    waits = {dependency.ref for dependency in action.depends_on if dependency.kind is DependencyKind.OUTCOME}
    return Stage.WON if "dispute.won" in waits and stage in (Stage.OPEN, Stage.FILED) else stage


def _ever(kind: DecisionKind) -> frozenset[ActionKind]:
    return frozenset().union(*REMEDIES.get(kind, {}).values())


_CONTESTING = frozenset({DecisionKind.FIGHT, DecisionKind.CREDIT, DecisionKind.ANSWER})


def _is_under_way(case: Case, *, inquiry: bool) -> bool:
    """Whether an answer has begun: to the inquiry, or to the chargeback."""
    return any(
        action.kind in _CONTEST
        and (action.purpose in OF_INQUIRY) is inquiry
        and (action.state in IN_FLIGHT or action.state is ActionState.SUCCEEDED)
        for action in case.actions
    )


def _partial_law(case: Case, action: Action, stage: Stage) -> str | None:
    """An inquiry is resolved by a full refund alone; less than the whole can be lost on top of it."""
    left = case.int_fact("charge.refundable_now_minor")
    if not draws_on_charge(action) or stage is not Stage.INQUIRY or left is None:
        return None
    return None if action.amount_minor == left else _WHY_NOT[Stage.INQUIRY, DecisionKind.CREDIT]


def why_not_others(subject: str, decision: DecisionKind) -> str | None:
    """Why a decision cannot be carried out about an object that is no dispute; None: it can."""
    if decision in OF_OTHERS[subject]:
        return None
    why = _WHY_NOT_OTHERS.get(decision, "that is no remedy for it")
    return f"{decision.value} is no remedy for {OBJECTS[subject]}: {why}"


def _law_of_others(case: Case, decision: Decision, action: Action | None) -> str | None:
    """The law for warnings, invoices and requests; money on a charge obeys the disputes that are known on it."""
    table = OF_OTHERS.get(case.subject.kind)
    if table is None:
        return f"nothing is known about what is legal for {case.subject.kind}"
    refused = why_not_others(case.subject.kind, decision.kind)
    if refused is not None or action is None:
        return refused
    if action.kind not in table[decision.kind]:
        return f"{action.kind.value} is no part of the decision to {decision.kind.value}"
    if not draws_on_charge(action):
        return None
    if case.facts.get("warning.actionable") is False:
        return "the warning is not actionable any more: the charge is disputed or has been refunded"
    stage = stage_of(case.facts.get("charge.dispute_status")) if "charge.dispute_status" in case.facts else None
    return (_ACTION_LAW[ActionKind.STRIPE_REFUND].get(stage) or _partial_law(case, action, stage)) if stage else None
