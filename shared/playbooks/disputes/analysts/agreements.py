"""What was signed with a customer, at which prices, and where our invoices stand in their accounts payable."""

from __future__ import annotations

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.identity import Identity
from shared.team.contract import Job
from shared.team.literals import one_of, quote
from shared.team.tools import Tools


def ask(job: Job, tools: Tools, who: Identity) -> None:
    """Documents by the customer's id or domain, never by a name; then what hangs on them and on the invoice."""
    found = tools.gather(
        labels.AGREEMENTS,
        "SELECT a.id, a.customer, a.customer_domain, a.kind, a.number, a.title, a.signed_by, a.signed_at, "
        "a.countersigned_at, a.effective_from, a.effective_until, a.body FROM agreements.documents a "
        f"WHERE a.customer IN {one_of(filter(None, [who.customer]))} "
        f"OR lower(a.customer_domain) IN {one_of(who.domains)} ORDER BY a.signed_at, a.id",
        table="agreements.documents",
    )
    documents = [str(row["id"]) for row in found.rows]
    if documents:
        tools.gather(
            labels.PRICES,
            "SELECT r.id, r.agreement, r.price, r.unit_amount, r.currency FROM agreements.prices r "
            f"WHERE r.agreement IN {one_of(documents)} ORDER BY r.id",
            table="agreements.prices",
        )
    invoice = job.case.subject.id if job.case.subject.kind == "invoice" else job.case.text_fact("request.invoice")
    if invoice:
        tools.gather(
            labels.PORTAL,
            "SELECT u.id, u.invoice_number, u.customer_domain, u.purchase_order, u.status, u.reason, u.updated_at "
            f"FROM payables.submissions u WHERE lower(u.customer_domain) IN {one_of(who.domains)} "
            f"AND u.invoice_number = (SELECT i.number FROM stripe.invoices i WHERE i.id = {quote(invoice)}) "
            "ORDER BY u.updated_at, u.id",
            table="payables.submissions",
            untrusted=True,
        )
