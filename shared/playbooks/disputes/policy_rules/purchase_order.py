"""purchase_order: an invoice that the customer's accounts payable cannot pay because its order number is not theirs."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.reading import Parameters, names, one_of, text, values, words

KIND = "purchase_order"
_PARAMETERS: Parameters = {
    "printed_as": (None, text),
    "ordered_in": ("agreement", one_of("agreement")),
    "contact_titles": (None, words),
    "corrected_by": (None, text),
    "on_mismatch": (None, one_of("amend")),
}


@dataclass(frozen=True, slots=True)
class PurchaseOrder:
    """A rule of this kind.

    `printed_as`: the name of the invoice's custom field that holds the number. `contact_titles`: what the people who
    can say which number counts are called in the CRM. `corrected_by`: who issues the invoice anew (address or queue).
    """

    printed_as: str
    contact_titles: tuple[str, ...]
    corrected_by: str


def purchase_order(policy: Policy) -> PurchaseOrder:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    return PurchaseOrder(
        printed_as=str(found["printed_as"]),
        contact_titles=tuple(name.lower() for name in names(found["contact_titles"])),
        corrected_by=str(found["corrected_by"]),
    )
