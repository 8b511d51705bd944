"""How complete a packet is: which of the fields that decide claims of its code are filled, and why not all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shared.case.actions import Json
from shared.case.texts import FILES
from shared.playbooks.disputes.codes import NetworkCode
from shared.playbooks.disputes.limits import ENHANCED, EVIDENCE
from shared.team.words import listed

_TERMS = "no terms that the customer was shown at the time are on record"
_WHY: Mapping[str, str] = {
    "access_activity_log": "no use of the product is on record",
    "cancellation_policy_disclosure": _TERMS,
    "cancellation_rebuttal": "nothing on record answers a cancellation",
    "customer_email_address": "no address of the payer is on record",
    "customer_purchase_ip": "no checkout of this payment with an IP address is on record",
    "duplicate_charge_explanation": "no second payment was compared with this one",
    "duplicate_charge_id": "no second payment is named",
    "refund_policy_disclosure": _TERMS,
    "refund_refusal_explanation": "no refund was refused",
    "service_date": "the billing period of the payment is not on record",
}


@dataclass(frozen=True, slots=True)
class Completeness:
    """`filled` holds every field and file with something in it; `missing` the decisive ones without, and why."""

    decisive: tuple[str, ...]
    filled: frozenset[str]
    missing: Mapping[str, str]

    def in_words(self, rule: NetworkCode) -> str:
        """One sentence for whoever approves the packet."""
        if not self.decisive:
            return f"Evidence for {rule.id}: no field decides claims of this code."
        there = len(self.decisive) - len(self.missing)
        told = f"Evidence for {rule.id}: {there} of {len(self.decisive)} decisive fields are filled"
        if not self.missing:
            return f"{told}."
        return f"{told}; missing: {listed([f'{name} ({why})' for name, why in self.missing.items()])}."


def completeness(rule: NetworkCode, payload: Mapping[str, Json]) -> Completeness:
    """What the evidence of a payload fills of what decides claims of this code."""
    evidence, files = (payload.get(name) for name in (EVIDENCE, FILES))
    given = {**(evidence if isinstance(evidence, dict) else {}), **(files if isinstance(files, dict) else {})}
    filled = frozenset(name for name, value in given.items() if value)
    block = given.get(ENHANCED)
    if isinstance(block, dict):
        # What Stripe's block for CE 3.0 says of the payer need not be said twice.
        filled |= _inside(block) & set(rule.evidence_fields)
    missing = {
        name: _WHY.get(name, "nothing on record fills it") for name in rule.evidence_fields if name not in filled
    }
    return Completeness(rule.evidence_fields, filled, missing)


def _inside(block: Mapping[str, Json]) -> frozenset[str]:
    """The names of the texts anywhere inside."""
    found: frozenset[str] = frozenset()
    for name, value in block.items():
        if isinstance(value, dict):
            found |= _inside(value)
        elif isinstance(value, str) and value:
            found |= {name}
    return found
