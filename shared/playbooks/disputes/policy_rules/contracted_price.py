"""contracted_price: an invoice that bills another price than the one the customer signed is corrected."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.policy_rules.reading import Parameters, number, one_of, text, values, whole

KIND = "contracted_price"
_PARAMETERS: Parameters = {
    "agreement": (None, text),
    "claim_within_days": (None, whole(0, 3660)),
    "difference": ("credit", one_of("credit")),
    "billed_too_little": ("person", one_of("person")),
    "instrument": (None, one_of(Instrument.CREDIT_NOTE_BALANCE.value, Instrument.ACCOUNT_CREDIT.value)),
    "corrected_by": (None, text),
}


@dataclass(frozen=True, slots=True)
class ContractedPrice:
    """A rule of this kind: what a signed document of the kind `agreement` says counts, not the rate table.

    `claim_within_days`: days after the invoice was issued, the last one included. `corrected_by`: the address or queue
    that puts the price right for the invoices to come.
    """

    agreement: str
    claim_within_days: int
    instrument: Instrument
    corrected_by: str


def contracted_price(policy: Policy) -> ContractedPrice:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    return ContractedPrice(
        agreement=str(found["agreement"]),
        claim_within_days=number(found["claim_within_days"]),
        instrument=Instrument(str(found["instrument"])),
        corrected_by=str(found["corrected_by"]),
    )
