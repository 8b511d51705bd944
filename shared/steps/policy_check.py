"""Policy check: is the decision legal, does its amount recompute, and who must approve each action. Fails closed."""

from __future__ import annotations

from datetime import datetime
from functools import cache

from shared.case.actions import ENDED_WITHOUT_EFFECT, Action, ActionState, Json, Tier, Verdict
from shared.case.brief import Decision, DecisionKind
from shared.case.case import Case
from shared.case.events import ActionMoved, Event, PolicyChecked
from shared.case.lifecycle import State
from shared.case.money import Money
from shared.errors import NotFound, Terminal
from shared.policy.approvals import needs_people
from shared.policy.evaluate import evaluate
from shared.policy.gate import Lookup, check_amounts
from shared.policy.model import Policy, load_policy
from shared.ports.directory import Org
from shared.steps.commit import Change, commit, unchanged
from shared.steps.context import Ports, RequestContext
from shared.steps.reports import read_evidence
from shared.steps.sending import drive
from shared.steps.settle import Unfolding, settle, to_people
from shared.team.contract import Playbook

_OPEN = frozenset({ActionState.DRAFTED, ActionState.AWAITING_APPROVAL, ActionState.APPROVED, ActionState.DEFERRED})


def check(ports: Ports, context: RequestContext, case_id: str) -> None:
    """Speak about the present draft if that is due; else only drive on. Raises NotFound, Retryable."""
    record = ports.store.read(context.org, case_id)
    if record is None:
        raise NotFound(f"there is no case {case_id}")
    if not _is_due(record.case):
        drive(ports, context, unchanged(record))
        return
    org = ports.directory.org(context.org)
    policy = load_policy(org.approval_policy)

    def decide(case: Case | None, now: datetime) -> Change:
        if case is None or not _is_due(case):
            return Change()
        return Change(_speak(case, org, policy, _evidence_of(ports, case), ports.playbook(case.playbook), now))

    drive(ports, context, commit(ports, context, case_id, decide, seen=record))


def _evidence_of(ports: Ports, case: Case) -> Lookup:
    """The evidence by index, read when a derivation first asks for it: a decision without money never does."""
    read = cache(lambda: read_evidence(ports.store, case))
    return lambda index: read()[index] if 0 <= index < len(read()) else None


def _is_due(case: Case) -> bool:
    return case.state is State.DRAFTED and not case.checked and case.brief is not None


def _speak(case: Case, org: Org, policy: Policy, evidence: Lookup, playbook: Playbook, now: datetime) -> list[Event]:
    assert case.brief is not None
    unfolding, decision = Unfolding(case, now), case.brief.decision
    verdicts = verdicts_of(case, decision, org, policy)
    unfolding.add(PolicyChecked(policy_version=policy.version, verdicts=verdicts))
    problem = _problem(case, decision, evidence, playbook, verdicts)
    if problem is not None:
        to_people(unfolding, problem)
        return unfolding.events
    for action in unfolding.case.actions:
        if action.state is ActionState.DRAFTED:
            _start_approval(unfolding, action)
    if decision.kind is DecisionKind.ESCALATE:
        to_people(unfolding, decision.rationale, case.brief.ways_out)
    else:
        settle(unfolding, playbook)
    return unfolding.events


def verdicts_of(case: Case, decision: Decision, org: Org, policy: Policy) -> dict[str, Verdict]:
    """The verdict of every action that has not begun, by action id."""
    others = {action.id: action for action in case.actions}
    return {
        action.id: evaluate(action, others=others, decision=decision, org=org, policy=policy, facts=facts_of(case))
        for action in case.actions
        if action.state in _OPEN
    }


def _start_approval(unfolding: Unfolding, action: Action) -> None:
    verdict = action.verdict
    auto = verdict is not None and not needs_people(action, verdict.tier)
    reason = "approved by policy: " + "; ".join(verdict.rules) if auto and verdict else "people must approve"
    to = ActionState.APPROVED if auto else ActionState.AWAITING_APPROVAL
    unfolding.add(ActionMoved(action_id=action.id, to=to, reason=reason))


def _problem(
    case: Case,
    decision: Decision,
    evidence: Lookup,
    playbook: Playbook,
    verdicts: dict[str, Verdict],
) -> str | None:
    """Why the policy check cannot vouch for this draft; None when it can."""
    illegal = _illegal(case, decision, playbook)
    if illegal is not None:
        return illegal
    forbidden = next((key for key, verdict in verdicts.items() if verdict.tier is Tier.FORBIDDEN), None)
    if forbidden is not None:
        return f"{forbidden} is forbidden: {'; '.join(verdicts[forbidden].rules)}"
    now_minor, later_minor = refundable(case)
    try:
        check_amounts(
            decision,
            [action for action in case.actions if action.state not in ENDED_WITHOUT_EFFECT],
            lookup=evidence,
            refundable_now=now_minor,
            refundable_after_outcome=later_minor,
            disputed=_disputed(case),
        )
    except Terminal as error:
        return f"the amounts do not hold: {error}"
    return None


def _illegal(case: Case, decision: Decision, playbook: Playbook) -> str | None:
    refusals = [playbook.illegal(case, decision, None)]
    refusals += [playbook.illegal(case, decision, action) for action in case.actions if action.state in _OPEN]
    return next((refusal for refusal in refusals if refusal is not None), None)


def facts_of(case: Case) -> dict[str, Json]:
    """What the rules of an approval policy may ask about the case."""
    return {**case.facts, "subject": case.subject.kind}


def _disputed(case: Case) -> Money | None:
    minor, currency = case.int_fact("dispute.amount"), case.text_fact("dispute.currency")
    return Money(minor=minor, currency=currency) if minor is not None and currency is not None else None


def refundable(case: Case) -> tuple[int | None, int | None]:
    """What is refundable on the charge now, and once the awaited outcome has come, from the case's facts."""
    return case.int_fact("charge.refundable_now_minor"), case.int_fact("charge.refundable_later_minor")
