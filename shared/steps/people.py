"""What people do with a case: approve, edit, reject, answer. Identity and role come verified with the context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from shared.case.actions import IN_FLIGHT, Action, ActionKind, ActionState, Json, content_hash
from shared.case.canonical import canonical, sha256
from shared.case.case import Answer, Case, Question, QuestionKind
from shared.case.events import (
    ActionApproved,
    ActionEdited,
    ActionMoved,
    Moved,
    PolicyChecked,
    QuestionAnswered,
)
from shared.case.lifecycle import State
from shared.case.texts import FILES, TEXTS, Sealer
from shared.errors import Conflict, InvalidInput, NotFound, Refused
from shared.policy.approvals import approved, may_approve
from shared.policy.model import load_policy
from shared.ports.directory import Member, Org, Role
from shared.steps.budgets import TAKE_OVER_AFTER
from shared.steps.commit import Change, Committed, commit
from shared.steps.context import Ports, RequestContext, require_person
from shared.steps.ledger import follow
from shared.steps.metrics import APPROVALS_REFUSED
from shared.steps.outside import start_round
from shared.steps.policy_check import verdicts_of
from shared.steps.sending import drive
from shared.steps.settle import (
    HANDLED_OUTSIDE,
    REINVESTIGATE,
    TAKE_DRAFT,
    Unfolding,
    settle,
    void_open_actions,
)

REFUSED = "an approval was refused"
"""What the trace of a case says when somebody may not approve."""

_MAY_BE_EDITED = frozenset({ActionState.AWAITING_APPROVAL, ActionState.APPROVED, ActionState.DEFERRED})


def approve(
    ports: Ports,
    context: RequestContext,
    case_id: str,
    action_ids: Sequence[str] = (),
    *,
    hashes: Mapping[str, str] | None = None,
) -> Case:
    """Approve actions (all that wait, without ids). `hashes` are the contents the person saw, by action id.

    The same person approving twice counts once. Raises Refused, Conflict or NotFound with the precise reason, and then
    approves nothing.
    """
    try:
        return _approve(ports, context, case_id, action_ids, hashes or {})
    except Refused:
        ports.trace.say(context.org, case_id, "people", REFUSED, by=context.actor)
        ports.telemetry.report({APPROVALS_REFUSED: 1})
        raise


def _approve(
    ports: Ports, context: RequestContext, case_id: str, action_ids: Sequence[str], hashes: Mapping[str, str]
) -> Case:
    email = require_person(context)
    org = ports.directory.org(context.org)

    def decide(case: Case | None, now: datetime) -> Change:
        found = _require(case, case_id)
        _require_time_to_decide(found, now)
        unfolding = Unfolding(found, now)
        policy = load_policy(org.approval_policy)
        if found.brief is not None and policy.version != found.policy_version:
            # The policy changed since the check: its present word counts.
            verdicts = verdicts_of(found, found.brief.decision, org, policy)
            unfolding.add(PolicyChecked(policy_version=policy.version, verdicts=verdicts))
        for action in _chosen(unfolding.case, action_ids):
            _approve_one(unfolding, org, action, email, hashes.get(action.id))
        settle(unfolding, ports.playbook(found.playbook))
        return Change(unfolding.events)

    return _done(ports, context, commit(ports, context, case_id, decide))


def _approve_one(unfolding: Unfolding, org: Org, action: Action, email: str, seen: str | None) -> None:
    member = may_approve(org, email, action)
    if seen is not None and seen != action.hash:
        raise Conflict(f"{action.id} has changed since you looked at it; look again before approving")
    if not any(given.email == member.email and given.hash == action.hash for given in action.approvals):
        unfolding.add(ActionApproved(action_id=action.id, hash=action.hash, email=member.email, role=member.role.value))
    now_approved = unfolding.case.action(action.id)
    if now_approved is not None and approved(now_approved, org):
        unfolding.add(ActionMoved(action_id=action.id, to=ActionState.APPROVED, reason="approved by people"))


def _chosen(case: Case, action_ids: Sequence[str]) -> list[Action]:
    if not action_ids:
        return [action for action in case.actions if action.state is ActionState.AWAITING_APPROVAL]
    chosen = []
    for wanted in action_ids:
        action = _action(case, wanted)
        if action.state in (ActionState.APPROVED, ActionState.DEFERRED):
            continue
        if action.state is not ActionState.AWAITING_APPROVAL:
            why = action.reason or "it no longer waits for approval"
            raise Conflict(f"{wanted} is {action.state.value}: {why}")
        chosen.append(action)
    return chosen


def _require(case: Case | None, case_id: str) -> Case:
    if case is None:
        raise NotFound(f"there is no case {case_id}")
    return case


def _require_time_to_decide(case: Case, now: datetime) -> None:
    """A case whose actions still wait may be approved; also by a second click when everything is approved already."""
    if case.state is State.AWAITING_APPROVAL:
        if case.decide_by is not None and now >= case.decide_by:
            raise Refused(f"the time to decide ended at {case.decide_by.isoformat()}")
        return
    if case.state in (State.ACTING, State.AWAITING_OUTCOME):
        return
    raise Conflict(f"case {case.id} is {case.state.value}, not awaiting approval: {case.state_reason}")


def edit(ports: Ports, context: RequestContext, case_id: str, action_id: str, changes: Mapping[str, Json]) -> Case:
    """Change an action's texts; its approvals and those of whatever depends on it fall, and the policy checks again.

    Targets, recipients and amounts follow from the decision: another one needs another decision, so that the derivation
    still says where the amount comes from. Raises Refused, Conflict, InvalidInput or NotFound with the precise reason.
    """
    member = _worker(ports, context)
    record = ports.store.read(context.org, case_id)
    kind = _action(_require(record.case if record else None, case_id), action_id).kind
    sealer = Sealer()
    sealed = sealer.payload(kind, changes)
    if sealer.texts:
        ports.store.put_texts(context.org, case_id, sealer.texts)

    def decide(case: Case | None, now: datetime) -> Change:
        found = _require(case, case_id)
        _require_time_to_decide(found, now)
        action = _action(found, action_id)
        _check_editable(action, sealed)
        unfolding = Unfolding(found, now)
        root = _root(found, action)
        for touched in (action, root):
            if touched.state not in _MAY_BE_EDITED:
                raise Conflict(f"{touched.id} is {touched.state.value} and cannot be edited any more")
        _edit_with_dependants(unfolding, root, sealed, member.email)
        _check_legal(ports, unfolding.case, (action.id, root.id))
        unfolding.add(Moved(to=State.DRAFTED, reason=f"{member.email} edited {action_id}"))
        return Change(unfolding.events)

    return _done(ports, context, commit(ports, context, case_id, decide))


def _check_legal(ports: Ports, case: Case, action_ids: Sequence[str]) -> None:
    """What was edited must still be legal: evidence beyond Stripe's limits is refused now, not at the policy check."""
    playbook = ports.playbook(case.playbook)
    for action_id in action_ids:
        why = playbook.illegal(case, case.brief.decision, _action(case, action_id)) if case.brief is not None else None
        if why is not None:
            raise InvalidInput(why)


def _action(case: Case, action_id: str) -> Action:
    action = case.action(action_id)
    if action is None:
        raise NotFound(f"case {case.id} has no action {action_id}")
    return action


def _root(case: Case, action: Action) -> Action:
    """The action in which a text is written first: what is submitted is what was staged, so both change together."""
    if action.kind is not ActionKind.STRIPE_SUBMIT_EVIDENCE:
        return action
    refs = {dependency.ref for dependency in action.depends_on}
    staged = (other for other in case.actions if other.id in refs and other.kind is ActionKind.STRIPE_STAGE_EVIDENCE)
    return next(staged, action)


def _check_editable(action: Action, changes: Mapping[str, Json]) -> None:
    editable = TEXTS.get(action.kind, frozenset())
    for name, value in changes.items():
        if name == FILES and name in action.payload:
            _check_files(value, action.payload[name])
            continue
        if name not in editable:
            allowed = ", ".join(sorted(editable)) or "nothing"
            raise Refused(
                f"{name} of {action.kind.value} cannot be edited (only: {allowed}); "
                "targets and amounts follow from the decision: ask for a new investigation instead"
            )
        _check_text(name, value, action.payload.get(name))


def _check_files(value: Json, present: Json) -> None:
    """A file is drawn from the evidence and cannot be rewritten, only left out."""
    known = present if isinstance(present, dict) else {}
    if not isinstance(value, dict) or any(known.get(name) != file for name, file in value.items()):
        raise InvalidInput(f"{FILES} can only be left out, not changed: give those that shall stay, or none")


def _check_text(name: str, value: Json, present: Json) -> None:
    """An edit changes texts, not their shape: what a field is called is the other side's business, not the editor's."""
    if type(value) is not type(present) or value in ("", {}, None):
        raise InvalidInput(f"{name} must stay a non-empty {type(present).__name__}")
    if isinstance(value, dict) and isinstance(present, dict):
        for field, text in value.items():
            if field not in present:
                known = ", ".join(sorted(present))
                raise InvalidInput(f"{name} has no field {field!r}; its fields are: {known}")
            _check_text(f"{name}.{field}", text, present[field])


def _edit_with_dependants(unfolding: Unfolding, action: Action, changes: Mapping[str, Json], by: str) -> None:
    _edited(unfolding, action, {**action.payload, **changes}, by)
    dependants = [action.id]
    for changed in dependants:
        for other in unfolding.case.actions:
            depends = any(d.ref == changed and d.kind.value == "action" for d in other.depends_on)
            if depends and other.id not in dependants:
                # What is submitted is what was staged: the same text in both.
                shared_texts = {name: value for name, value in changes.items() if name in other.payload}
                same_texts = TEXTS.get(other.kind) == TEXTS.get(action.kind)
                payload = {**other.payload, **shared_texts} if same_texts else dict(other.payload)
                _edited(unfolding, other, payload, by)
                dependants.append(other.id)


def _edited(unfolding: Unfolding, action: Action, payload: dict[str, Json], by: str) -> None:
    case = unfolding.case
    hashes = tuple(
        other.hash
        for dependency in action.depends_on
        if dependency.kind.value == "action" and (other := case.action(dependency.ref)) is not None
    )
    decision_hash = sha256(canonical(case.brief.decision)) if case.brief else ""
    changed = action.model_copy(update={"payload": payload})
    unfolding.add(
        ActionEdited(
            action_id=action.id,
            payload=payload,
            amount_minor=action.amount_minor,
            hash=content_hash(changed, decision_hash=decision_hash, dependency_hashes=hashes),
            by=by,
        )
    )


def reject(ports: Ports, context: RequestContext, case_id: str, reason: str) -> Case:
    """Turn the recommendation down: nothing that has not begun will happen."""
    member = _worker(ports, context, may_decide=True)
    if not reason.strip():
        raise InvalidInput("say why: the reason is kept with the case")

    def decide(case: Case | None, now: datetime) -> Change:
        found = _require(case, case_id)
        if found.state is State.REJECTED:
            return Change()
        if found.state not in (State.AWAITING_APPROVAL, State.MANUAL_REVIEW):
            raise Conflict(f"case {case_id} is {found.state.value} and cannot be rejected: {found.state_reason}")
        if any(action.state in (ActionState.INTENDED, ActionState.UNKNOWN) for action in found.actions):
            raise Conflict("an action is under way; wait until its outcome is known")
        unfolding = Unfolding(found, now)
        void_open_actions(unfolding, f"rejected by {member.email}")
        unfolding.add(Moved(to=State.REJECTED, reason=f"{member.email}: {reason.strip()[:500]}"))
        return Change(unfolding.events)

    return _done(ports, context, commit(ports, context, case_id, decide))


def answer(
    ports: Ports, context: RequestContext, case_id: str, option: str, *, note: str = "", question_id: str | None = None
) -> Case:
    """Answer the open question. The same again succeeds; a different one, or one after settlement, is refused."""
    member = _worker(ports, context, may_decide=True)

    def decide(case: Case | None, now: datetime) -> Change:
        found = _require(case, case_id)
        question = _question(found, question_id)
        if question.answer is not None:
            if question.answer.option == option:
                return Change()
            raise Conflict(f"{question.id} was answered with {question.answer.option} by {question.answer.by}")
        if option not in {choice.id for choice in question.options}:
            choices = ", ".join(choice.id for choice in question.options)
            raise InvalidInput(f"{option!r} is not an answer to this question; choose one of: {choices}")
        if found.terminal:
            raise Conflict(f"case {case_id} is settled ({found.state.value}): {found.state_reason}")
        if found.state is not _ASKED_IN[question.kind]:
            raise Conflict(f"{question.id} was overtaken: case {case_id} is {found.state.value} by now")
        unfolding = Unfolding(found, now)
        given = Answer(option=option, note=note[:2000], by=member.email, at=now)
        for other in found.questions:
            # Whoever answers one of several open questions about the same case has decided about all of them.
            if other.answer is None and other.kind is question.kind:
                unfolding.add(QuestionAnswered(question_id=other.id, answer=given))
        if question.kind is QuestionKind.MANUAL_REVIEW:
            _carry_out(ports, unfolding, option, member)
        return Change(unfolding.events, ledger=follow(ports, context, found, unfolding.case))

    return _done(ports, context, commit(ports, context, case_id, decide))


def _question(case: Case, question_id: str | None) -> Question:
    if question_id is not None:
        found = next((question for question in case.questions if question.id == question_id), None)
    else:
        found = case.open_question or (case.questions[-1] if case.questions else None)
    if found is None:
        raise NotFound(f"case {case.id} has no such question")
    return found


_ASKED_IN = {
    QuestionKind.ASK_HUMAN: State.AWAITING_ANSWER,
    QuestionKind.MANUAL_REVIEW: State.MANUAL_REVIEW,
}


def _take_over(unfolding: Unfolding, member: Member) -> None:
    """Whoever handles a case outside answers for what we could not find out, once no call can be under way."""
    for action in unfolding.case.actions:
        if action.state not in IN_FLIGHT:
            continue
        if action.intended_at is not None and unfolding.now - action.intended_at < TAKE_OVER_AFTER:
            raise Conflict(f"{action.id} is under way; wait until its outcome is known")
        error = f"its outcome stayed unknown; {member.email} took it over"
        unfolding.add(ActionMoved(action_id=action.id, to=ActionState.FAILED, reason="taken over", error=error))


def _carry_out(ports: Ports, unfolding: Unfolding, option: str, member: Member) -> None:
    if option == HANDLED_OUTSIDE.id:
        _take_over(unfolding, member)
    case = unfolding.case
    if any(action.state in IN_FLIGHT for action in case.actions):
        raise Conflict("an action is under way; wait until its outcome is known, or handle the case outside")
    playbook = ports.playbook(case.playbook)
    if option == REINVESTIGATE.id:
        if not playbook.team(case):
            raise Refused("there is no playbook for this kind of case yet; handle it outside")
        start_round(unfolding, playbook, f"{member.email} asked for another investigation")
    elif option == TAKE_DRAFT.id:
        unfolding.add(Moved(to=State.DRAFTED, reason=f"{member.email} took the draft"))
    elif option == HANDLED_OUTSIDE.id:
        void_open_actions(unfolding, f"{member.email} handled the case outside")
        unfolding.add(Moved(to=State.RESOLVED, reason=f"handled outside by {member.email}"))
    else:
        start_round(unfolding, playbook, f"{member.email} chose {option}")


def _worker(ports: Ports, context: RequestContext, *, may_decide: bool = False) -> Member:
    """The member who asks. Viewers only look; operators work on a case but do not decide about money."""
    email = require_person(context)
    member = ports.directory.org(context.org).member(email)
    if member is None:
        raise Refused(f"{email} is not a member of this org")
    allowed = {Role.ADMIN, Role.APPROVER} | (set() if may_decide else {Role.OPERATOR})
    if member.role not in allowed:
        raise Refused(f"{email} is a {member.role.value}; this needs an approver or admin")
    return member


def _done(ports: Ports, context: RequestContext, committed: Committed) -> Case:
    drive(ports, context, committed)
    assert committed.after is not None
    return committed.after
