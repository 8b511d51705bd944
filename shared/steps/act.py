"""Act: one approved action, carried out at most once as far as anyone can tell.

The order is what keeps it safe: look up what an earlier attempt did; read the ledger, then the world; compare both with
what was approved; record the intent with its key and lease; look at the clock and the kill switch once more; one call;
record what the other side said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.case.actions import ENDED, IN_FLIGHT, Action, ActionState, Json, Tier, idempotency_key
from shared.case.case import Case
from shared.case.due import runnable
from shared.case.events import ActionIntended, ActionMoved, Event, PolicyChecked
from shared.case.lifecycle import State
from shared.errors import Busy, NotFound, Refused, Retryable
from shared.policy.approvals import approved
from shared.policy.evaluate import evaluate
from shared.policy.model import load_policy
from shared.ports.effects import Done, EffectContext, EffectRefused, EffectUnavailable, EffectUnknown
from shared.ports.store import CaseRecord, ChargeLedger
from shared.steps.budgets import (
    ACT_ATTEMPTS_BEFORE_PEOPLE,
    ACT_CALL_TIMEOUT_S,
    ACT_LEASE_S,
    APPROVAL_OUTLIVES_OUTCOME,
)
from shared.steps.commit import Change, commit, unchanged
from shared.steps.context import Ports, RequestContext
from shared.steps.drift import drift
from shared.steps.ledger import charge_of, follow, reserve
from shared.steps.outside import REFUND_FINAL, start_round
from shared.steps.policy_check import facts_of
from shared.steps.sending import drive
from shared.steps.settle import Unfolding, settle, to_people
from shared.steps.texts import TextGone, action_with_texts


@dataclass(frozen=True, slots=True)
class Intent:
    """What this attempt holds once its intent is recorded."""

    action: Action
    context: EffectContext
    since: float
    """Monotonic seconds at which the lease was taken."""
    before: ActionState
    """What it was before this attempt."""
    record: CaseRecord | None
    """The case with the intent, to go on from."""


def act(ports: Ports, context: RequestContext, case_id: str, action_id: str) -> None:
    """Carry out one action if it is due; else only drive on.

    Raises Busy while another attempt holds the lease, Retryable when the outcome is unknown or the service is down.
    """
    record, action = _read(ports, context, case_id, action_id)
    case = record.case
    if action.state in ENDED or not runnable(case, action):
        drive(ports, context, unchanged(record))
        return
    _refuse_if_leased(ports, action, ports.clock.now())
    if action.attempt and _found(ports, context, case, action):
        return
    if action.state in IN_FLIGHT and (case.terminal or _is_for_people(ports, context, case, action)):
        return
    if ports.switch.effects_stopped(context.org):
        return  # what is approved stays so, and what may have happened is still to be found out
    intent = _prepare(ports, context, record, action)
    if intent is not None:
        _carry_out(ports, context, case, intent)


def _read(ports: Ports, context: RequestContext, case_id: str, action_id: str) -> tuple[CaseRecord, Action]:
    record = ports.store.read(context.org, case_id)
    action = record.case.action(action_id) if record else None
    if record is None or action is None:
        raise NotFound(f"there is no action {action_id} in case {case_id}")
    return record, action


def _refuse_if_leased(ports: Ports, action: Action, now: datetime) -> None:
    """One attempt at a time. The lease of a process that is provably dead is void."""
    lease, owner = action.lease_until, action.lease_owner
    if action.state is not ActionState.INTENDED or lease is None or now >= lease:
        return
    if owner is not None and ports.workers.provably_dead(owner):
        return
    wait = (lease - now).total_seconds()
    raise Busy(f"{action.id} is being carried out by another delivery", after=max(1.0, wait))


def _found(ports: Ports, context: RequestContext, case: Case, action: Action) -> bool:
    """Whether an earlier attempt had its effect, or was refused; that is recorded and nothing is repeated."""
    try:
        done = ports.write_access().look_up(action, _effect_context(context, case, action, action.attempt))
    except EffectRefused as error:
        _record(ports, context, case.id, action.id, _failed(action, str(error)))
        return True
    if done is not None:
        _record(ports, context, case.id, action.id, _succeeded(action, done))
        return True
    return False


def _is_for_people(ports: Ports, context: RequestContext, case: Case, action: Action) -> bool:
    """Whether so many attempts ended without an answer that only looking up goes on, and people were told."""
    if action.unknowns < ACT_ATTEMPTS_BEFORE_PEOPLE:
        return False
    _tell_people(ports, context, case.id, action, f"was tried {action.attempt} times and its outcome is still unknown")
    raise Retryable(f"the outcome of {action.id} is still unknown", after=300.0)


def _prepare(ports: Ports, context: RequestContext, record: CaseRecord, action: Action) -> Intent | None:
    """Check everything again and record the intent. None: the action may not run now, which has been recorded."""
    case = record.case
    charge = charge_of(action)
    # The ledger before Stripe: whatever is paid in between shows at Stripe, and a stale ledger fails the batch.
    ledger = ports.store.read_ledger(context.org, action.account, charge) if charge else None
    world = ports.write_access().observe(action, context.org)
    blocked = _blocked(ports, context, case, action, ledger, world)
    if action.state in IN_FLIGHT and _found(ports, context, case, action):
        return None  # it landed between the look-up and our look at the world, which shows it
    if blocked is not None and action.state in IN_FLIGHT:
        # Its call may still have had its effect: no verdict about the world may take it for undone.
        _tell_people(ports, context, case.id, action, "may not be tried again, and its outcome is unknown")
        raise Retryable(f"the outcome of {action.id} is unknown", after=300.0)
    if blocked is not None:
        again = ports.playbook(case.playbook).reconsiders(case, world)
        _record(ports, context, case.id, action.id, blocked, again=again, only_as=action)
        return None
    reserved = reserve(ledger, case.id, action, _refundable(world)) if ledger is not None else None
    since = ports.clock.monotonic()
    effect_context = _effect_context(context, case, action, action.attempt + 1)

    def decide(current: Case | None, now: datetime) -> Change:
        fresh = current.action(action.id) if current else None
        if current is None or fresh is None or not runnable(current, fresh) or fresh.hash != action.hash:
            return Change()
        _refuse_if_leased(ports, fresh, now)
        if fresh.attempt != action.attempt:
            raise Busy(f"{action.id} was taken up by another delivery", after=2.0)
        if ledger is not None and ports.store.read_ledger(context.org, action.account, ledger.charge) != ledger:
            raise Retryable("another case has just changed the ledger of this charge", after=1.0)
        intended = ActionIntended(
            action_id=action.id,
            attempt=effect_context.attempt,
            idempotency_key=effect_context.idempotency_key,
            lease_until=now + timedelta(seconds=ACT_LEASE_S),
            lease_owner=ports.workers.this(),
        )
        return Change([intended], ledger=reserved)

    committed = commit(ports, context, case.id, decide, seen=record)
    if not committed.changed or committed.after is None:
        drive(ports, context, committed)
        return None
    held = committed.after.action(action.id)
    # Where to go back to when certainly nothing was done now: an earlier attempt may still have done it.
    before = ActionState.UNKNOWN if action.state in IN_FLIGHT else ActionState.APPROVED
    return Intent(held, effect_context, since, before, committed.record) if held is not None else None


def _blocked(
    ports: Ports,
    context: RequestContext,
    case: Case,
    action: Action,
    ledger: ChargeLedger | None,
    world: Mapping[str, Json],
) -> Event | None:
    """Why the action may not run now: a stricter verdict, a missing approval, a changed world, or no money left."""
    org = ports.directory.org(context.org)
    policy = load_policy(org.approval_policy)
    if case.brief is None:
        return ActionMoved(action_id=action.id, to=ActionState.VOIDED, reason="there is no brief behind it")
    others = {other.id: other for other in case.actions}
    verdict = evaluate(
        action, others=others, decision=case.brief.decision, org=org, policy=policy, facts=facts_of(case)
    )
    judged = action.model_copy(update={"verdict": verdict})
    if not approved(judged, org):
        if action.verdict == verdict or verdict.tier is Tier.FORBIDDEN:
            reason = "the approvals it has no longer suffice: " + "; ".join(verdict.rules)
            return _back_to_people(action, reason)
        return PolicyChecked(policy_version=policy.version, verdicts={action.id: verdict}, complete=False)
    lapsed = _lapsed(case, action, ports.clock.now())
    if lapsed is not None:
        return lapsed
    changed = drift(action, world, case.outcomes)
    if changed is not None:
        return ActionMoved(action_id=action.id, to=ActionState.VOIDED, reason=changed)
    if ledger is not None:
        try:
            reserve(ledger, case.id, action, _refundable(world))
        except Refused as error:
            return ActionMoved(action_id=action.id, to=ActionState.VOIDED, reason=str(error))
    return None


def _lapsed(case: Case, action: Action, now: datetime) -> ActionMoved | None:
    """The approval of a deferred action counts until a week after its outcome."""
    awaited = [case.outcomes[d.ref].at for d in action.depends_on if d.ref in case.outcomes]
    if not awaited or now <= max(awaited) + APPROVAL_OUTLIVES_OUTCOME:
        return None
    reason = "its approvals have lapsed: the outcome it waited for came more than a week ago"
    return ActionMoved(action_id=action.id, to=ActionState.AWAITING_APPROVAL, reason=reason, approvals_fall=True)


def _back_to_people(action: Action, reason: str) -> ActionMoved:
    return ActionMoved(action_id=action.id, to=ActionState.AWAITING_APPROVAL, reason=reason)


def _refundable(world: Mapping[str, Json]) -> int:
    value = world.get("refundable_minor")
    return value if isinstance(value, int) else 0


def _carry_out(ports: Ports, context: RequestContext, case: Case, intent: Intent) -> None:
    action, case_id = intent.action, case.id
    try:
        worded = action_with_texts(ports.store, case, action)
    except TextGone as error:
        _record(ports, context, case_id, action.id, _failed(action, str(error)))
        return
    if ports.switch.effects_stopped(context.org):
        _stand_down(ports, context, case_id, intent, "effects are stopped")
        return
    if ports.clock.monotonic() - intent.since + ACT_CALL_TIMEOUT_S >= ACT_LEASE_S:
        _stand_down(ports, context, case_id, intent, "the lease would end during the call")
        raise Retryable(f"{action.id} was prepared too slowly to be carried out safely", after=1.0)
    try:
        done = ports.write_access().perform(worded, intent.context)
    except EffectRefused as error:
        _record(ports, context, case_id, action.id, _failed(action, str(error)), seen=intent.record)
    except EffectUnknown as error:
        unknown = ActionMoved(action_id=action.id, to=ActionState.UNKNOWN, error=str(error))
        _record(ports, context, case_id, action.id, unknown, seen=intent.record, only_as=action)
        raise Retryable(f"the outcome of {action.id} is unknown; it will be looked up", after=2.0) from error
    except EffectUnavailable:
        _stand_down(ports, context, case_id, intent, "the service is not available")
        raise
    except Exception as error:
        # A fault of ours in the middle of a call: whatever it was, the call may have had its effect.
        kind = type(error).__name__
        unknown = ActionMoved(action_id=action.id, to=ActionState.UNKNOWN, error=f"an unexpected {kind}")
        _record(ports, context, case_id, action.id, unknown, seen=intent.record, only_as=action)
        raise
    else:
        _record(ports, context, case_id, action.id, _succeeded(action, done), seen=intent.record)


def _succeeded(action: Action, done: Done) -> ActionMoved:
    return ActionMoved(
        action_id=action.id,
        to=ActionState.SUCCEEDED,
        reason=done.summary,
        external_ref=done.external_ref,
        pending=done.pending,
    )


def _failed(action: Action, error: str) -> ActionMoved:
    return ActionMoved(action_id=action.id, to=ActionState.FAILED, reason="refused by the other side", error=error)


def _record(
    ports: Ports,
    context: RequestContext,
    case_id: str,
    action_id: str,
    event: Event,
    *,
    seen: CaseRecord | None = None,
    again: str | None = None,
    only_as: Action | None = None,
) -> None:
    """Record what became of the action and what follows from it, and drive on.

    `again`: why, once the action is void, the team looks again before any person has to. `only_as`: nothing is recorded
    unless the action is still where it was when this was concluded: another attempt may be under way by now.
    """

    def decide(case: Case | None, now: datetime) -> Change:
        action = case.action(action_id) if case else None
        if case is None or action is None or action.state in ENDED:
            return Change()
        if only_as is not None and (action.state, action.attempt) != (only_as.state, only_as.attempt):
            return Change()
        unfolding = Unfolding(case, now)
        unfolding.add(_explained(case, action, event, ports))
        playbook, moved = ports.playbook(case.playbook), unfolding.case.action(action_id)
        if again is not None and moved is not None and moved.state is ActionState.VOIDED:
            start_round(unfolding, playbook, again)
        else:
            settle(unfolding, playbook)
        return Change(unfolding.events, ledger=follow(ports, context, case, unfolding.case))

    drive(ports, context, commit(ports, context, case_id, decide, seen=seen))


def _explained(case: Case, action: Action, event: Event, ports: Ports) -> Event:
    """What an outside event has said meanwhile: a refusal it explains is skipped, not failed; a refund may be final."""
    final = case.outcomes.get(REFUND_FINAL)
    if isinstance(event, ActionMoved) and event.pending and final is not None and final.detail == action.id:
        return event.model_copy(update={"pending": False})  # Stripe's event was faster than its answer
    settled_by = ports.playbook(case.playbook).settled_by(case)
    refused = isinstance(event, ActionMoved) and event.to in (ActionState.FAILED, ActionState.VOIDED)
    if isinstance(event, ActionMoved) and refused and settled_by is not None and not action.depends_on_outcome():
        return event.model_copy(update={"to": ActionState.SKIPPED, "reason": settled_by})
    return event


def _stand_down(ports: Ports, context: RequestContext, case_id: str, intent: Intent, reason: str) -> None:
    """Certainly nothing was done by this attempt: the lease ends, and the action is what it was before.

    Its reservation is given back unless an earlier attempt may have had the effect.
    """
    action_id, attempt = intent.action.id, intent.action.attempt

    def decide(case: Case | None, now: datetime) -> Change:
        action = case.action(action_id) if case else None
        if case is None or action is None or (action.state, action.attempt) != (ActionState.INTENDED, attempt):
            return Change()  # it is over, or another attempt has taken it up
        back = ActionMoved(action_id=action_id, to=intent.before, reason=reason)
        unfolding = Unfolding(case, now)
        unfolding.add(back)
        return Change(unfolding.events, ledger=follow(ports, context, case, unfolding.case))

    commit(ports, context, case_id, decide)


def _tell_people(ports: Ports, context: RequestContext, case_id: str, action: Action, what: str) -> None:
    if not action.needed:
        # A courtesy does not hold a case: it counts as failed, and says why.
        _record(ports, context, case_id, action.id, _failed(action, f"it {what}"), only_as=action)
        return

    def decide(case: Case | None, now: datetime) -> Change:
        if case is None or case.terminal or case.state is State.MANUAL_REVIEW:
            return Change()
        unfolding = Unfolding(case, now)
        to_people(unfolding, f"{action.id} {what}")
        return Change(unfolding.events)

    commit(ports, context, case_id, decide)


def _effect_context(context: RequestContext, case: Case, action: Action, attempt: int) -> EffectContext:
    return EffectContext(
        org=context.org,
        case_id=case.id,
        idempotency_key=idempotency_key(context.org, case.id, action),
        attempt=attempt,
        timeout_s=ACT_CALL_TIMEOUT_S,
    )
