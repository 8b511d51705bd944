"""The facts that policy rules may ask about: a closed list, so that a misspelt one is refused when the file is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.case.actions import ActionKind, Effect, Json
from shared.case.brief import DecisionKind
from shared.errors import InvalidInput

Facts = Mapping[str, Json]
"""Values by fact name; one that is missing or None is unknown, which is not the same as false."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a fact means and what it can be: a whole number, or text, perhaps one of a few words."""

    meaning: str
    number: bool = False
    choices: tuple[str, ...] = ()


FACTS: dict[str, Fact] = {
    "kind": Fact("the kind of the action", choices=tuple(ActionKind)),
    "effect": Fact("what mark the action leaves", choices=tuple(Effect)),
    "decision": Fact("what the brief recommends", choices=tuple(DecisionKind)),
    "confidence_pct": Fact("how sure the decision is, in per cent", number=True),
    "at_risk_minor": Fact("money at risk, in minor units of the org's currency", number=True),
    "currency": Fact("the currency of the action's amount, such as usd"),
    "subject": Fact("what the case is about: dispute, early_fraud_warning, invoice, request ..."),
    "untrusted_flags": Fact("how many texts of the case look like instructions to us", number=True),
    "customer_arr_minor": Fact("the customer's yearly revenue, in minor units of the org's currency", number=True),
    "prior_disputes": Fact("how many earlier disputes the customer has", number=True),
}


def read_fact(facts: Facts, name: str) -> int | str | None:
    """A fact of the kind that the list promises; None when it is unknown. Raises InvalidInput for another kind."""
    value = facts.get(name)
    if value is None:
        return None
    if FACTS[name].number:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise InvalidInput(f"the fact {name} should be a whole number")
    if isinstance(value, str):
        return value
    raise InvalidInput(f"the fact {name} should be text")
