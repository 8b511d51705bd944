"""Approvals: whose consent counts, judged by who the people are now and not by who they were when they gave it."""

from __future__ import annotations

from shared.case.actions import Action, Effect, Tier
from shared.case.money import Money
from shared.errors import Refused
from shared.ports.directory import Member, Org, Role

APPROVING_ROLES = frozenset({Role.ADMIN, Role.APPROVER})

_NEEDED = {Tier.AUTO: 0, Tier.ONE_APPROVER: 1, Tier.TWO_APPROVERS: 2}


def may_approve(org: Org, email: str, action: Action) -> Member:
    """The member with this address, if they may approve this action.

    Whoever requested or edited the action may approve it too, but see `missing`: theirs is never the only approval.
    Raises Refused with the precise reason: not a member, a role that never approves, more money at risk (or an unknown
    amount) than their limit allows, an action that the policy forbids or has not spoken about.
    """
    member = org.member(email)
    if member is None:
        raise Refused(f"{email.strip()} is not a member of {org.id}")
    objection = _objection(org, member, action)
    if objection is not None:
        raise Refused(objection)
    return member


def eligible(org: Org, action: Action) -> list[Member]:
    """Everybody who may approve this action, in the order of the org's members."""
    return [member for member in org.members if _objection(org, member, action) is None]


def approved(action: Action, org: Org) -> bool:
    """Whether enough different people have approved this very content; never for a forbidden or unchecked action."""
    if action.verdict is None or action.verdict.tier is Tier.FORBIDDEN:
        return False
    return missing(action, org) == 0


def missing(action: Action, org: Org) -> int:
    """How many more people must approve.

    An approval counts while its hash is the action's, and its giver is still a member whose role and limit suffice;
    several by one person count once. One alone by whoever requested or edited the action does not suffice.
    Raises Refused for an action that no number of approvals allows: the policy forbids it or has not spoken.
    """
    if action.verdict is None:
        raise Refused("the policy has not been asked about this action")
    if action.verdict.tier is Tier.FORBIDDEN:
        raise Refused("the policy forbids this action")
    needed, people = _needed(action, action.verdict.tier), _approvers(action, org)
    if len(people) < needed:
        return needed - len(people)
    interested = {_same_person(email) for email in (*action.editors, action.requested_by) if email is not None}
    return 1 if needed > 0 and len(people) == 1 and people <= interested else 0


def needs_people(action: Action, tier: Tier) -> bool:
    """Whether anybody has to approve: also what policy lets pass by itself, once a person has rewritten it."""
    return tier is not Tier.AUTO or (bool(action.editors) and action.effect is not Effect.INTERNAL)


def _needed(action: Action, tier: Tier) -> int:
    return max(_NEEDED[tier], 1) if needs_people(action, tier) else 0


def _approvers(action: Action, org: Org) -> set[str]:
    people = set()
    for approval in action.approvals:
        member = org.member(approval.email)
        if approval.hash == action.hash and member is not None and _objection(org, member, action) is None:
            people.add(_same_person(member.email))
    return people


def _objection(org: Org, member: Member, action: Action) -> str | None:
    """Why this member may not approve this action; None: they may."""
    if member.role not in APPROVING_ROLES:
        return f"{member.email} is {member.role.value} and cannot approve"
    if action.verdict is None:
        return "the policy has not been asked about this action"
    if action.verdict.tier is Tier.FORBIDDEN:
        return "the policy forbids this action"
    at_risk, limit = action.verdict.at_risk_minor, member.limit_minor
    if limit is None:
        return None
    if at_risk is None:
        return f"the amount at risk is unknown: only a member without a limit may approve, and {member.email} has one"
    if at_risk > limit:
        shown, bound = (Money(minor=minor, currency=org.currency) for minor in (at_risk, limit))
        return f"{shown} at risk is more than the limit of {member.email}, {bound}"
    return None


def _same_person(email: str) -> str:
    return email.strip().casefold()
