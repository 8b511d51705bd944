"""One period billed by two sides: by two customers at Stripe, or by Stripe and by the ledger before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction

from shared.case.evidence import Evidence
from shared.case.money import exponent
from shared.playbooks.disputes.billing import Cycle
from shared.playbooks.disputes.matter import Matter
from shared.playbooks.disputes.policy_rules.double_billing import LEGACY, ORPHAN, DoubleBilling
from shared.playbooks.disputes.standing import disputes_on, left_minor
from shared.playbooks.disputes.twins import Side, equals, side_of
from shared.team.exhibits import decimal, text
from shared.team.moments import moment

CONTACTS: dict[str, tuple[str, ...]] = {
    "salesforce": ("salesforce.contacts",),
    "hubspot": ("hubspot.contacts",),
    "any": ("salesforce.contacts", "hubspot.contacts"),
}
"""Where the people of the CRM that counts are."""


@dataclass(frozen=True, slots=True)
class Double:
    """The disputed charge and what billed the same period beside it.

    `kind`: whether the disputed charge is of the ledger before Stripe, of a customer the CRM does not know, or of the
    side that stands (empty). `entries`: rows of the ledger that concern it.
    """

    kind: str
    disputed: Side
    other: Side | None
    period: Cycle
    entries: tuple[Evidence, ...]
    unreturned: tuple[Evidence, ...]
    """What else of the same side billed a period twice, is not disputed and was not returned."""

    @property
    def rows(self) -> tuple[Evidence, ...]:
        """Everything that shows it."""
        return (*self.disputed.rows, *(self.other.rows if self.other else ()), *self.entries)


def double(matter: Matter, rule: DoubleBilling) -> Double | None:
    """The double that the disputed charge is part of, if any."""
    return _of_ledger(matter, rule) or _of_customers(matter, rule) or _beside_ledger(matter, rule)


def _of_ledger(matter: Matter, rule: DoubleBilling) -> Double | None:
    """The disputed charge is the ledger's, collected through Stripe, and Stripe's own billing took the same period."""
    entry = next((row for row in _ledger(matter) if text(row, "stripe_charge") == matter.charge.row.record_id), None)
    period = _period(entry) if entry else None
    if entry is None or period is None or not _is_amount(matter, entry):
        return None
    stands = next((side for side in equals(matter) if side.cycle and _enough(period, side.cycle, rule)), None)
    if stands is None:
        return None
    others = _other_entries(matter, entry, rule)
    return Double(LEGACY, side_of(matter, matter.charge), stands, period, (entry,), others)


def _beside_ledger(matter: Matter, rule: DoubleBilling) -> Double | None:
    """The disputed charge is Stripe's own, and the ledger took the same period by itself."""
    ours = side_of(matter, matter.charge)
    if ours.cycle is None:
        return None
    entries = tuple(
        row
        for row in _ledger(matter)
        if (period := _period(row)) is not None and _enough(period, ours.cycle, rule) and _is_amount(matter, row)
    )
    return Double("", ours, None, ours.cycle, entries, ()) if entries else None


def _of_customers(matter: Matter, rule: DoubleBilling) -> Double | None:
    """Two customers at Stripe, one company: the one that the CRM does not know is the orphan."""
    ours = side_of(matter, matter.charge)
    mine = text(matter.charge, "customer")
    others = [
        side
        for side in equals(matter)
        if text(side.charge, "customer") != mine
        and ours.cycle is not None
        and side.cycle is not None
        and _enough(ours.cycle, side.cycle, rule)
    ]
    if ours.cycle is None or not others:
        return None
    orphaned = not is_known(matter, mine, rule) and is_known(matter, text(others[0].charge, "customer"), rule)
    left = _other_charges(matter, mine, rule) if orphaned else ()
    return Double(ORPHAN if orphaned else "", ours, others[0], ours.cycle, (), left)


def is_known(matter: Matter, customer: str, rule: DoubleBilling) -> bool:
    """Whether the CRM that counts holds the address of a customer at Stripe as a contact."""
    found = matter.exhibits.one("stripe.customers", customer)
    address = text(found, "email").lower() if found else ""
    contacts = matter.exhibits.rows(*CONTACTS[rule.known_in])
    return address != "" and any(text(row, "email").lower() == address for row in contacts)


def _other_charges(matter: Matter, customer: str, rule: DoubleBilling) -> tuple[Evidence, ...]:
    """Other charges of the orphan for a period that another customer of the company was billed for as well."""
    sides = equals(matter)
    stands = [side.cycle for side in sides if side.cycle and text(side.charge, "customer") != customer]
    return tuple(
        side.charge
        for side in sides
        if text(side.charge, "customer") == customer
        and side.cycle is not None
        and any(_enough(side.cycle, cycle, rule) for cycle in stands)
        and left_minor(side.charge) != 0
        and not disputes_on(matter.exhibits, side.charge)
    )


def _other_entries(matter: Matter, entry: Evidence, rule: DoubleBilling) -> tuple[Evidence, ...]:
    """Other rows of the ledger that took a period which Stripe billed as well."""
    cycles = [side.cycle for side in equals(matter) if side.cycle is not None]
    return tuple(
        row
        for row in _ledger(matter)
        if row.index != entry.index
        and (period := _period(row)) is not None
        and text(row, "status").lower() not in ("refunded", "void", "failed")
        and any(_enough(period, cycle, rule) for cycle in cycles)
    )


def _ledger(matter: Matter) -> list[Evidence]:
    return matter.exhibits.rows("legacy_billing.charges")


def _period(row: Evidence) -> Cycle | None:
    start, end = (moment(row.row.fields.get(name)) for name in ("period_start", "period_end"))
    return Cycle(start, end) if start and end and start < end else None


def _enough(one: Cycle, other: Cycle, rule: DoubleBilling) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared >= timedelta(days=rule.overlap_min_days)


def _is_amount(matter: Matter, entry: Evidence) -> bool:
    """Whether the ledger, which counts in major units, names the amount of the disputed charge."""
    amount = decimal(entry.row.fields.get("amount"))
    same = text(entry, "currency").lower() == matter.currency
    return same and amount is not None and amount * 10 ** exponent(matter.currency) == Fraction(matter.paid_minor)
