"""tax_exemption: value added tax that was charged to a business whose number the register confirms (reverse charge)."""

from __future__ import annotations

from dataclasses import dataclass

from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules.instruments import Instrument, instrument
from shared.playbooks.disputes.policy_rules.reading import Parameters, one_of, values

KIND = "tax_exemption"
EU = frozenset(
    ("AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU", "LV",
     "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK")
)  # fmt: skip
"""The member states of the European Union, by ISO 3166 code. In VAT numbers Greece is EL."""

_PARAMETERS: Parameters = {
    "tax": ("vat_reverse_charge", one_of("vat_reverse_charge")),
    "registry": ("vies", one_of("vies")),
    "supplier_country": (None, one_of(*sorted(EU))),
    "verified_by": ("charge", one_of("charge", "request")),
    "amount": ("tax_only", one_of("tax_only")),
    "instrument": (None, instrument),
}


@dataclass(frozen=True, slots=True)
class TaxExemption:
    """A rule of this kind: a customer in another member state than `supplier_country` whose number VIES confirmed.

    `before_charge`: it must have been confirmed by the time of the charge, else by the time of the request.
    """

    supplier_country: str
    before_charge: bool
    instrument: Instrument


def tax_exemption(policy: Policy) -> TaxExemption:
    """The rule of a policy. Raises Unevaluable for prose, another kind, or any parameter or value we do not know."""
    found = values(policy, KIND, _PARAMETERS)
    return TaxExemption(
        supplier_country=str(found["supplier_country"]),
        before_charge=found["verified_by"] == "charge",
        instrument=Instrument(str(found["instrument"])),
    )
