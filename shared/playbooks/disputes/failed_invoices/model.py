"""What becomes of a failed invoice, and how a rule says that a person decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from shared.case.brief import DecisionKind, Finding, Option
from shared.case.evidence import Evidence
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.dunning import Dunning


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that a colleague has to do: a ticket. `purpose` tells it from other tickets of the case."""

    purpose: str
    title: str
    body: str
    assignee: str


@dataclass(frozen=True, slots=True)
class Message:
    """A message to the customer. `purpose` tells it from others of the case."""

    purpose: str
    to: str
    subject: str
    body: str
    description: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, and for a follow-up: whether to write, to tell the owner, to try again.

    `high`: why the owner should know; `hold_until`: when it is tried instead of now; `policies`: every page on failed
    payments that was read; `found`: findings that only this ruling needs; `message`: one of its own instead of the
    usual one; `spared`: why nobody may switch the customer off.
    """

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    cites: tuple[Evidence, ...] = ()
    policies: tuple[Policy, ...] = ()
    policy: Policy | None = None
    rule: Dunning | None = None
    contact: bool = False
    retry: bool = False
    high: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    hold_until: datetime | None = None
    errand: Errand | None = None
    message: Message | None = None
    found: tuple[Finding, ...] = ()
    ways_out: tuple[Option, ...] = field(default=())


class Person(Exception):
    """A person decides. `errand`: who is told by a ticket; `ways_out`: what may be chosen beside the usual."""

    def __init__(
        self,
        *reasons: str,
        cites: tuple[Evidence, ...] = (),
        policy: Policy | None = None,
        errand: Errand | None = None,
        found: tuple[Finding, ...] = (),
        ways_out: tuple[Option, ...] = (),
    ) -> None:
        super().__init__(*reasons)
        self.reasons, self.cites, self.policy = reasons, cites, policy
        self.errand, self.found, self.ways_out = errand, found, ways_out
