"""small_accept: claims of fraud by small customers whom nobody knows are given up without further ado."""

from __future__ import annotations

from dataclasses import dataclass

from shared.case.money import Money
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Accepts,
    Parameters,
    absent_or,
    currency,
    number,
    one_of,
    values,
    whole,
    words,
)

KIND = "small_accept"

_AMOUNT: Accepts = whole(1, 10**9)
_PARAMETERS: Parameters = {
    "currency": (None, currency),
    "below_minor": (None, _AMOUNT),
    "no_crm_record": (True, one_of(True, False)),
    "lifetime_below_minor": (None, absent_or(_AMOUNT)),
    "critical_actions_below": (None, absent_or(whole(1, 10_000))),
    "critical_actions": ((), words),
    "gives_way_to": ("compelling_evidence_or_3ds", one_of("compelling_evidence_or_3ds")),
}


@dataclass(frozen=True, slots=True)
class SmallAccept:
    """A rule of this kind: everything that has to be true at once. All bounds are exclusive.

    `critical_actions`: the events of use that count; empty: every one that is use.
    """

    below: Money
    no_crm_record: bool
    lifetime_below: Money | None
    critical_actions_below: int | None
    critical_actions: frozenset[str]


def small_accept(policy: Policy) -> SmallAccept:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    code, lifetime, actions = str(found["currency"]), found["lifetime_below_minor"], found["critical_actions_below"]
    named = found["critical_actions"]
    return SmallAccept(
        below=Money(minor=number(found["below_minor"]), currency=code),
        no_crm_record=bool(found["no_crm_record"]),
        lifetime_below=None if lifetime is None else Money(minor=number(lifetime), currency=code),
        critical_actions_below=None if actions is None else number(actions),
        critical_actions=frozenset(str(name) for name in named) if isinstance(named, list | tuple) else frozenset(),
    )
