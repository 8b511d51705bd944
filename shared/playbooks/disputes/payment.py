"""A charge that a case is about without being a dispute: who paid it, what is left of it, what else concerns it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.case.case import Case
from shared.case.evidence import Evidence
from shared.case.money import format_minor
from shared.playbooks.disputes import standing
from shared.playbooks.disputes.matter import Incomplete
from shared.playbooks.disputes.stages import Stage
from shared.ports.directory import Org
from shared.team.contract import Material
from shared.team.exhibits import Exhibits, text, whole
from shared.team.moments import moment


@dataclass(frozen=True, slots=True)
class Payment:
    """A charge, as evidence shows it. Amounts are minor units of its currency."""

    case: Case
    org: Org
    now: datetime
    exhibits: Exhibits
    charge: Evidence
    paid_at: datetime
    customer: Evidence | None
    disputes: tuple[Evidence, ...]
    warnings: tuple[Evidence, ...]
    refunds: tuple[Evidence, ...]

    @property
    def amount_minor(self) -> int:
        """The amount of the charge."""
        return whole(self.charge, "amount") or 0

    @property
    def left_minor(self) -> int | None:
        """Captured minus refunded; None when the charge does not say."""
        return standing.left_minor(self.charge)

    @property
    def currency(self) -> str:
        """The currency of the charge: refunds are made in it."""
        return text(self.charge, "currency").lower()

    @property
    def stage(self) -> Stage | None:
        """The stage of the dispute that decides about the money of the charge; None without any dispute."""
        return standing.strictest(self.disputes)

    @property
    def paid_lines(self) -> list[Evidence]:
        """The lines of the invoice that the charge paid."""
        return standing.lines_of(self.exhibits, self.charge)

    @property
    def customer_name(self) -> str:
        """What the customer is called, for people."""
        billed = text(self.charge, "billing_details__name")
        return (text(self.customer, "name") if self.customer else "") or billed or "the customer"

    def money(self, minor: int) -> str:
        """An amount of the charge's currency, for people: 89.00 USD."""
        return f"{format_minor(minor, self.currency)} {self.currency.upper()}"


def payment_of(material: Material, charge_id: str) -> Payment:
    """Read the charge. Raises Incomplete when it is missing or unreadable."""
    exhibits = Exhibits(material.evidence)
    charge = exhibits.one("stripe.charges", charge_id)
    if charge is None:
        raise Incomplete("the charge could not be read at Stripe")
    if not (whole(charge, "amount") or 0) > 0 or not text(charge, "currency"):
        raise Incomplete("the charge has no amount and currency that can be read")
    paid_at = moment(charge.row.fields.get("created"))
    if paid_at is None:
        raise Incomplete("the charge does not say when it was paid")
    return Payment(
        case=material.case,
        org=material.org,
        now=material.now,
        exhibits=exhibits,
        charge=charge,
        paid_at=paid_at,
        customer=exhibits.one("stripe.customers", text(charge, "customer")),
        disputes=tuple(standing.disputes_on(exhibits, charge)),
        warnings=tuple(standing.warnings_on(exhibits, charge)),
        refunds=tuple(standing.refunds_of(exhibits, charge)),
    )
