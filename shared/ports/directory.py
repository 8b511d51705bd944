"""Who the orgs are: their members, currency, rates and policy, and which org an event belongs to."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from pydantic import Field

from shared.case.canonical import Record


class Role(StrEnum):
    """What a member may do. Approvers and admins approve; viewers and operators never do."""

    ADMIN = "admin"
    APPROVER = "approver"
    OPERATOR = "operator"
    VIEWER = "viewer"


class Member(Record):
    """A person of the org. `limit_minor` bounds the money at risk they may approve (org currency); None: no bound."""

    email: str
    name: str
    role: Role
    limit_minor: int | None = None


class Org(Record):
    """A company that uses Manthan."""

    id: str
    currency: str
    timezone: str = "UTC"
    fx: dict[str, str] = Field(default_factory=dict)
    """One major unit of the key in the org's currency, as decimal text."""
    members: tuple[Member, ...] = ()
    approval_policy: str | None = None
    """The text of the approval policy file; None: the shipped tiers apply."""
    default_channel: str = "#billing-disputes"

    def member(self, email: str) -> Member | None:
        """The member with this e-mail address, compared without case."""
        wanted = email.strip().casefold()
        return next((member for member in self.members if member.email.casefold() == wanted), None)


class Directory(Protocol):
    """The registry of orgs."""

    def org(self, org_id: str) -> Org:
        """An org by id. Raises NotFound."""
        ...

    def org_of_event(self, endpoint: str, secret_name: str, account: str | None) -> str | None:
        """The org for (endpoint path, secret that verified, event.account), never from the payload. None: unknown."""
        ...
