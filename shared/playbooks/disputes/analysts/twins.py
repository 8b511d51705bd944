"""Other charges of the same company around a charge that is disputed as a double: at Stripe and before Stripe."""

from __future__ import annotations

from datetime import timedelta

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.analysts import accounts, charges
from shared.playbooks.disputes.analysts.charges import Paid
from shared.playbooks.disputes.codes import Family
from shared.playbooks.disputes.current import family_of
from shared.playbooks.disputes.identity import identify
from shared.ports.sources import Row
from shared.team.contract import Job
from shared.team.literals import instant, one_of, quote
from shared.team.moments import moment
from shared.team.tools import Tools

APART = timedelta(days=45)
"""How far from the disputed charge another one is looked for: a monthly bill and a little more."""

MOST_CHARGES = 60
_MOST_CUSTOMERS = 5


def ask(job: Job, tools: Tools, charge: Row) -> list[Paid]:
    """The other charges, for a claim of a double alone; the caller reads what they paid and what came back of them."""
    customer, paid_at = charge.get("customer"), moment(charge.get("created"))
    if family_of(job.case) is not Family.DUPLICATE or not customer or paid_at is None:
        return []
    who = identify(tools, job)
    others = tools.gather(
        labels.OTHER_CUSTOMERS,
        "SELECT k.id, k.email, k.name, k.created, k.currency, k.balance, k.description FROM stripe.customers k "
        f"WHERE {who.wrote('k.email')} AND k.id <> {quote(str(customer))} ORDER BY k.created, k.id",
        table="stripe.customers",
        limit=_MOST_CUSTOMERS,
    )
    theirs = [str(customer), *(str(row["id"]) for row in others.rows[:_MOST_CUSTOMERS])]
    for other in theirs[1:]:
        accounts.customer(tools, other)
    since, until = int((paid_at - APART).timestamp()), int((paid_at + APART).timestamp())
    answer = tools.gather(
        labels.TWINS,
        f"SELECT {charges.CHARGE} FROM stripe.charges WHERE customer IN {one_of(theirs)} AND status = 'succeeded' "
        f"AND created >= {since} AND created <= {until} AND id <> {quote(str(charge['id']))} ORDER BY created, id",
        table="stripe.charges",
        limit=MOST_CHARGES,
    )
    tools.absence(
        answer,
        table="stripe.charges",
        label=labels.NO_TWIN,
        question=f"Did this company pay any other charge within {APART.days} days of the disputed one?",
    )
    company = f"lower(g.company) IN {one_of(name.lower() for name in who.names)}"
    legacy = tools.gather(
        labels.LEDGER,
        "SELECT g.id, g.customer_email, g.company, g.amount, g.currency, g.created_at, g.period_start, g.period_end, "
        f"g.status, g.system, g.stripe_charge FROM legacy_billing.charges g WHERE ({who.wrote('g.customer_email')} OR "
        f"{company} OR g.stripe_charge = {quote(str(charge['id']))}) AND g.created_at >= {instant(paid_at - APART)} "
        f"AND g.created_at <= {instant(paid_at + APART)} ORDER BY g.created_at, g.id",
        table="legacy_billing.charges",
        limit=MOST_CHARGES,
    )
    tools.absence(
        legacy,
        table="legacy_billing.charges",
        label=labels.NO_LEDGER,
        question="Did the billing system before Stripe charge this company at that time?",
    )
    return [Paid.of(row) for row in answer.rows[:MOST_CHARGES]]
