"""The matter of a dispute as evidence shows it: the objects at Stripe, the customer's people, the billing cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from shared.case.actions import ActionKind, ActionState
from shared.case.case import Case
from shared.case.evidence import Cell, Evidence
from shared.case.money import format_minor
from shared.playbooks.disputes.billing import Cycle, cycle_of, main_line
from shared.playbooks.disputes.codes import NetworkCode
from shared.playbooks.disputes.current import current, rule_of
from shared.playbooks.disputes.identity import company_domains, host
from shared.playbooks.disputes.stages import Stage, stage_of
from shared.playbooks.disputes.standing import lines_of
from shared.ports.directory import Org
from shared.team.contract import Material
from shared.team.exhibits import Exhibits, text, whole
from shared.team.moments import moment


class Incomplete(Exception):
    """Something without which nothing can be decided is not among the evidence; the message names it."""


@dataclass(frozen=True, slots=True)
class Matter:
    """What is disputed, by whom, about which charge and cycle. Amounts are minor units of the row's currency."""

    case: Case
    org: Org
    now: datetime
    exhibits: Exhibits
    dispute: Evidence
    charge: Evidence
    paid_at: datetime
    customer: Evidence | None
    line: Evidence | None
    cycle: Cycle | None
    rule: NetworkCode
    stage: Stage
    emails: frozenset[str]
    domains: frozenset[str]
    now_at: Mapping[str, Cell]
    """The columns of the dispute that change, as they stand (current.py)."""

    @property
    def is_inquiry(self) -> bool:
        """Whether the bank only asks so far: no money has moved."""
        return self.stage is Stage.INQUIRY

    @property
    def was_inquiry(self) -> bool:
        """Whether this chargeback began as an inquiry: an answer given then is none to it."""
        return self.case.facts.get("dispute.escalated") is True

    @property
    def submissions(self) -> int:
        """How many times evidence went in, by the row, by an event, or by our own account."""
        counted = self.now_at["evidence_details__submission_count"]
        ours = sum(
            action.kind is ActionKind.STRIPE_SUBMIT_EVIDENCE and action.state is ActionState.SUCCEEDED
            for action in self.case.actions
        )
        return max(counted if isinstance(counted, int) else 0, ours)

    @property
    def disputed_minor(self) -> int:
        """The disputed amount."""
        return whole(self.dispute, "amount") or 0

    @property
    def dispute_currency(self) -> str:
        """The currency of the dispute, which need not be the charge's."""
        return text(self.dispute, "currency").lower()

    @property
    def paid_minor(self) -> int:
        """The amount of the charge."""
        return whole(self.charge, "amount") or 0

    @property
    def currency(self) -> str:
        """The currency of the charge: refunds are made in it."""
        return text(self.charge, "currency").lower()

    @property
    def customer_name(self) -> str:
        """What the customer is called, for people."""
        billed = text(self.charge, "billing_details__name")
        return (text(self.customer, "name") if self.customer else "") or billed or "the customer"

    @property
    def plan(self) -> str:
        """What was bought: by the line of the invoice, else by the charge."""
        bought = (text(self.line, "price__nickname") or text(self.line, "description")) if self.line else ""
        return bought or text(self.charge, "description") or "a charge"

    def is_theirs(self, address: str) -> bool:
        """Whether an e-mail address is one of the customer's people."""
        lowered = address.strip().lower()
        return lowered in self.emails or lowered.rpartition("@")[2] in self.domains

    def money(self, minor: int, currency: str | None = None) -> str:
        """An amount of the charge's currency, or of another one, for people: 8,400.00 USD."""
        code = currency or self.currency
        return f"{format_minor(minor, code)} {code.upper()}"


def matter_of(material: Material) -> Matter:
    """Read the matter. Raises Incomplete when the dispute or its charge is missing or unreadable."""
    exhibits = Exhibits(material.evidence)
    dispute = exhibits.one("stripe.disputes", material.case.subject.id)
    if dispute is None:
        raise Incomplete("the dispute itself could not be read at Stripe")
    charge = exhibits.one("stripe.charges", text(dispute, "charge"))
    if charge is None:
        raise Incomplete("the disputed charge could not be read at Stripe")
    _check_money(dispute, "the dispute")
    _check_money(charge, "the charge")
    paid_at = moment(charge.row.fields.get("created"))
    if paid_at is None:
        raise Incomplete("the charge does not say when it was paid")
    line = _paid_line(exhibits, charge)
    now_at = current(material.case, dispute.row.fields)
    emails, domains = people_of(exhibits, charge, material.org)
    return Matter(
        case=material.case,
        org=material.org,
        now=material.now,
        exhibits=exhibits,
        dispute=dispute,
        charge=charge,
        paid_at=paid_at,
        customer=exhibits.one("stripe.customers", text(charge, "customer")),
        line=line,
        cycle=cycle_of(line.row.fields) if line else None,
        rule=rule_of(now_at),
        stage=stage_of(now_at["status"]),
        emails=emails,
        domains=domains,
        now_at=now_at,
    )


def paid_lines(matter: Matter) -> list[Evidence]:
    """The lines of the invoice that the charge paid."""
    return lines_of(matter.exhibits, matter.charge)


def _check_money(item: Evidence, what: str) -> None:
    if not (whole(item, "amount") or 0) > 0 or not text(item, "currency"):
        raise Incomplete(f"{what} has no amount and currency that can be read")


def _paid_line(exhibits: Exhibits, charge: Evidence) -> Evidence | None:
    return main_line((line.row.fields, line) for line in lines_of(exhibits, charge))


def people_of(exhibits: Exhibits, charge: Evidence | None, org: Org) -> tuple[frozenset[str], frozenset[str]]:
    """The addresses and the domains of the customer's people, in lower case, as far as our records hold them."""
    payer = {text(charge, name).lower() for name in ("receipt_email", "billing_details__email")} if charge else set()
    payer |= {text(customer, "email").lower() for customer in exhibits.rows("stripe.customers")}
    contacts = {text(row, "email").lower() for row in exhibits.rows("hubspot.contacts", "salesforce.contacts")}
    sites = {host(text(row, "website", "domain")) for row in exhibits.rows("salesforce.accounts", "hubspot.companies")}
    domains = company_domains(payer | {f"@{site}" for site in sites if site}, org)
    return frozenset(payer | contacts) - {""}, domains
