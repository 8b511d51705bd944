"""vendor_failure: a payment that went through while our own systems failed to deliver what it bought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import (
    Parameters,
    Unevaluable,
    names,
    number,
    one_of,
    subset,
    values,
    whole,
)

KIND = "vendor_failure"
SIGNS = ("charge_succeeded", "exception", "alert", "old_tier")
"""The payment went through; the error tracker recorded an error for them; a monitor alerted; they are still on the tier
they had before."""

MOST_MINUTES = 60
"""How far around a payment our own systems are read."""

_PARAMETERS: Parameters = {
    "signs": (SIGNS, subset(frozenset(SIGNS))),
    "least": (3, whole(1, len(SIGNS))),
    "within_minutes": (15, whole(1, MOST_MINUTES)),
    "owed": ("all", one_of("all")),
    "contest": ("never", one_of("never")),
    "repair_ticket": (True, one_of(True)),
    "apology": (True, one_of(True, False)),
}


@dataclass(frozen=True, slots=True)
class VendorFailure:
    """A rule of this kind: at least `least` of the `signs` within `within` of the payment mean that all is owed."""

    signs: tuple[str, ...]
    least: int
    within: timedelta
    apology: bool


def vendor_failure(policy: Policy) -> VendorFailure:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    signs, least = names(found["signs"]), number(found["least"])
    if least > len(set(signs)):
        raise Unevaluable(f"its rule wants {least} of {len(set(signs))} signs")
    return VendorFailure(
        signs=tuple(sign for sign in SIGNS if sign in signs),
        least=least,
        within=timedelta(minutes=number(found["within_minutes"])),
        apology=found["apology"] is True,
    )
