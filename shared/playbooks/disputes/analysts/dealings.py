"""What was agreed with a customer outside of Stripe: deals, what staff wrote to them, the register of VAT numbers."""

from __future__ import annotations

from shared.playbooks.disputes import labels
from shared.playbooks.disputes.identity import Identity, is_staff
from shared.team.contract import Job
from shared.team.literals import one_of
from shared.team.tools import Answer, Tools

MOST_EMAILS = 60
_SIGNED = "d.signed_by, d.signed_title, d.signed_at, d.envelope_id, d.quantity"


def ask(job: Job, tools: Tools, who: Identity) -> None:
    """Deals and letters of the customer's CRM accounts, and what the register says of their numbers."""
    deals(tools, who)
    if who.salesforce_accounts:
        _vat_checks(tools, who)
    emails(job, tools, who)


def emails(job: Job, tools: Tools, who: Identity) -> None:
    """The letters between the customer's people and ours, as the CRM keeps them."""
    tools.gather(
        labels.EMAILS,
        "SELECT m.id, m.company_id, m.from_email, m.to_email, m.subject, m.body, m.sent_at FROM hubspot.emails m "
        f"WHERE m.company_id IN {one_of(who.hubspot_companies)} OR {who.wrote('m.to_email')} "
        f"OR {who.wrote('m.from_email')} ORDER BY m.sent_at DESC, m.id",
        table="hubspot.emails",
        untrusted=lambda row: not is_staff(str(row["from_email"] or ""), job.org),
        limit=MOST_EMAILS,
    )


def deals(tools: Tools, who: Identity) -> Answer:
    """The deals in either CRM, with who signed them. The answer holds all of them and is `ok` if both CRMs answered."""
    answers = []
    if who.salesforce_accounts:
        answers.append(
            tools.gather(
                labels.DEALS,
                "SELECT d.id, d.account_id, d.name, d.stage, d.amount, d.close_date, d.is_won, d.description, "
                f"{_SIGNED} FROM salesforce.opportunities d WHERE d.account_id IN {one_of(who.salesforce_accounts)} "
                "ORDER BY d.close_date, d.id",
                table="salesforce.opportunities",
            )
        )
    if who.hubspot_companies:
        answers.append(
            tools.gather(
                labels.DEALS,
                "SELECT d.id, d.company_id, d.dealname, d.dealstage, d.amount, d.closedate, d.description, "
                f"{_SIGNED} FROM hubspot.deals d WHERE d.company_id IN {one_of(who.hubspot_companies)} "
                "ORDER BY d.closedate, d.id",
                table="hubspot.deals",
            )
        )
    rows = tuple(row for answer in answers for row in answer.rows)
    ok = bool(answers) and all(answer.ok for answer in answers)
    cut = any(answer.truncated for answer in answers)
    return Answer("; ".join(answer.sql for answer in answers), rows, ok, cut)


def _vat_checks(tools: Tools, who: Identity) -> None:
    tools.gather(
        labels.VAT_CHECKS,
        "SELECT v.id, v.vat_id, v.country, v.valid, v.name, v.address, v.checked_at, v.consultation_number "
        "FROM tax.vies_checks v JOIN salesforce.accounts a "
        "ON replace(replace(upper(v.vat_id), ' ', ''), '.', '') = replace(replace(upper(a.vat_id), ' ', ''), '.', '') "
        f"WHERE a.id IN {one_of(who.salesforce_accounts)} ORDER BY v.checked_at, v.id",
        table="tax.vies_checks",
    )
