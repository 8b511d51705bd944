"""An invoice beside the price that was signed: the difference exactly, or a person."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from shared.case.actions import ActionKind
from shared.case.brief import DecisionKind
from shared.case.evidence import Cell, Gap
from shared.playbooks.disputes import labels
from tests.unit.disputes.dossier import Dossier
from tests.unit.disputes.test_contractual_sla import body, credit
from tests.unit.disputes.test_variants import escalates

PAGE, DOCUMENT, PRICE = "signed-prices", "agreements.documents", "agreements.prices"
INVOICE, LINE, ASKED = "stripe.invoices", "stripe.invoice_lines", "manthan.requests"


@pytest.fixture
def dear(investigated: Callable[..., Dossier]) -> Dossier:
    """42 seats at the price of the rate table, not at the one that was signed."""
    return investigated("bracken")


def record(dossier: Dossier, table: str, **fields: Cell) -> str:
    """The id of the one row of a table that has these fields."""
    (found,) = [
        item.row.record_id
        for item in dossier.evidence
        if item.row.table == table and all(item.row.fields.get(name) == value for name, value in fields.items())
    ]
    return found


def signed(dossier: Dossier, **fields: Cell) -> Dossier:
    """With the addendum that counts changed."""
    return dossier.changed(DOCUMENT, record(dossier, DOCUMENT, number="OF-2024-118-P1"), **fields)


def agreed(dossier: Dossier, **fields: Cell) -> Dossier:
    """With the price that counts changed."""
    return dossier.changed(PRICE, record(dossier, PRICE, unit_amount=12650), **fields)


def seats(dossier: Dossier, **fields: Cell) -> Dossier:
    """With the line of the seats changed."""
    return dossier.changed(LINE, record(dossier, LINE, quantity=42), **fields)


def test_the_difference_is_credited_and_billing_puts_the_price_right(dear: Dossier) -> None:
    assert credit(dear) == 42 * (14900 - 12650)
    note, _, ticket = dear.draft().actions[:3]
    assert note.kind is ActionKind.STRIPE_CREDIT_NOTE
    assert ticket.target == "billing-ops@formwright.example"
    assert "42 at 149.00 USD instead of 126.50 USD" in body(dear)


def test_the_second_invoice_that_bills_what_was_signed_is_right(dear: Dossier) -> None:
    escalates(seats(dear, price__unit_amount=12650, amount=42 * 12650), "the invoice bills the price that was signed")
    escalates(agreed(dear, unit_amount=14900), "the invoice bills the price that was signed")


def test_an_invoice_that_bills_less_goes_to_a_person(dear: Dossier) -> None:
    escalates(agreed(dear, unit_amount=20000), "bills less than was signed")


@pytest.mark.parametrize(
    "fields",
    [
        {"countersigned_at": None},
        {"countersigned_at": "2026-07-02T00:00:00Z"},
        {"effective_from": "2026-07-02T00:00:00Z"},
        {"effective_until": "2026-07-01T00:00:00Z"},
        {"kind": "order_form"},
    ],
)
def test_only_what_both_signed_and_was_in_effect_counts(dear: Dossier, fields: dict[str, Cell]) -> None:
    escalates(signed(dear, **fields), "no pricing_addendum in effect names a price of this invoice")


def test_two_documents_that_name_different_prices_go_to_a_person(dear: Dossier) -> None:
    proposal = record(dear, DOCUMENT, number="OF-2024-118-P2")
    both = dear.changed(
        DOCUMENT, proposal, countersigned_at="2026-06-30T00:00:00Z", effective_from="2026-06-30T00:00:00Z"
    )
    escalates(both, "two signed documents name different prices")


def test_several_lines_are_added(dear: Dossier) -> None:
    addendum = record(dear, DOCUMENT, number="OF-2024-118-P1")
    storage = next(str(item.row.fields["price__id"]) for item in dear.evidence if item.row.fields.get("quantity") == 1)
    more: dict[str, Cell] = {"agreement": addendum, "price": storage, "unit_amount": 5000, "currency": "usd"}
    assert credit(dear.added(PRICE, "agp_more", more)) == 42 * 2250 + 3000


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"quantity": 41}, "is not so many units at its price"),
        ({"price__unit_amount": None}, "is not so many units at its price"),
    ],
)
def test_a_line_that_does_not_add_up_goes_to_a_person(dear: Dossier, change: dict[str, Cell], why: str) -> None:
    escalates(seats(dear, **change), why)


def test_a_price_in_another_currency_or_one_not_read_goes_to_a_person(dear: Dossier) -> None:
    escalates(agreed(dear, currency="gbp"), "not in the currency of the invoice")
    escalates(dear.with_gaps(Gap(specialist="x", what=labels.PRICES, why="down")), "could not be read whole")


@pytest.mark.parametrize(("asked", "counts"), [("2026-09-29T00:05:00Z", True), ("2026-09-29T00:05:01Z", False)])
def test_the_ninetieth_day_is_inside(dear: Dossier, asked: str, counts: bool) -> None:
    late = dear.changed(ASKED, received_at=asked)
    if counts:
        assert credit(late) == 94_500
    else:
        assert late.brief().decision.kind is DecisionKind.DECLINE


def test_a_rule_with_an_unknown_value_is_read_by_a_person(dear: Dossier) -> None:
    escalates(dear.ruled(PAGE, billed_too_little="invoice"), "billed_too_little: invoice")
    escalates(dear.ruled(PAGE, instrument="charge_refund"), "instrument: charge_refund")
