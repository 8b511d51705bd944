"""Payments analyst: what was charged, for what, what has been returned, and who disputed before."""

from __future__ import annotations

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.identity import dispute_id, lines_sql, paid_by
from shared.ports.sources import Row
from shared.team.contract import Job
from shared.team.literals import quote
from shared.team.tools import Tools

_DISPUTE = (
    "d.id, d.amount, d.currency, d.charge, d.payment_intent, d.reason, d.status, d.created, d.is_charge_refundable, "
    "d.evidence_details__due_by, d.evidence_details__has_evidence, d.evidence_details__past_due, "
    "d.evidence_details__submission_count, d.payment_method_details__type, d.payment_method_details__card__brand, "
    "d.payment_method_details__card__case_type, d.payment_method_details__card__network_reason_code"
)
_CHARGE = (
    "id, amount, amount_captured, amount_refunded, currency, customer, payment_intent, description, disputed, "
    "refunded, status, created, receipt_email, statement_descriptor, billing_details__email, billing_details__name, "
    "billing_details__address__country, payment_method_details__card__brand, payment_method_details__card__last4, "
    "outcome__risk_level, payment_method_details__card__three_d_secure__result"
)
_SUBSCRIPTION = (
    "id, customer, status, start_date, current_period_start, current_period_end, cancel_at, cancel_at_period_end, "
    "canceled_at, ended_at, cancellation_details__comment, cancellation_details__reason, price__id, price__nickname, "
    "price__unit_amount, price__interval, quantity"
)


def ask(job: Job, tools: Tools) -> None:
    """The object itself first: without the dispute and its charge nothing else means anything."""
    dispute = _one(
        tools,
        "the dispute",
        f"SELECT {_DISPUTE} FROM stripe.disputes d WHERE d.id = {quote(dispute_id(job))}",
        table="stripe.disputes",
    )
    charge_id = dispute.get("charge") or job.case.text_fact("charge.id") or ""
    charge = _one(
        tools,
        "the charge",
        f"SELECT {_CHARGE} FROM stripe.charges WHERE id = {quote(str(charge_id))}",
        table="stripe.charges",
    )
    intent, customer = charge.get("payment_intent"), charge.get("customer")
    _invoice(tools, str(charge_id), str(intent) if intent else None)
    _returned(tools, str(charge_id), str(intent) if intent else None)
    _ledger(job, tools, str(charge_id))
    if customer:
        _customer(tools, str(customer))
        _earlier_disputes(job, tools, str(customer))


def _one(tools: Tools, what: str, sql: str, *, table: str) -> Row:
    answer = tools.gather(what, sql, table=table, essential=True)
    if not answer.rows:
        tools.gap(what, f"{table} does not hold it")
        return {}
    return answer.rows[0]


def _invoice(tools: Tools, charge: str, intent: str | None) -> None:
    where = paid_by(charge, intent)
    tools.gather(
        "what invoice the charge paid",
        "SELECT p.id, p.invoice, p.payment__type, p.payment__charge, p.payment__payment_intent, p.amount_paid, "
        f"p.currency, p.status FROM stripe.invoice_payments p WHERE {where}",
        table="stripe.invoice_payments",
    )
    tools.gather(
        "the invoice",
        "SELECT i.id, i.number, i.customer, i.status, i.total, i.subtotal, i.tax, i.amount_paid, i.currency, "
        "i.billing_reason, i.created FROM stripe.invoices i WHERE i.id IN "
        f"(SELECT p.invoice FROM stripe.invoice_payments p WHERE {where})",
        table="stripe.invoices",
    )
    tools.gather(
        "the invoice lines",
        lines_sql(
            "l.id, l.invoice, l.amount, l.currency, l.description, l.quantity, l.period__start, l.period__end, "
            "l.subscription, l.price__id, l.price__nickname, l.price__unit_amount",
            charge,
            intent,
        ),
        table="stripe.invoice_lines",
    )


def _returned(tools: Tools, charge: str, intent: str | None) -> None:
    by_intent = f" OR r.payment_intent = {quote(intent)}" if intent else ""
    answer = tools.gather(
        "refunds of the charge",
        "SELECT r.id, r.amount, r.currency, r.charge, r.payment_intent, r.reason, r.status, r.failure_reason, "
        f"r.created FROM stripe.refunds r WHERE r.charge = {quote(charge)}{by_intent}",
        table="stripe.refunds",
    )
    tools.absence(
        answer, table="stripe.refunds", label=labels.NO_REFUND, question="Was any part of the charge refunded?"
    )


def _ledger(job: Job, tools: Tools, charge: str) -> None:
    tools.gather(
        "what the dispute moved on the balance",
        "SELECT b.id, b.amount, b.fee, b.net, b.currency, b.exchange_rate, b.type, b.source, b.reporting_category, "
        f"b.created FROM stripe.balance_transactions b WHERE b.source IN ({quote(dispute_id(job))}, {quote(charge)})",
        table="stripe.balance_transactions",
    )


def _customer(tools: Tools, customer: str) -> None:
    tools.gather(
        "the customer",
        "SELECT id, email, name, created, currency, balance, delinquent, address__country "
        f"FROM stripe.customers WHERE id = {quote(customer)}",
        table="stripe.customers",
    )
    tools.gather(
        "the subscriptions",
        f"SELECT {_SUBSCRIPTION} FROM stripe.subscriptions WHERE customer = {quote(customer)}",
        table="stripe.subscriptions",
    )
    credits = tools.gather(
        "credits on invoices",
        "SELECT l.id, l.invoice, l.amount, l.currency, l.description FROM stripe.invoice_lines l "
        "JOIN stripe.invoices i ON i.id = l.invoice "
        f"WHERE i.customer = {quote(customer)} AND l.amount < 0",
        table="stripe.invoice_lines",
    )
    tools.absence(
        credits,
        table="stripe.invoice_lines",
        label=labels.NO_CREDIT,
        question="Was a credit ever booked on an invoice of this customer?",
    )


def _earlier_disputes(job: Job, tools: Tools, customer: str) -> None:
    answer = tools.gather(
        "earlier disputes of the customer",
        f"SELECT {_DISPUTE} FROM stripe.disputes d JOIN stripe.charges c ON c.id = d.charge "
        f"WHERE c.customer = {quote(customer)} AND d.id <> {quote(dispute_id(job))}",
        table="stripe.disputes",
    )
    tools.absence(
        answer,
        table="stripe.disputes",
        label=labels.NO_EARLIER_DISPUTE,
        question="Has this customer disputed any other charge?",
    )
