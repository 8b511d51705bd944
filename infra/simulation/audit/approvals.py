"""Whose consent an action needed, and whether it had it: worked out anew, from the members and amounts alone.

The registry may show for a while what was true before a change, so what counts is whether any version of the org that
was in force within the last two minutes vouches for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from infra.simulation.audit.tale import ActionTale, CaseTale
from infra.simulation.journal import Played
from shared.ports.directory import Org

_STALE_S: Final = 120.0
_NEEDED: Final = {"auto": 0, "one_approver": 1, "two_approvers": 2}
_ONE_FROM, _TWO_FROM = 5_000, 50_000
"""Cents at risk from which on one person, and two different people, must approve by the tiers that are shipped."""
_PAYS: Final = frozenset({"stripe_refund", "stripe_balance_credit", "stripe_credit_note"})
_DISPUTED: Final = frozenset({"stripe_submit_evidence", "stripe_close_dispute"})
_INTERNAL: Final = frozenset({"crm_note", "slack_brief", "ticket", "decision_log", "stripe_stage_evidence"})


def in_force(played: Played, at: float) -> Sequence[Org]:
    """Every version of the org that a process may have seen at this instant."""
    versions = played.journal.orgs
    starts = [since for since, _ in versions[1:]] + [float("inf")]
    return [org for (since, org), end in zip(versions, starts, strict=True) if since <= at and end > at - _STALE_S]


def may_approve(org: Org, email: str, at_risk: int | None) -> bool:
    """Whether this member may consent to so much money at risk, in cents."""
    member = org.member(email)
    if member is None or member.role.value not in ("admin", "approver"):
        return False
    return member.limit_minor is None or (at_risk is not None and at_risk <= member.limit_minor)


def least(tale: CaseTale, action: ActionTale, org: Org) -> int:
    """How many people an action needs at the very least, by the money it puts at risk."""
    kind, content = action.content["kind"], action.content
    if kind == "customer_email":
        reached = [tale.actions[item["ref"]] for item in content["depends_on"] if item["ref"] in tale.actions]
        return max((least(tale, other, org) for other in reached), default=0)
    if kind not in _PAYS | _DISPUTED:
        return 0
    at_risk = content["amount_minor"] if kind in _PAYS else content["at_risk_minor"]
    if at_risk is None or org.approval_policy is not None:
        return 2  # nobody knows the amount, or the one policy of these worlds that asks for two
    return 2 if at_risk >= _TWO_FROM else 1 if at_risk >= _ONE_FROM else 0


def objection(tale: CaseTale, action: ActionTale, org: Org) -> str | None:
    """Why an action may not run by this version of the org; None when it may."""
    if action.tier is None:
        return "the policy has not spoken about it"
    if action.tier not in _NEEDED:
        return "the policy forbids it"
    needed = max(_NEEDED[action.tier], least(tale, action, org))
    if action.editors and action.content["kind"] not in _INTERNAL:
        needed = max(needed, 1)
    people = {
        email.casefold()
        for email, digest in action.approvals
        if digest == action.hash and may_approve(org, email, action.at_risk)
    }
    if len(people) < needed:
        return f"{len(people)} of {needed} people have approved this very content"
    interested = {email.casefold() for email in (*action.editors, action.requested_by or "") if email}
    if needed and len(people) == 1 and people <= interested:
        return "its only approver requested or rewrote it"
    return None
