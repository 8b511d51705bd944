"""From evidence about an early fraud warning to a draft."""

from __future__ import annotations

from shared.case.actions import ActionDraft, Json
from shared.case.brief import DecisionKind
from shared.playbooks.disputes import derive
from shared.playbooks.disputes.conclusion import Conclusion, capital, drafted, unreadable
from shared.playbooks.disputes.established import of_payment
from shared.playbooks.disputes.fraud_warnings.findings import findings
from shared.playbooks.disputes.fraud_warnings.ruling import Ruling, rule
from shared.playbooks.disputes.matter import Incomplete
from shared.playbooks.disputes.paying import refund_what_is_left
from shared.playbooks.disputes.payment import Payment, payment_of
from shared.team.contract import Draft, Material
from shared.team.exhibits import Exhibits, text


def synthesize(material: Material) -> Draft:
    """The draft of a round. Deterministic: the same evidence gives the same draft."""
    warning = Exhibits(material.evidence).one("stripe.early_fraud_warnings", material.case.subject.id)
    if warning is None:
        return unreadable(material, "an early fraud warning", "the warning itself could not be read at Stripe")
    try:
        payment = payment_of(material, text(warning, "charge") or material.case.text_fact("charge.id") or "")
    except Incomplete as why:
        return unreadable(material, "an early fraud warning", str(why))
    ruling = rule(payment, warning, material.gaps)
    refunds = ruling.kind is DecisionKind.REFUND
    conclusion = Conclusion(
        kind=ruling.kind,
        reasons=ruling.reasons,
        confidence_pct=ruling.confidence_pct,
        summary=_summary(payment, ruling),
        question=_question(payment, ruling),
        findings=findings(payment, warning, ruling),
        derivation=derive.left_of(payment.charge, payment.currency) if refunds else None,
        actions=(_refund(payment),) if refunds else (),
        notes=_NOTES,
    )
    facts: dict[str, Json] = of_payment(payment)
    if warning.row.fields.get("actionable") is False:
        facts["warning.actionable"] = False
    return drafted(material, payment, conclusion, facts)


_NOTES = (
    "A refund does not take the fraud report off the account's record.",
    'Never refunded as "fraudulent": that would put the card and the address on the block list.',
)


def _refund(payment: Payment) -> ActionDraft:
    amount = payment.money(payment.left_minor or 0)
    told = f"Refund all {amount} of the charge before it is disputed"
    return refund_what_is_left(payment, reason="requested_by_customer", description=told)


def _summary(payment: Payment, ruling: Ruling) -> str:
    opening = (
        f"A card issuer reports the payment of {payment.money(payment.amount_minor)} by {payment.customer_name} as "
        f"possible fraud. {capital('; '.join(ruling.reasons))}."
    )
    move = {
        DecisionKind.REFUND: f" Refund all {payment.money(payment.left_minor or 0)}.",
        DecisionKind.RECORD: " Nothing is paid.",
    }
    return opening + move.get(ruling.kind, " A person has to decide.")


def _question(payment: Payment, ruling: Ruling) -> str:
    left = payment.money(payment.left_minor or 0)
    if ruling.kind is DecisionKind.REFUND:
        return (
            f"Shall we give {left} back before the charge is disputed? It spares the fee of a dispute and its "
            "count; if the customer never meant to dispute it, the money is given away. The alternative is to wait and "
            "contest."
        )
    if ruling.kind is DecisionKind.RECORD:
        return f"Nothing is asked: {'; '.join(ruling.reasons)}."
    return (
        f"Shall {left} be given back before the charge is disputed? The rules could not decide it: "
        f"{'; '.join(ruling.reasons)}."
    )
