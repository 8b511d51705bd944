"""Payments analyst: what was charged, for what, what has been returned, and who disputed before."""

from __future__ import annotations

from collections.abc import Callable

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.analysts import accounts, charges, collecting, history, twins
from shared.playbooks.disputes.analysts.charges import Paid
from shared.playbooks.disputes.identity import dispute_id, identify
from shared.ports.sources import Row
from shared.team.contract import Job
from shared.team.literals import one_of, quote
from shared.team.tools import Tools

MOST_CHARGES = 50
"""How many of a customer's latest charges are read for a request that names none."""


def ask(job: Job, tools: Tools) -> None:
    """The object of the case first: without it nothing else means anything."""
    _OF_SUBJECT[job.case.subject.kind](job, tools)


def _of_dispute(job: Job, tools: Tools) -> None:
    dispute = charges.one(
        tools,
        "the dispute",
        f"SELECT {charges.DISPUTE} FROM stripe.disputes d WHERE d.id = {quote(dispute_id(job))}",
        table="stripe.disputes",
    )
    _of_charge(job, tools, str(dispute.get("charge") or job.case.text_fact("charge.id") or ""), dispute)


def _of_warning(job: Job, tools: Tools) -> None:
    warning = charges.one(
        tools,
        "the early fraud warning",
        "SELECT id, charge, payment_intent, fraud_type, actionable, created FROM stripe.early_fraud_warnings "
        f"WHERE id = {quote(job.case.subject.id)}",
        table="stripe.early_fraud_warnings",
    )
    _of_charge(job, tools, str(warning.get("charge") or job.case.text_fact("charge.id") or ""))


def _of_charge(job: Job, tools: Tools, charge_id: str, dispute: Row | None = None) -> None:
    charge = charges.charge(tools, charge_id)
    paid = [Paid(charge_id, Paid.of(charge).intent)]
    charges.invoices(tools, paid)
    charges.returned(tools, paid)
    charges.ledger(tools, [job.case.subject.id, charge_id])
    customer = charge.get("customer")
    if customer:
        accounts.customer(tools, str(customer))
        accounts.credits(tools, str(customer))
    if dispute is not None:
        paid += history.ask(job, tools, dispute, charge)
        others = twins.ask(job, tools, charge)
        if others:
            charges.invoices(tools, others)
            charges.returned(tools, others, labels.NO_TWIN_REFUND)
        paid += others
    charges.disputed(tools, paid, str(customer) if customer else None, job.case.subject.id)
    charges.warned(tools, paid)


def _of_request(job: Job, tools: Tools) -> None:
    """The customer's latest charges: whoever decides finds the one that is meant among them."""
    who = identify(tools, job)
    if not who.customer:
        tools.gap("whose request this is", "neither the request nor its sender leads to one customer at Stripe")
        return
    accounts.customer(tools, who.customer)
    named = job.case.text_fact("request.invoice")
    if named:
        collecting.named(tools, named, who.customer)
    rows = _charges_of(tools, who.customer)
    paid = [Paid.of(row) for row in rows]
    charges.invoices(tools, paid)
    charges.returned(tools, paid)
    charges.disputed(tools, paid, who.customer, job.case.subject.id)
    charges.warned(tools, paid)
    accounts.credits(tools, who.customer)


def _charges_of(tools: Tools, customer: str) -> tuple[Row, ...]:
    answer = tools.gather(
        labels.CHARGES,
        f"SELECT {charges.CHARGE} FROM stripe.charges WHERE customer IN {one_of([customer])} ORDER BY created DESC, id",
        table="stripe.charges",
        essential=True,
        limit=MOST_CHARGES,
    )
    return answer.rows[:MOST_CHARGES]


_OF_SUBJECT: dict[str, Callable[[Job, Tools], None]] = {
    "dispute": _of_dispute,
    "early_fraud_warning": _of_warning,
    "invoice": collecting.ask,
    "request": _of_request,
}
