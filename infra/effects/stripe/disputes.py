"""Staging evidence, submitting it once, and closing a dispute.

Evidence goes in once per answer, and touching any field submits all of them (docs.stripe.com/disputes/api). So staging
always says `submit=false`, and submitting sends no field: what goes to the bank is what is staged, after it was read
again and found to be what was approved. Stripe has no compare-and-set, so a change by somebody else between that
reading and the submission, a moment later, goes in with it.

The metadata of the dispute says what was staged and submitted by which action. Closing takes no metadata: a dispute
that is lost without an answer is what closing leaves behind, and the same as an unanswered deadline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from infra.effects.stripe import files
from infra.effects.stripe.evidence import changed_fields, leftover_fields
from infra.effects.stripe.payload import inside, marks, reference, required, text, whole
from shared.case.actions import Action, Json
from shared.ports.effects import Done, EffectContext, EffectRefused, EffectUnknown

if TYPE_CHECKING:
    from stripe.params import DisputeUpdateParams

    from infra.effects.stripe.client import Calls, Object

STAGED = "manthan_staged"
SUBMITTED = "manthan_submitted"
_AWAITING_ANSWER = frozenset({"needs_response", "warning_needs_response"})


def stage(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Puts the approved evidence on the dispute without submitting it, and takes off what we staged before."""
    texts, digests = _approved(action), files.approved(action)
    dispute = _read(calls, action)
    found = _staged_by(dispute, action)
    if found is not None:
        return found
    uploaded = files.upload(calls, action, context)
    evidence = {**texts, **uploaded}
    staged = inside(dispute, "evidence")
    # Only what we put there: what a person staged is not ours to remove, and stops the submission.
    cleared = leftover_fields(evidence, staged) if inside(dispute, "metadata").get(STAGED) else []
    fields = {**evidence, **dict.fromkeys(cleared, "")}
    notes = {STAGED: action.id, files.STAGED_FILES: files.noted(uploaded, digests)}
    params = {"evidence": fields, "submit": False, "metadata": marks(context, **notes)}
    updated = _update(calls, action, context, params)
    return Done(text(updated, "id"), f"evidence in {len(evidence)} fields is staged, not submitted")


def submit(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Submits what is staged, if it is what was approved. Raises EffectRefused when somebody has changed it."""
    texts, digests = _approved(action), files.approved(action)
    dispute = _read(calls, action)
    found = _submitted_by(dispute, action)
    if found is not None:
        return found
    evidence = {**texts, **dict.fromkeys(digests), **files.staged(dispute, digests)}
    changed = [name for name in digests if not evidence[name]] or changed_fields(evidence, inside(dispute, "evidence"))
    if changed:
        raise EffectRefused(
            f"the evidence staged at Stripe is not what was approved, somebody has changed it: {', '.join(changed)}; "
            "nothing was submitted"
        )
    params = {"submit": True, "metadata": marks(context, **{SUBMITTED: action.id})}
    updated = _update(calls, action, context, params)
    if _submissions(updated) <= _submissions(dispute):
        raise EffectUnknown(f"Stripe answered, but counts no new submission for dispute {text(updated, 'id')}")
    return _submitted(updated)


def close(calls: Calls, action: Action, context: EffectContext) -> Done:
    """Accepts the dispute as lost, irreversibly."""
    id = required(action, "dispute")
    reply = calls.write(lambda client, options: client.v1.disputes.close(id, options=options), context.idempotency_key)
    if text(reply.object, "status") != "lost":
        raise EffectUnknown(f"Stripe answered, but shows dispute {id} as {text(reply.object, 'status')}")
    return _closed(reply.object)


def find_staged(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """Whether this action staged evidence, whatever became of the dispute since."""
    dispute = _find(calls, action)
    return _staged_by(dispute, action) if dispute else None


def find_submitted(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """Whether this action's answer went in; an answer to an inquiry that has escalated since counts no more."""
    dispute = _find(calls, action)
    return _submitted_by(dispute, action) if dispute else None


def find_closed(calls: Calls, action: Action, context: EffectContext) -> Done | None:
    """Whether the dispute is lost without an answer."""
    dispute = _find(calls, action)
    lost = dispute is not None and text(dispute, "status") == "lost" and _submissions(dispute) == 0
    return _closed(dispute) if dispute and lost else None


def _approved(action: Action) -> dict[str, Json]:
    given = inside(action.payload, "evidence")
    evidence: dict[str, Json] = {name: value for name, value in given.items() if value not in (None, "")}
    if not evidence:
        raise EffectRefused(f"{action.id} names no evidence; nothing was sent to Stripe")
    return evidence


def _find(calls: Calls, action: Action) -> Object | None:
    id = reference(action.payload, "dispute")
    return calls.read(lambda client, options: client.v1.disputes.retrieve(id, options=options)) if id else None


def _read(calls: Calls, action: Action) -> Object:
    id = required(action, "dispute")
    dispute = _find(calls, action)
    if dispute is None:
        raise EffectRefused(f"Stripe knows no dispute {id}")
    return dispute


def _update(calls: Calls, action: Action, context: EffectContext, params: dict[str, object]) -> Object:
    id, typed = required(action, "dispute"), cast("DisputeUpdateParams", params)
    reply = calls.write(lambda client, options: client.v1.disputes.update(id, typed, options), context.idempotency_key)
    return reply.object


def _staged_by(dispute: Object, action: Action) -> Done | None:
    if inside(dispute, "metadata").get(STAGED) != action.id:
        return None
    return Done(text(dispute, "id"), "evidence was staged by an earlier attempt of this action")


def _submitted_by(dispute: Object, action: Action) -> Done | None:
    ours = inside(dispute, "metadata").get(SUBMITTED) == action.id
    return _submitted(dispute) if ours and text(dispute, "status") not in _AWAITING_ANSWER else None


def _submissions(dispute: Object) -> int:
    return whole(inside(dispute, "evidence_details"), "submission_count")


def _submitted(dispute: Object) -> Done:
    return Done(text(dispute, "id"), f"the staged evidence was submitted; the dispute is {text(dispute, 'status')}")


def _closed(dispute: Object) -> Done:
    return Done(text(dispute, "id"), "the dispute is closed: Stripe shows it as lost, without an answer")
