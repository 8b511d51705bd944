"""What becomes of a failed invoice. The merchant's pages speak in this order: fraud, order numbers, failed payments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shared.case.brief import DecisionKind
from shared.case.evidence import Gap
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.conclusion import PERSON_PCT
from shared.playbooks.disputes.failed_invoices import fraud, orders
from shared.playbooks.disputes.failed_invoices.bill import Bill
from shared.playbooks.disputes.failed_invoices.declines import Family
from shared.playbooks.disputes.failed_invoices.following import followed_up
from shared.playbooks.disputes.failed_invoices.model import Person, Ruling
from shared.playbooks.disputes.policies import Policy, disagree, for_topics, in_force, topics_for
from shared.playbooks.disputes.policy_rules import dunning, fraud_review, purchase_order
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.team.exhibits import text
from shared.team.words import listed

FOLLOWED = frozenset({dunning.KIND, fraud_review.KIND, purchase_order.KIND})
"""Kinds of rules that answer different questions about a failed invoice and may all be in force."""

_SETTLED = frozenset({"paid", "void", "uncollectible", "draft"})
_SURE_PCT = 90
_UNKNOWN_PCT = 72
_PER_GAP_PCT = 4
_MOST_FOR_GAPS_PCT = 16


def rule(bill: Bill, gaps: Sequence[Gap]) -> Ruling:
    """The ruling on a failed invoice. `gaps`: what the specialists could not find out."""
    pages = tuple(for_topics(bill.exhibits, topics_for(bill.case)))
    status = text(bill.invoice, "status")
    if status in _SETTLED or bill.due_minor == 0:
        reason = f"the invoice is {status or 'settled'} by now, and nothing is left to collect"
        return Ruling(DecisionKind.RECORD, (reason,), _SURE_PCT, (bill.invoice,), pages)
    try:
        return replace(_decided(bill, _in_force(bill, pages), gaps), policies=pages)
    except Person as why:
        return Ruling(
            DecisionKind.ESCALATE, why.reasons, PERSON_PCT, why.cites, pages, why.policy,
            errand=why.errand, found=why.found, ways_out=why.ways_out,
        )  # fmt: skip


def _in_force(bill: Bill, pages: Sequence[Policy]) -> dict[str, Policy]:
    """The page in force of each kind. Raises Person."""
    current = in_force(pages, bill.now)
    if not pages and not bill.exhibits.absences(labels.NO_POLICY):
        raise Person("the merchant's policies could not be read", cites=(bill.invoice,))
    cites = tuple(page.evidence for page in current)
    if disagree(current, FOLLOWED):
        raise Person(f"two current policies disagree: {listed([page.name for page in current])}", cites=cites)
    unknown = next((page for page in current if page.kind not in FOLLOWED), None)
    if unknown is not None:
        why = f"its rule is of the kind {unknown.kind}" if unknown.kind else "it has no machine-readable rule"
        raise Person(f"the policy {unknown.name} has to be read by a person: {why}", cites=cites)
    return {page.kind: page for page in current}


def _decided(bill: Bill, pages: dict[str, Policy], gaps: Sequence[Gap]) -> Ruling:
    if bill.decline.family is Family.SUSPECTED:
        reason = "the bank suspects fraud: nobody should try again before a person has looked"
        raise Person(reason, cites=(bill.failed,) if bill.failed else ())
    speaking = pages.get(fraud_review.KIND)
    try:
        if speaking is not None:
            fraud.review(bill, speaking)
        speaking = pages.get(purchase_order.KIND)
        amended = orders.amend(bill, speaking) if speaking is not None else None
        if amended is not None:
            return amended
        speaking = pages.get(dunning.KIND)
        wanted = dunning.dunning(speaking) if speaking is not None else None
    except Unevaluable as why:
        assert speaking is not None
        reason = f"the policy {speaking.name} has to be read by a person: {why}"
        raise Person(reason, cites=(speaking.evidence,), policy=speaking) from why
    less = min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
    known = bill.decline.family is not Family.UNKNOWN or bill.is_sent
    sure = _SURE_PCT - less if known else _UNKNOWN_PCT
    return followed_up(bill, Ruling(DecisionKind.RECOVER, (), sure, policy=speaking, rule=wanted))
