"""What becomes of a request: money back, a reasoned no, or a person. The first rule that speaks decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.conclusion import PERSON_PCT
from shared.playbooks.disputes.payment import Payment, payment_of
from shared.playbooks.disputes.policies import Policy, disagree, for_topics, in_force, topics_for
from shared.playbooks.disputes.policy_rules import duplicate_window, proration, refund_window
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.playbooks.disputes.requests.claim import Claim, Twins
from shared.playbooks.disputes.requests.duplicates import Checked, check
from shared.playbooks.disputes.stages import Stage
from shared.playbooks.disputes.standing import KEEPS_MONEY
from shared.team.contract import Material
from shared.team.exhibits import text
from shared.team.words import day, lasting, listed

FOLLOWED = frozenset({duplicate_window.KIND, refund_window.KIND, proration.KIND})
"""Kinds of rules that answer different questions about a request and may all be in force."""

_SURE_PCT = 92
_PER_GAP_PCT = 4
_MOST_FOR_GAPS_PCT = 20
_RETURNED_BY_BANK = frozenset({Stage.LOST, Stage.PREVENTED})


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, what shows it, and how sure we are, in per cent.

    `payment`: the charge it is about, where one is clear; `told`: what a customer who is declined is told.
    """

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    cites: tuple[Evidence, ...] = ()
    policies: tuple[Policy, ...] = ()
    policy: Policy | None = None
    payment: Payment | None = None
    twins: Twins | None = None
    checked: Checked | None = None
    told: str = ""


class Said(Exception):
    """A rule has spoken."""

    def __init__(
        self,
        kind: DecisionKind,
        *reasons: str,
        cites: Sequence[Evidence] = (),
        policy: Policy | None = None,
        payment: Payment | None = None,
        told: str = "",
    ) -> None:
        super().__init__(*reasons)
        self.kind, self.reasons, self.cites = kind, reasons, tuple(cites)
        self.policy, self.payment, self.told = policy, payment, told


def rule(material: Material, claim: Claim) -> Ruling:
    """The ruling on a request."""
    pages = tuple(for_topics(claim.exhibits, topics_for(claim.case)))
    try:
        current = _known(claim, pages)
        if claim.says_twice:
            return _twice(material, claim, pages, current)
        return _by_window(material, claim, pages, current)
    except Said as said:
        sure = PERSON_PCT if said.kind is DecisionKind.ESCALATE else _sure(material.gaps)
        return Ruling(said.kind, said.reasons, sure, said.cites, pages, said.policy, said.payment, told=said.told)


def _known(claim: Claim, pages: Sequence[Policy]) -> list[Policy]:
    """The policies in force, once it is clear who asks. Raises Said."""
    if claim.customer is None:
        raise _person("it is not clear which customer asks", claim.request)
    if not claim.is_theirs:
        raise _person(f"our records do not know {claim.sender} as one of theirs", claim.request, claim.customer)
    if not pages and not claim.exhibits.absences(labels.NO_POLICY):
        raise _person("the merchant's policies could not be read", claim.request)
    current = in_force(pages, claim.now)
    if disagree(current, FOLLOWED):
        named = listed([page.name for page in current])
        raise _person(f"two current policies disagree: {named}", *[page.evidence for page in current])
    return current


def _twice(material: Material, claim: Claim, pages: tuple[Policy, ...], current: list[Policy]) -> Ruling:
    twins = claim.twins()
    if twins is None:
        raise _no_second_charge(claim)
    payment = payment_of(material, twins.later.row.record_id)
    _check_money(payment_of(material, twins.first.row.record_id))
    _check_money(payment)
    policy = next((page for page in current if page.kind == duplicate_window.KIND), None)
    if policy is None:
        raise _person("no current policy says what is done about a payment taken twice", twins.first, twins.later)
    try:
        wanted = duplicate_window.duplicate_window(policy)
    except Unevaluable as why:
        raise _person(f"the policy {policy.name} has to be read by a person: {why}", policy.evidence) from why
    checked = check(claim, twins, wanted)
    if checked.missing:
        reason = f"{policy.name} asks for more than is on file; missing: {listed(checked.missing)}"
        return Ruling(
            DecisionKind.ESCALATE, (reason,), PERSON_PCT, (policy.evidence, twins.first, twins.later), pages, policy,
            payment, twins, checked,
        )  # fmt: skip
    reasons = (
        f"the same amount was taken twice, {lasting(twins.apart)} apart, for one and the same thing",
        f"{policy.name} returns the later charge whole: everything it asks for is on file",
    )
    return Ruling(
        DecisionKind.REFUND, reasons, _sure(material.gaps), (), pages, policy, payment, twins, checked
    )  # fmt: skip


def _by_window(material: Material, claim: Claim, pages: tuple[Policy, ...], current: list[Policy]) -> Ruling:
    charge = claim.meant()
    if charge is None:
        raise _person("it is not clear which charge is meant", claim.request, *claim.charges[-3:])
    payment = payment_of(material, charge.row.record_id)
    _check_money(payment)
    policy, window = _window(payment, current)
    if policy is None or window is None:
        named = listed([page.name for page in current]) or "none"
        reason = f"no rule decides a request like this; current policies for requests: {named}"
        raise Said(DecisionKind.ESCALATE, reason, cites=[charge, *[page.evidence for page in current]], payment=payment)
    end = window.last_instant(payment.paid_at)
    if claim.received_at > end:
        reason = f"{policy.name} refunds until {day(end)}, and they asked on {claim.when}"
        told = f"we can refund a payment within {window.within_days} days, which was until {day(end)}"
        raise Said(
            DecisionKind.DECLINE, reason, cites=[policy.evidence, charge], policy=policy, payment=payment, told=told
        )
    if claim.asked_minor is not None and claim.asked_minor < (payment.left_minor or 0):
        raise _person("they ask for less than the policy gives back: which of the two is meant?", charge)
    reason = f"{policy.name} refunds in full until {day(end)}, and they asked on {claim.when}"
    return Ruling(DecisionKind.REFUND, (reason,), _sure(material.gaps), (), pages, policy, payment)


def _window(payment: Payment, current: Sequence[Policy]) -> tuple[Policy | None, refund_window.RefundWindow | None]:
    """The policy with a window that covers the plan of the charge."""
    for policy in (page for page in current if page.kind == refund_window.KIND):
        try:
            window = refund_window.refund_window(policy)
        except Unevaluable as why:
            raise _person(f"the policy {policy.name} has to be read by a person: {why}", policy.evidence) from why
        if window.covers(_interval(payment)):
            return policy, window
    return None, None


def _interval(payment: Payment) -> str:
    """The interval of the plan that the charge paid; empty for a charge of no subscription."""
    lines = payment.paid_lines
    named = {text(line, "subscription") for line in lines} - {""}
    found = {
        text(row, "price__interval")
        for row in payment.exhibits.rows("stripe.subscriptions")
        if row.row.record_id in named
    }
    return found.pop() if len(found) == 1 else ""


def _check_money(payment: Payment) -> None:
    """Return when money can go back on this charge. Raises Said with what stands against it."""
    stage, named = payment.stage, listed([item.row.record_id for item in payment.disputes])
    if stage in _RETURNED_BY_BANK:
        told = "your bank has already returned this payment to you"
        reason = f"the charge was disputed ({named}), and the bank has returned the money: a refund would pay twice"
        raise Said(DecisionKind.DECLINE, reason, cites=[payment.charge, *payment.disputes], payment=payment, told=told)
    if stage in KEEPS_MONEY or stage in (Stage.INQUIRY, Stage.INQUIRY_FILED):
        reason = f"the charge is under dispute ({named}), which is a case of its own: it has to be settled there"
        raise Said(DecisionKind.ESCALATE, reason, cites=[payment.charge, *payment.disputes], payment=payment)
    if payment.left_minor is None:
        raise _person("what is left of the charge is not known", payment.charge)
    if payment.left_minor == 0:
        told = f"we have already refunded your payment of {payment.money(payment.amount_minor)}"
        reason = "the charge has been refunded in full already"
        raise Said(DecisionKind.DECLINE, reason, cites=[payment.charge, *payment.refunds], payment=payment, told=told)


def _no_second_charge(claim: Claim) -> Said:
    if "the charges of the customer" in claim.unread or not claim.charges:
        return _person("not all of their charges could be read, so a second one cannot be ruled out", claim.request)
    told = "we found one payment only, and nothing that was taken twice"
    reason = "they write of a payment taken twice, and no two equal charges within a day are on file"
    return Said(DecisionKind.DECLINE, reason, cites=[claim.request, *claim.charges[-5:]], told=told)


def _person(reason: str, *cites: Evidence) -> Said:
    return Said(DecisionKind.ESCALATE, reason, cites=cites)


def _sure(gaps: Sequence[Gap]) -> int:
    return _SURE_PCT - min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
