"""The rows that specialists read and the objects that `act` meets: every difference is found."""

from __future__ import annotations

import pytest

from infra.worlds.consistency import disagreements
from infra.worlds.documents import Json
from infra.worlds.tables import Row

SUBSCRIPTION: Json = {
    "id": "sub_1",
    "object": "subscription",
    "status": "active",
    "items": {"data": [{"current_period_end": 90, "price": {"nickname": "Team", "recurring": {"interval": "month"}}}]},
}
INVOICE: Json = {
    "id": "in_1",
    "object": "invoice",
    "parent": {"subscription_details": {"subscription": "sub_1"}},
    "lines": {"data": [{"id": "il_1", "invoice": "in_1", "amount": 5, "period": {"start": 10, "end": 90}}]},
}
LINE: Row = {"id": "il_1", "invoice": "in_1", "amount": 5, "period__start": 10, "period__end": 90}


def found(table: str, row: Row, *objects: Json) -> list[str]:
    return list(disagreements({table: [row]}, objects))


@pytest.mark.parametrize(
    "row",
    [
        {"status": "active", "current_period_end": 90, "price__nickname": "Team", "price__interval": "month"},
        {"current_period_end": "90", "cancel_at": None},
    ],
)
def test_a_value_that_the_tables_show_elsewhere_is_compared_where_it_is(row: Row) -> None:
    assert found("stripe.subscriptions", {"id": "sub_1"} | row, SUBSCRIPTION) == []


def test_a_column_that_the_object_does_not_have_is_a_difference() -> None:
    assert found("stripe.subscriptions", {"id": "sub_1", "trial_end": 7}, SUBSCRIPTION) == [
        "stripe.subscriptions: sub_1: trial_end is 7 in sources/ and None in stripe/"
    ]


def test_a_cell_of_a_csv_file_is_compared_as_text() -> None:
    charge: Json = {"id": "ch_1", "object": "charge", "amount": 5, "paid": True, "refunded": False}
    row: Row = {"id": "ch_1", "amount": "5", "paid": "true", "refunded": "true"}
    assert found("stripe.charges", row, charge) == [
        "stripe.charges: ch_1: refunded is 'true' in sources/ and False in stripe/"
    ]


def test_the_lines_of_an_invoice_are_rows_of_their_own() -> None:
    invoices: list[Row] = [{"id": "in_1", "subscription": "sub_1"}]
    tables = {"stripe.invoices": invoices, "stripe.invoice_lines": [LINE]}
    assert list(disagreements(tables, [INVOICE])) == []
    tables["stripe.invoice_lines"] = [LINE | {"period__end": 91}]
    assert list(disagreements(tables, [INVOICE])) == [
        "stripe.invoice_lines: il_1: period__end is 91 in sources/ and 90 in stripe/"
    ]
    tables["stripe.invoice_lines"] = []
    assert list(disagreements(tables, [INVOICE])) == ["stripe.invoice_lines has no row for the line il_1 of in_1"]


def test_an_object_of_a_kind_without_a_table_is_nobodys_business() -> None:
    assert list(disagreements({}, [{"id": "pm_1", "object": "payment_method"}])) == []
