"""Who the customer of a case is, across systems: by ids and e-mail addresses, never by how a company's name looks.

The object of the case -> charge -> customer -> e-mail -> its domain, unless a public provider's or our own -> CRM
account -> contacts. Companies with similar names are other companies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from shared.case.case import Case
from shared.playbooks.disputes import labels
from shared.playbooks.disputes.billing import Cycle, cycle_of, main_line
from shared.playbooks.disputes.providers import is_public
from shared.ports.directory import Org
from shared.ports.sources import Row
from shared.team.contract import Job
from shared.team.literals import one_of, quote
from shared.team.moments import moment
from shared.team.tools import Answer, Tools


@dataclass(frozen=True, slots=True)
class Identity:
    """A customer and the disputed charge. Addresses and domains are in lower case."""

    charge: str
    payment_intent: str | None
    customer: str | None
    paid_at: datetime | None
    emails: frozenset[str]
    domains: frozenset[str]
    names: frozenset[str]
    salesforce_accounts: frozenset[str]
    hubspot_companies: frozenset[str]
    crm: Answer
    """What the CRMs hold of this customer."""

    def wrote(self, column: str) -> str:
        """SQL: whether the address in a column is one of this customer's people."""
        # An address at one of the domains needs no mention of its own: a company may have hundreds.
        others = [email for email in self.emails if email.rpartition("@")[2] not in self.domains]
        whole = f"lower({column}) IN {one_of(others)}"
        return f"({whole} OR split_part(lower({column}), '@', 2) IN {one_of(self.domains)})"


def dispute_id(job: Job) -> str:
    """The dispute of a job."""
    return job.case.subject.id


def identify(tools: Tools, job: Job) -> Identity:
    """Look the customer up. Raises QueryFailed when the charge cannot be read; the rest degrades into gaps."""
    charge = _charge(tools, job)
    addresses = _addresses(charge[name] for name in ("email", "receipt_email", "billing_details__email"))
    domains = company_domains(addresses, job.org)
    crm = _accounts(tools, addresses, domains)
    accounts = crm.rows
    # A contact may work elsewhere, at an agency: only the address of a contact is the customer's, not its domain.
    known = addresses | _addresses(row["contact_email"] for row in accounts)
    sites = frozenset(f"@{host(str(row['site']))}" for row in accounts if row["site"])
    return Identity(
        charge=str(charge["id"]),
        payment_intent=_text(charge["payment_intent"]),
        customer=_text(charge["customer"]),
        paid_at=moment(charge["created"]),
        emails=known,
        domains=domains | company_domains(sites, job.org),
        names=frozenset(str(name) for name in [charge["name"], *(row["name"] for row in accounts)] if name),
        salesforce_accounts=frozenset(str(row["id"]) for row in accounts if row["crm"] == "salesforce"),
        hubspot_companies=frozenset(str(row["id"]) for row in accounts if row["crm"] == "hubspot"),
        crm=crm,
    )


def company_domains(addresses: Iterable[str], org: Org) -> frozenset[str]:
    """The domains that belong to the customer's company: not a public provider's, and not the org's own."""
    ours = {member.email.lower().rpartition("@")[2] for member in org.members}
    found = {address.rpartition("@")[2] for address in addresses if "@" in address}
    return frozenset(domain for domain in found if "." in domain and domain not in ours and not is_public(domain))


def is_staff(address: str, org: Org) -> bool:
    """Whether an address is one of the merchant's own people: a member, or at a domain of the merchant's company."""
    lowered = address.strip().lower()
    members = {member.email.lower() for member in org.members}
    ours = {domain for member in members if not is_public(domain := member.rpartition("@")[2])}
    return lowered in members or lowered.rpartition("@")[2] in ours


def host(website: str) -> str:
    """The bare host name of a website or domain as a CRM holds it."""
    text = website.strip().lower()
    found = urlsplit(text if "//" in text else f"//{text}").hostname or ""
    return found.removeprefix("www.")


_CHARGE = ("id", "payment_intent", "customer", "created", "receipt_email", "billing_details__email", "email", "name")


def _charge(tools: Tools, job: Job) -> Row:
    """The charge of the case with its customer; of a case that names no charge, the customer alone."""
    which = _which_charge(job.case)
    if which is None:
        return _payer(tools, job.case)
    answer = tools.ask(
        "the disputed charge",
        "SELECT c.id, c.payment_intent, c.customer, c.created, c.receipt_email, c.billing_details__email, "
        "k.email, k.name FROM stripe.charges c LEFT JOIN stripe.customers k ON k.id = c.customer "
        f"WHERE c.id = {which}",
        essential=True,
    )
    if not answer.rows:
        tools.gap("the disputed charge", "Stripe's data holds no charge for this dispute")
        return {**dict.fromkeys(_CHARGE), "id": job.case.text_fact("charge.id") or ""}
    return answer.rows[0]


_OBJECTS = {"dispute": "stripe.disputes", "early_fraud_warning": "stripe.early_fraud_warnings"}
"""Objects that name a charge, and where they are."""


def _which_charge(case: Case) -> str | None:
    """SQL for the id of the charge that a case is about; None where it names none."""
    if case.subject.kind in _OBJECTS:
        known = case.text_fact("charge.id")
        table, subject = _OBJECTS[case.subject.kind], quote(case.subject.id)
        return quote(known) if known else f"(SELECT charge FROM {table} WHERE id = {subject})"
    named = case.text_fact("request.charge")
    return quote(named) if named else None


def _payer(tools: Tools, case: Case) -> Row:
    nobody: Row = {**dict.fromkeys(_CHARGE), "id": ""}
    customer, sender = case.text_fact("customer.id"), case.text_fact("request.from") or ""
    if case.subject.kind == "invoice":
        which = f"k.id = (SELECT i.customer FROM stripe.invoices i WHERE i.id = {quote(case.subject.id)})"
    else:
        which = f"k.id = {quote(customer)}" if customer else f"lower(k.email) = {quote(sender.strip().lower())}"
    answer = tools.ask(
        "the customer of the case",
        f"SELECT k.id AS customer, k.email, k.name FROM stripe.customers k WHERE {which}",
        essential=True,
    )
    if len(answer.rows) > 1:
        tools.gap("which customer this is", f"{len(answer.rows)} customers at Stripe have this address")
    return {**nobody, **answer.rows[0]} if len(answer.rows) == 1 else nobody


def _accounts(tools: Tools, addresses: frozenset[str], domains: frozenset[str]) -> Answer:
    """CRM accounts with their contacts' addresses, one row each. Several accounts can be one logical company."""
    answer = tools.ask(labels.CRM, _accounts_sql(addresses, domains))
    rows = tuple(row for row in answer.rows if row["by_contact"] or host(str(row["site"] or "")) in domains)
    return Answer(answer.sql, rows, answer.ok, answer.truncated)


def _accounts_sql(addresses: frozenset[str], domains: frozenset[str]) -> str:
    # A website is compared loosely here and exactly in the caller: CRMs hold it in many spellings.
    site = " OR ".join(f"strpos(lower({{site}}), {quote(domain)}) > 0" for domain in sorted(domains)) or "1 = 0"
    person = f"(lower(email) IN {one_of(addresses)} OR split_part(lower(email), '@', 2) IN {one_of(domains)})"
    sides = (
        ("salesforce", "salesforce.accounts", "salesforce.contacts", "account_id", "a.website"),
        ("hubspot", "hubspot.companies", "hubspot.contacts", "company_id", "a.domain"),
    )
    return " UNION ALL ".join(
        f"SELECT '{crm}' AS crm, a.id, a.name, {column} AS site, c.email AS contact_email, "
        f"(p.{key} IS NOT NULL) AS by_contact FROM {accounts} a LEFT JOIN {contacts} c ON c.{key} = a.id "
        f"LEFT JOIN (SELECT DISTINCT {key} FROM {contacts} WHERE {person}) p ON p.{key} = a.id "
        f"WHERE p.{key} IS NOT NULL OR {site.format(site=column)}"
        for crm, accounts, contacts, key, column in sides
    )


def billing_cycle(tools: Tools, who: Identity) -> Cycle | None:
    """The cycle that the charge paid for; None when no invoice line has one."""
    answer = tools.ask(
        "the billing cycle of the charge",
        lines_sql("l.id, l.amount, l.period__start, l.period__end", paid_by(who.charge, who.payment_intent)),
    )
    line = main_line((row, row) for row in answer.rows)
    return cycle_of(line) if line else None


def lines_sql(columns: str, paid: str) -> str:
    """The invoice lines (`l`) that a charge paid for; `paid` is the condition on its invoice payments (`paid_by`)."""
    return (
        f"SELECT {columns} FROM stripe.invoice_lines l WHERE l.invoice IN "
        f"(SELECT p.invoice FROM stripe.invoice_payments p WHERE {paid})"
    )


def paid_by(charge: str, payment_intent: str | None) -> str:
    """SQL: whether an invoice payment (`p`) is this charge."""
    by_charge = f"p.payment__charge = {quote(charge)}"
    if payment_intent is None:
        return by_charge
    return f"({by_charge} OR p.payment__payment_intent = {quote(payment_intent)})"


def _addresses(cells: Iterable[object]) -> frozenset[str]:
    return frozenset(cell.strip().lower() for cell in cells if isinstance(cell, str) and "@" in cell)


def _text(cell: object) -> str | None:
    return cell if isinstance(cell, str) and cell else None
