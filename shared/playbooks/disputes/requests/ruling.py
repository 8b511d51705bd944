"""What becomes of a request: money by the one policy that gives any, a reasoned no, or a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.conclusion import PERSON_PCT
from shared.playbooks.disputes.policies import Policy, disagree, for_topics, in_force, topics_for
from shared.playbooks.disputes.policy_rules import (
    contracted_price,
    contractual_sla,
    duplicate_window,
    first_response_breach,
    platform_sla_credit,
    proration,
    refund_window,
    sales_promise,
    seat_proration,
    tax_exemption,
    usage_refusal,
)
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.playbooks.disputes.requests import (
    billed,
    contracted,
    contractual,
    first_response,
    platform_sla,
    promises,
    seats,
    tax,
    twice,
    usage,
    window,
)
from shared.playbooks.disputes.requests.claim import Claim
from shared.playbooks.disputes.requests.footing import carried
from shared.playbooks.disputes.requests.model import Answer, Ruling, Said, person
from shared.team.contract import Material
from shared.team.words import listed

ANSWERS: dict[str, Answer] = {
    contractual_sla.KIND: contractual.answer,
    contracted_price.KIND: contracted.answer,
    first_response_breach.KIND: first_response.answer,
    platform_sla_credit.KIND: platform_sla.answer,
    sales_promise.KIND: promises.answer,
    tax_exemption.KIND: tax.answer,
    seat_proration.KIND: seats.answer,
    usage_refusal.KIND: usage.answer,
    refund_window.KIND: window.answer,
}
"""What answers a request by each kind of rule; a payment taken twice is answered first, by its own (twice.py)."""

FOLLOWED = frozenset({duplicate_window.KIND, proration.KIND, *ANSWERS})
"""Kinds of rules that answer different questions about a request and may all be in force."""

_WITHOUT_A_CAUSE = frozenset({refund_window.KIND})
"""Kinds that give money to whoever asks; the others give it for something that went wrong or was agreed."""

_PAYS = frozenset({DecisionKind.REFUND, DecisionKind.CREDIT})
_SURE_PCT = 92
_PER_GAP_PCT = 4
_MOST_FOR_GAPS_PCT = 20


def rule(material: Material, claim: Claim) -> Ruling:
    """The ruling on a request."""
    pages = tuple(for_topics(claim.exhibits, topics_for(claim.case)))
    try:
        ruling = _decided(material, claim, _known(claim, pages))
        if ruling.owed is not None and ruling.payment is not None:
            carried(claim, ruling.payment, ruling.owed)
        billed.carried(claim, ruling)
    except Said as said:
        ruling = said.ruling
    sure = PERSON_PCT if ruling.kind is DecisionKind.ESCALATE else _sure(material.gaps)
    return replace(ruling, policies=pages, confidence_pct=sure)


def _known(claim: Claim, pages: Sequence[Policy]) -> list[Policy]:
    """The policies in force, once it is clear who asks. Raises Said."""
    if claim.customer is None:
        raise person("it is not clear which customer asks", claim.request)
    if not claim.is_theirs:
        raise person(f"our records do not know {claim.sender} as one of theirs", claim.request, claim.customer)
    if not pages and not claim.exhibits.absences(labels.NO_POLICY):
        raise person("the merchant's policies could not be read", claim.request)
    current = in_force(pages, claim.now)
    if disagree(current, FOLLOWED):
        named = listed([page.name for page in current])
        raise person(f"two current policies disagree: {named}", *[page.evidence for page in current])
    return current


def _decided(material: Material, claim: Claim, current: list[Policy]) -> Ruling:
    if claim.says_twice:
        policy = next((page for page in current if page.kind == duplicate_window.KIND), None)
        return _followed(material, claim, policy, twice.answer) if policy else twice.without_a_policy(material, claim)
    said, silent = _asked(material, claim, current)
    gives = [ruling for ruling in said if ruling.kind in _PAYS]
    refuses = [ruling for ruling in said if ruling.kind is DecisionKind.DECLINE]
    if len(gives) > 1:
        raise _torn("more than one policy gives something here", gives)
    if gives and refuses and gives[0].policy is not None and gives[0].policy.kind in _WITHOUT_A_CAUSE:
        raise _torn("one policy gives the money back and another refuses it", [*gives, *refuses])
    if gives:
        return gives[0]
    if refuses:
        return _refused(refuses)
    raise _undecided(claim, current, silent)


def _asked(material: Material, claim: Claim, current: Sequence[Policy]) -> tuple[list[Ruling], list[str]]:
    """What each policy in force says, and why the others say nothing."""
    said: list[Ruling] = []
    silent: list[str] = []
    seen: set[str] = set()
    for policy in current:
        answer = ANSWERS.get(policy.kind)
        # Two pages with one rule are one rule.
        if answer is None or policy.rule in seen:
            continue
        seen.add(policy.rule)
        told = _follow(material, claim, policy, answer)
        if isinstance(told, Ruling):
            said.append(told)
        else:
            silent.append(f"{policy.name}: {told}")
    return said, silent


def _follow(material: Material, claim: Claim, policy: Policy, answer: Answer) -> Ruling | str:
    try:
        return answer(material, claim, policy)
    except Unevaluable as why:
        reason = f"the policy {policy.name} has to be read by a person: {why}"
        raise person(reason, policy.evidence) from why


def _followed(material: Material, claim: Claim, policy: Policy, answer: Answer) -> Ruling:
    told = _follow(material, claim, policy, answer)
    if isinstance(told, str):
        raise person(told, policy.evidence)
    return told


def _refused(rulings: Sequence[Ruling]) -> Ruling:
    """One no with everything that speaks for it."""
    return replace(
        rulings[0],
        reasons=tuple(reason for ruling in rulings for reason in ruling.reasons),
        cites=tuple({row.index: row for ruling in rulings for row in ruling.cites}.values()),
        found=tuple(finding for ruling in rulings for finding in ruling.found),
        told="; and ".join(ruling.told for ruling in rulings),
        weighed=next((ruling.weighed for ruling in rulings if ruling.weighed), ""),
        beside=tuple(ruling.policy for ruling in rulings[1:] if ruling.policy is not None),
    )


def _torn(why: str, rulings: Sequence[Ruling]) -> Said:
    told = listed(
        [f"{ruling.policy.name if ruling.policy else 'a policy'} ({ruling.reasons[0]})" for ruling in rulings]
    )
    pages = [ruling.policy.evidence for ruling in rulings if ruling.policy]
    return person(f"{why}: {told}", *pages, *[row for ruling in rulings for row in ruling.cites])


def _undecided(claim: Claim, current: Sequence[Policy], silent: Sequence[str]) -> Said:
    named = listed([page.name for page in current]) or "none"
    reason = f"no rule decides a request like this; current policies for requests: {named}"
    why = f". What they say: {'; '.join(silent)}" if silent else ""
    charge = claim.meant()
    return person(reason + why, *([charge] if charge else [claim.request]), *[page.evidence for page in current])


def _sure(gaps: Sequence[Gap]) -> int:
    return _SURE_PCT - min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
