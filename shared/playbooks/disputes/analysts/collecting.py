"""What Stripe holds about an invoice that failed to be paid: what is owed, and why the payment did not go through."""

from __future__ import annotations

from datetime import timedelta

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.analysts import accounts, charges
from shared.team.contract import Job
from shared.team.literals import quote
from shared.team.tools import Tools

LOOK_BACK, MOST_PAYMENTS = timedelta(days=366), 24
"""How far back, and how many of the customer's latest payments are read."""


def ask(job: Job, tools: Tools) -> None:
    """The invoice first, then every attempt to pay it: the payment intent and its failed charges."""
    which = quote(job.case.subject.id)
    invoice = charges.one(
        tools, "the invoice", f"SELECT {charges.INVOICE} WHERE i.id = {which}", table="stripe.invoices"
    )
    _attempts(tools, which)
    customer = invoice.get("customer") or job.case.text_fact("customer.id")
    if customer:
        accounts.customer(tools, str(customer))
        _paid_before(job, tools, str(customer))
        charges.disputed(tools, [], str(customer), job.case.subject.id)


def _paid_before(job: Job, tools: Tools, customer: str) -> None:
    """What went through in the past year: on which days of the month money was there."""
    since = int((job.now - LOOK_BACK).timestamp())
    tools.gather(
        labels.PAID_BEFORE,
        f"SELECT {charges.CHARGE} FROM stripe.charges WHERE customer = {quote(customer)} AND status = 'succeeded' "
        f"AND created >= {since} ORDER BY created DESC, id",
        table="stripe.charges",
        limit=MOST_PAYMENTS,
    )


def named(tools: Tools, invoice: str, customer: str) -> None:
    """An invoice that somebody names, if it is this customer's: with its lines, and what was paid of it."""
    which = quote(invoice)
    answer = tools.gather(
        "the invoice that they name",
        f"SELECT {charges.INVOICE} WHERE i.id = {which} AND i.customer = {quote(customer)}",
        table="stripe.invoices",
    )
    if answer.rows:
        _payments(tools, which)
        _lines(tools, which)


def _attempts(tools: Tools, which: str) -> None:
    """Every attempt to pay the invoice, and what it is for. `which`: its id as a literal."""
    _payments(tools, which)
    payments = f"(SELECT p.payment__payment_intent FROM stripe.invoice_payments p WHERE p.invoice = {which})"
    # All columns: why a charge failed stands in columns that only some accounts' data has.
    tools.gather(
        "the attempts to pay",
        f"SELECT c.* FROM stripe.charges c WHERE c.payment_intent IN {payments} OR c.id IN (SELECT p.payment__charge "
        f"FROM stripe.invoice_payments p WHERE p.invoice = {which}) ORDER BY c.created DESC, c.id",
        table="stripe.charges",
        limit=20,
    )
    tools.gather(
        "the payment intents",
        f"SELECT n.* FROM stripe.payment_intents n WHERE n.id IN {payments}",
        table="stripe.payment_intents",
    )
    _lines(tools, which)


def _payments(tools: Tools, which: str) -> None:
    tools.gather(
        "the payments of the invoice",
        "SELECT p.id, p.invoice, p.payment__type, p.payment__charge, p.payment__payment_intent, p.amount_paid, "
        f"p.currency, p.status FROM stripe.invoice_payments p WHERE p.invoice = {which}",
        table="stripe.invoice_payments",
    )


def _lines(tools: Tools, which: str) -> None:
    tools.gather(
        "the invoice lines",
        "SELECT l.id, l.invoice, l.amount, l.currency, l.description, l.quantity, l.period__start, l.period__end, "
        "l.subscription, l.price__id, l.price__nickname, l.price__unit_amount "
        f"FROM stripe.invoice_lines l WHERE l.invoice = {which}",
        table="stripe.invoice_lines",
    )
