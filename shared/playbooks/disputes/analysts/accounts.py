"""What Stripe holds about a customer: who they are, what they subscribe to, what was credited to them."""

from __future__ import annotations

from shared.playbooks.disputes import labels
from shared.team.literals import quote
from shared.team.tools import Tools

_SUBSCRIPTION = (
    "id, customer, status, start_date, current_period_start, current_period_end, trial_end, cancel_at, "
    "cancel_at_period_end, canceled_at, ended_at, cancellation_details__comment, cancellation_details__reason, "
    "price__id, price__nickname, price__unit_amount, price__interval, quantity"
)


def customer(tools: Tools, customer_id: str) -> None:
    """The customer and their subscriptions."""
    tools.gather(
        "the customer",
        "SELECT id, email, name, created, currency, balance, delinquent, tax_exempt, address__country "
        f"FROM stripe.customers WHERE id = {quote(customer_id)}",
        table="stripe.customers",
    )
    tools.gather(
        labels.SUBSCRIPTIONS,
        f"SELECT {_SUBSCRIPTION} FROM stripe.subscriptions WHERE customer = {quote(customer_id)}",
        table="stripe.subscriptions",
    )


def credits(tools: Tools, customer_id: str) -> None:
    """Credits on the customer's invoices, or the proof that there are none."""
    answer = tools.gather(
        "credits on invoices",
        "SELECT l.id, l.invoice, l.amount, l.currency, l.description FROM stripe.invoice_lines l "
        "JOIN stripe.invoices i ON i.id = l.invoice "
        f"WHERE i.customer = {quote(customer_id)} AND l.amount < 0",
        table="stripe.invoice_lines",
    )
    tools.absence(
        answer,
        table="stripe.invoice_lines",
        label=labels.NO_CREDIT,
        question="Was a credit ever booked on an invoice of this customer?",
    )
