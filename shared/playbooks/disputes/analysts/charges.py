"""What Stripe holds about charges: the charges themselves, what they paid, what came back, what is disputed of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.identity import lines_sql, paid_by
from shared.ports.sources import Row
from shared.team.literals import one_of, quote
from shared.team.tools import Tools

DISPUTE = (
    "d.id, d.amount, d.currency, d.charge, d.payment_intent, d.reason, d.status, d.created, d.is_charge_refundable, "
    "d.evidence_details__due_by, d.evidence_details__has_evidence, d.evidence_details__past_due, "
    "d.evidence_details__submission_count, d.payment_method_details__type, d.payment_method_details__card__brand, "
    "d.payment_method_details__card__case_type, d.payment_method_details__card__network_reason_code, "
    "d.payment_method_details__paypal__case_id, d.payment_method_details__paypal__reason_code, "
    "d.payment_method_details__klarna__reason_code"
)
CHARGE = (
    "id, amount, amount_captured, amount_refunded, currency, customer, payment_intent, description, disputed, "
    "refunded, status, created, receipt_email, statement_descriptor, billing_details__email, billing_details__name, "
    "billing_details__address__country, payment_method_details__card__brand, payment_method_details__card__last4, "
    "outcome__risk_level, outcome__network_status, payment_method_details__type, "
    "payment_method_details__card__authorization_code, payment_method_details__card__three_d_secure__result, "
    "payment_method_details__card__fingerprint, metadata"
)
INVOICE = (
    "i.id, i.number, i.customer, i.customer_email, i.status, i.total, i.subtotal, i.tax, i.total_taxes, i.amount_due, "
    "i.amount_paid, i.amount_remaining, i.pre_payment_credit_notes_amount, i.post_payment_credit_notes_amount, "
    "i.currency, i.due_date, i.attempt_count, i.next_payment_attempt, i.billing_reason, i.collection_method, "
    "i.custom_fields, i.subscription, i.status_transitions__finalized_at, i.hosted_invoice_url, i.created "
    "FROM stripe.invoices i"
)
"""Whoever reads an invoice first reads it for all: a record is handed over once."""


@dataclass(frozen=True, slots=True)
class Paid:
    """A charge by the two ids that other objects know it by."""

    charge: str
    intent: str | None

    @classmethod
    def of(cls, row: Row) -> Paid:
        """From the row of a charge."""
        intent = row.get("payment_intent")
        return cls(str(row.get("id") or ""), str(intent) if intent else None)


def one(tools: Tools, what: str, sql: str, *, table: str) -> Row:
    """The one row without which nothing else means anything. Raises QueryFailed; without a row it records a gap."""
    answer = tools.gather(what, sql, table=table, essential=True)
    if not answer.rows:
        tools.gap(what, f"{table} does not hold it")
        return {}
    return answer.rows[0]


def charge(tools: Tools, charge_id: str) -> Row:
    """One charge."""
    sql = f"SELECT {CHARGE} FROM stripe.charges WHERE id = {quote(charge_id)}"
    return one(tools, "the charge", sql, table="stripe.charges")


def invoices(tools: Tools, paid: Sequence[Paid]) -> None:
    """The invoices that charges paid, with their lines."""
    where = _any(paid_by(item.charge, item.intent) for item in paid)
    tools.gather(
        "what invoice the charge paid",
        "SELECT p.id, p.invoice, p.payment__type, p.payment__charge, p.payment__payment_intent, p.amount_paid, "
        f"p.currency, p.status FROM stripe.invoice_payments p WHERE {where}",
        table="stripe.invoice_payments",
    )
    tools.gather(
        "the invoice",
        f"SELECT {INVOICE} WHERE i.id IN (SELECT p.invoice FROM stripe.invoice_payments p WHERE {where})",
        table="stripe.invoices",
    )
    tools.gather(
        "the invoice lines",
        lines_sql(
            "l.id, l.invoice, l.amount, l.currency, l.description, l.quantity, l.period__start, l.period__end, "
            "l.subscription, l.price__id, l.price__nickname, l.price__unit_amount",
            where,
        ),
        table="stripe.invoice_lines",
    )


def returned(tools: Tools, paid: Sequence[Paid], label: str = labels.NO_REFUND) -> None:
    """Refunds of these charges, or the proof that there are none, under a label."""
    answer = tools.gather(
        "refunds of the charge",
        "SELECT r.id, r.amount, r.currency, r.charge, r.payment_intent, r.reason, r.status, r.failure_reason, "
        f"r.created, r.destination_details__card__reference FROM stripe.refunds r WHERE {_about('r', paid)}",
        table="stripe.refunds",
    )
    tools.absence(answer, table="stripe.refunds", label=label, question="Was any part of the charge refunded?")


def disputed(tools: Tools, paid: Sequence[Paid], customer: str | None, besides: str) -> None:
    """Other disputes: of these charges, and of any charge of the customer; or the proof that there are none."""
    theirs = f" OR c.customer = {quote(customer)}" if customer else ""
    answer = tools.gather(
        labels.DISPUTES,
        f"SELECT {DISPUTE} FROM stripe.disputes d LEFT JOIN stripe.charges c ON c.id = d.charge "
        f"WHERE ({_about('d', paid)}{theirs}) AND d.id <> {quote(besides)}",
        table="stripe.disputes",
    )
    tools.absence(
        answer,
        table="stripe.disputes",
        label=labels.NO_EARLIER_DISPUTE,
        question="Has this customer disputed any other charge?",
    )


def warned(tools: Tools, paid: Sequence[Paid]) -> None:
    """Early fraud warnings about these charges."""
    tools.gather(
        labels.WARNINGS,
        "SELECT w.id, w.charge, w.payment_intent, w.fraud_type, w.actionable, w.created "
        f"FROM stripe.early_fraud_warnings w WHERE {_about('w', paid)}",
        table="stripe.early_fraud_warnings",
    )


def ledger(tools: Tools, sources: Sequence[str]) -> None:
    """What these objects moved on the balance."""
    tools.gather(
        "what the dispute moved on the balance",
        "SELECT b.id, b.amount, b.fee, b.net, b.currency, b.exchange_rate, b.type, b.source, b.reporting_category, "
        f"b.created FROM stripe.balance_transactions b WHERE b.source IN {one_of(sources)}",
        table="stripe.balance_transactions",
    )


def _about(alias: str, paid: Sequence[Paid]) -> str:
    charges = f"{alias}.charge IN {one_of(item.charge for item in paid)}"
    intents = [item.intent for item in paid if item.intent]
    return f"({charges} OR {alias}.payment_intent IN {one_of(intents)})" if intents else charges


def _any(conditions: Iterable[str]) -> str:
    return "(" + (" OR ".join(conditions) or "1 = 0") + ")"
