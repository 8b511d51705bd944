"""A payment that was taken twice: the later of two equal charges goes back, by everything that the policy asks for."""

from __future__ import annotations

from dataclasses import replace

from shared.case.brief import DecisionKind
from shared.playbooks.disputes import derive, labels
from shared.playbooks.disputes.policies import Policy
from shared.playbooks.disputes.policy_rules import duplicate_window
from shared.playbooks.disputes.policy_rules.instruments import Instrument
from shared.playbooks.disputes.requests.claim import Claim, Twins
from shared.playbooks.disputes.requests.duplicates import check
from shared.playbooks.disputes.requests.footing import payable
from shared.playbooks.disputes.requests.model import Owed, Ruling, Said, declined, person
from shared.team.contract import Material
from shared.team.words import day, lasting, listed


def answer(material: Material, claim: Claim, policy: Policy) -> Ruling:
    """What the policy says to two equal charges. Raises Said, Unevaluable."""
    twins = _twins(material, claim)
    payment = payable(material, twins.later)
    checked = check(claim, twins, duplicate_window.duplicate_window(policy))
    ruling = Ruling(DecisionKind.ESCALATE, (), policy=policy, payment=payment, twins=twins, checked=checked)
    if checked.missing:
        reason = f"{policy.name} asks for more than is on file; missing: {listed(checked.missing)}"
        return replace(ruling, reasons=(reason,), cites=(policy.evidence, twins.first, twins.later))
    because = (
        f"You are right: we took {payment.money(payment.amount_minor)} twice on {day(payment.paid_at)}, "
        f"{lasting(twins.apart)} apart. That was a fault on our side, and we are sorry."
    )
    owed = Owed(derive.left_of(payment.charge, payment.currency), Instrument.CHARGE_REFUND, because)
    reasons = (
        f"the same amount was taken twice, {lasting(twins.apart)} apart, for one and the same thing",
        f"{policy.name} returns the later charge whole: everything it asks for is on file",
    )
    return replace(ruling, kind=DecisionKind.REFUND, reasons=reasons, owed=owed)


def without_a_policy(material: Material, claim: Claim) -> Ruling:
    """Where no policy is about duplicates. Raises Said: a person decides about two charges, and one is no duplicate."""
    twins = _twins(material, claim)
    payable(material, twins.later)
    raise person("no current policy says what is done about a payment taken twice", twins.first, twins.later)


def _twins(material: Material, claim: Claim) -> Twins:
    twins = claim.twins()
    if twins is None:
        raise _no_second_charge(claim)
    first = payable(material, twins.first)
    if first.left_minor != first.amount_minor:
        reason = "a part of the first charge is not with us any more: returning the later one whole may be too much"
        raise person(reason, twins.first, twins.later, *first.refunds, payment=first)
    return twins


def _no_second_charge(claim: Claim) -> Said:
    if labels.CHARGES in claim.unread or not claim.charges:
        return person("not all of their charges could be read, so a second one cannot be ruled out", claim.request)
    told = "we found one payment only, and nothing that was taken twice"
    reason = "they write of a payment taken twice, and no two equal charges within a day are on file"
    return Said(declined(reason, told, claim.request, *claim.charges[-5:]))
