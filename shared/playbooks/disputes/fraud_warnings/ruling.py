"""What becomes of an early fraud warning: a refund, a record, or a person. The first rule that speaks decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from shared.case.brief import DecisionKind
from shared.case.evidence import Evidence, Gap
from shared.case.money import MissingRate, Money
from shared.playbooks.disputes import labels, monitoring
from shared.playbooks.disputes.conclusion import PERSON_PCT
from shared.playbooks.disputes.fraud_warnings.weighing import Weighing, weigh
from shared.playbooks.disputes.payment import Payment
from shared.playbooks.disputes.policies import Policy, disagree, for_topics, in_force, topics_for
from shared.playbooks.disputes.policy_rules.fraud_warning import DEFAULT, FraudWarningRule, fraud_warning
from shared.playbooks.disputes.policy_rules.reading import Unevaluable
from shared.playbooks.disputes.standing import liability_shifted
from shared.team.moments import moment
from shared.team.words import day, listed

_SURE_PCT = 92
_LOOK_PCT = 65
"""Less sure than what the approval policy lets pass without a person: between the small charges and the break-even."""
_PER_GAP_PCT = 4
_MOST_FOR_GAPS_PCT = 20


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision, why, what shows it, and how sure we are, in per cent."""

    kind: DecisionKind
    reasons: tuple[str, ...]
    confidence_pct: int
    cites: tuple[Evidence, ...] = ()
    policies: tuple[Policy, ...] = ()
    """Every page on warnings that was read."""
    policy: Policy | None = None
    rule: FraudWarningRule = DEFAULT
    weighing: Weighing | None = None


class _Said(Exception):
    def __init__(self, kind: DecisionKind, *reasons: str, cites: Sequence[Evidence] = ()) -> None:
        super().__init__(*reasons)
        self.kind, self.reasons, self.cites = kind, reasons, tuple(cites)


def rule(payment: Payment, warning: Evidence, gaps: Sequence[Gap]) -> Ruling:
    """The ruling on a warning. `gaps`: what the specialists could not find out."""
    pages = for_topics(payment.exhibits, topics_for(payment.case))
    less = min(len(gaps) * _PER_GAP_PCT, _MOST_FOR_GAPS_PCT)
    found = Ruling(DecisionKind.ESCALATE, (), PERSON_PCT, policies=tuple(pages))
    try:
        policy, wanted = _policy(payment, pages)
        found = Ruling(found.kind, (), PERSON_PCT, policies=found.policies, policy=policy, rule=wanted)
        _check_closed(payment, warning, wanted)
        _check_monitoring(payment)
        weighing = _weighing(payment, wanted)
        return _by_amount(found, weighing, less)
    except _Said as said:
        sure = PERSON_PCT if said.kind is DecisionKind.ESCALATE else _SURE_PCT - less
        return Ruling(said.kind, said.reasons, sure, said.cites, found.policies, found.policy, found.rule)


def _policy(payment: Payment, pages: Sequence[Policy]) -> tuple[Policy | None, FraudWarningRule]:
    current = in_force(pages, payment.now)
    if not pages and not payment.exhibits.absences(labels.NO_POLICY):
        raise _Said(DecisionKind.ESCALATE, "the merchant's policies could not be read", cites=[payment.charge])
    if disagree(current):
        named = listed([page.name for page in current])
        cites = [page.evidence for page in current]
        raise _Said(DecisionKind.ESCALATE, f"two current policies disagree: {named}", cites=cites)
    if not current:
        return None, DEFAULT
    try:
        return current[0], fraud_warning(current[0])
    except Unevaluable as why:
        reason = f"the policy {current[0].name} has to be read by a person: {why}"
        raise _Said(DecisionKind.ESCALATE, reason, cites=[current[0].evidence]) from why


def _check_closed(payment: Payment, warning: Evidence, wanted: FraudWarningRule) -> None:
    """Everything after which a refund makes no sense any more, or none at all."""
    record, charge = DecisionKind.RECORD, payment.charge
    if payment.disputes or charge.row.fields.get("disputed") is True:
        named = listed([item.row.record_id for item in payment.disputes])
        whose = f" ({named}), which is a case of its own" if named else ""
        raise _Said(record, f"the charge is disputed already{whose}: a refund would pay twice", cites=payment.disputes)
    if payment.left_minor == 0:
        raise _Said(record, "the whole charge has been returned already", cites=[charge, *payment.refunds])
    actionable = warning.row.fields.get("actionable")
    if False in (actionable, payment.case.facts.get("warning.actionable")):
        raise _Said(record, "Stripe says that the warning is not actionable", cites=[warning])
    for what, item, at in (
        ("warning", warning, moment(warning.row.fields.get("created"))),
        ("charge", charge, payment.paid_at),
    ):
        if at is not None and payment.now - at > timedelta(days=wanted.max_age_days):
            raise _Said(record, f"the {what} of {day(at)} is older than {wanted.max_age_days} days", cites=[item])
    if liability_shifted(charge):
        raise _Said(record, "3-D Secure moved the liability for fraud to the issuer", cites=[charge])


def _check_monitoring(payment: Payment) -> None:
    counted = monitoring.figures(payment.exhibits)
    if counted is None:
        reason = "how close the account is to the monitoring programmes of the networks could not be read"
        raise _Said(DecisionKind.ESCALATE, reason, cites=[payment.charge])
    if monitoring.is_close(counted):
        reason = f"the account is close to a monitoring programme of the networks: {monitoring.in_words(counted)}"
        raise _Said(DecisionKind.ESCALATE, reason, cites=[counted])


def _weighing(payment: Payment, wanted: FraudWarningRule) -> Weighing:
    if payment.left_minor is None:
        raise _Said(DecisionKind.ESCALATE, "what is left of the charge is not known", cites=[payment.charge])
    try:
        return weigh(Money(minor=payment.left_minor, currency=payment.currency), wanted, payment.org)
    except MissingRate as why:
        reason = f"the charge cannot be compared with the fee of a dispute: {why}"
        raise _Said(DecisionKind.ESCALATE, reason, cites=[payment.charge]) from why


def _by_amount(found: Ruling, weighing: Weighing, less: int) -> Ruling:
    left, fee = weighing.shown(weighing.left_minor), weighing.shown(weighing.fee_minor)
    kind, sure = DecisionKind.RECORD, _SURE_PCT - less
    if weighing.is_small and found.rule.refund_small:
        kind = DecisionKind.REFUND
        reason = f"{left} is at most {weighing.shown(weighing.small_minor)}: less than waiting for a fee of {fee} costs"
    elif weighing.is_worth_it and found.rule.refund_to_break_even and not weighing.is_small:
        kind, sure = DecisionKind.REFUND, _LOOK_PCT
        reason = (
            f"{left} is at most the break-even of {weighing.shown(weighing.break_even_minor)} "
            f"({found.rule.odds_pct} % become a dispute that costs {fee} more): a person should look first"
        )
    else:
        break_even = weighing.shown(weighing.break_even_minor)
        reason = f"{left} is above what is worth returning (break-even {break_even}): book it and watch the charge"
    return Ruling(kind, (reason,), sure, (), found.policies, found.policy, found.rule, weighing)
