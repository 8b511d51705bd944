"""What the rules of every claim family come to: a ruling, and how sure it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from shared.case.brief import DecisionKind, Derivation
from shared.case.evidence import Evidence, Gap
from shared.playbooks.disputes.assessment import Assessment
from shared.playbooks.disputes.compelling import Compelling
from shared.playbooks.disputes.credit import Credit, Stop
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.outage import Clean
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import Unevaluable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the rules of a family found, in words, and the rows that show it."""

    text: str
    cites: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """What a family says to the bank in place of what is said about the service.

    `fields`: texts of evidence fields by their names at Stripe; `entries`: lines of the timeline with their instants.
    """

    fields: Mapping[str, str]
    entries: tuple[tuple[datetime, str], ...]
    closing: str


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that people of ours have to do beside the answer to the bank: a ticket for the owner of the account."""

    purpose: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Letter:
    """What the customer is told once a chargeback was given up, or an inquiry refunded: the middle of the message."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, and how sure we are, in per cent. `cites`: evidence for the reasons of an escalation."""

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    credit: Credit | None = None
    cites: tuple[Evidence, ...] = ()
    policy: Policy | None = None
    clean: Clean | None = None
    """What was measured, where a policy on claims of an outage calls it clean."""
    compelling: Compelling | None = None
    """Earlier payments that tie a payment disputed as fraud to the same person."""
    shown: tuple[Shown, ...] = ()
    """What the rules of the family found, for the findings."""
    argument: Argument | None = None
    errands: tuple[Errand, ...] = ()
    letter: Letter | None = None
    ends: tuple[Evidence, ...] = ()
    """Subscriptions that must not bill again."""
    after_win: Derivation | None = None
    """What a policy gives back beside, once a contested dispute is won."""


PERSON_PCT = 50
CREDIT_PCT = 95
REFUND_PCT = 90
ACCEPT_PCT = 90
ACCEPT_WITHOUT_POLICY_PCT = 75
RECORD_PCT = 90
FIGHT_PCT = 85
FIGHT_WITHOUT_POLICY_PCT = 65
_PER_GAP_PCT = 5
_MOST_FOR_GAPS_PCT = 20
_PER_LOST_DISPUTE_PCT = 10


Ruler = Callable[[Matter, Assessment, Sequence[Gap]], Ruling]
"""The rules of one claim family. Raises Stop for a person, AllOwed where all of the money is owed."""


def followed(policy: Policy, read: Callable[[Policy], T], recorded: tuple[Evidence, ...]) -> T:
    """The rule of a policy. Raises Stop for one that has to be read by a person."""
    try:
        return read(policy)
    except Unevaluable as why:
        raise Stop(
            (f"the policy {policy.name} has to be read by a person: {why}",), (policy.evidence, *recorded)
        ) from why


def confidence(base: int, seen: Assessment, gaps: Sequence[Gap]) -> int:
    """How sure a ruling is, in per cent: less for every gap, and where the customer has won before."""
    lost = _PER_LOST_DISPUTE_PCT if seen.lost_before else 0
    return base - lost - min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
