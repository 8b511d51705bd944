"""What becomes of a request: a decision with its reasons, what is owed and how it is given, what else is to be done.

An answer to a request by one policy is a `Ruling`, or, where the policy has nothing to say to it, the reason why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.case.brief import DecisionKind, Derivation, Finding
from shared.case.evidence import Evidence
from shared.case.money import Money
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.requests.claim import Claim, Twins
from shared.playbooks.disputes.requests.duplicates import Checked
from shared.team.contract import Material


@dataclass(frozen=True, slots=True)
class Owed:
    """Money that a policy gives. `because`: what the customer is told of why, a clause that ends a sentence."""

    derivation: Derivation
    instrument: Instrument
    because: str

    @property
    def money(self) -> str:
        """The amount, for people."""
        return str(Money(minor=self.derivation.value_minor, currency=self.derivation.currency))

    @property
    def kind(self) -> DecisionKind:
        """Credit where the money stays at Stripe, else refund."""
        return DecisionKind.CREDIT if self.instrument.is_credit else DecisionKind.REFUND


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that a colleague has to put in order beside the money. `purpose` tells it from other errands."""

    purpose: str
    title: str
    body: str
    assignee: str = ""
    """Whom the policy names; empty: the owner of the account."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, what shows it, and how sure we are, in per cent.

    `payment`: the charge it is about, where one is clear; `told`: what a customer who is declined is told;
    `found`: findings that only this ruling needs; `weighed`: what speaks for the other way, for the person who decides.
    """

    kind: DecisionKind
    reasons: tuple[str, ...]
    cites: tuple[Evidence, ...] = ()
    policy: Policy | None = None
    payment: Payment | None = None
    invoice: Evidence | None = None
    """The invoice on which something is owed, whoever paid how much of it; then `payment` is None."""
    owed: Owed | None = None
    errand: Errand | None = None
    twins: Twins | None = None
    checked: Checked | None = None
    found: tuple[Finding, ...] = ()
    told: str = ""
    weighed: str = ""
    beside: tuple[Policy, ...] = ()
    """Policies that say the same as `policy` in this case."""
    policies: tuple[Policy, ...] = ()
    """Every page for requests that was read."""
    confidence_pct: int = 0


class Said(Exception):
    """A rule has spoken, and nothing else counts."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(*ruling.reasons)
        self.ruling = ruling


Answer = Callable[[Material, Claim, Policy], Ruling | str]
"""What a policy says to a request. Raises Said when a person decides, Unevaluable for a rule that we cannot follow."""


def person(reason: str, *cites: Evidence, payment: Payment | None = None, weighed: str = "") -> Said:
    """A person has to decide."""
    return Said(Ruling(DecisionKind.ESCALATE, (reason,), cites, payment=payment, weighed=weighed))


def declined(
    reason: str, told: str, *cites: Evidence, policy: Policy | None = None, payment: Payment | None = None
) -> Ruling:
    """A reasoned no."""
    return Ruling(DecisionKind.DECLINE, (reason,), cites, policy=policy, payment=payment, told=told)
