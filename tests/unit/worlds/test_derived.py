"""What a world's Stripe objects say need not be written out as rows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from infra.sources.catalog import catalogue
from infra.worlds import find_world, load_world, shipped_worlds
from infra.worlds.consistency import TABLE_OF, disagreements
from infra.worlds.derived import with_stripe_rows
from infra.worlds.documents import Json
from infra.worlds.tables import Tables
from tests.unit.worlds.conftest import Write

INVOICE: Json = {
    "id": "in_1",
    "object": "invoice",
    "customer": "cus_1",
    "currency": "usd",
    "status": "open",
    "amount_due": 500,
    "parent": {"subscription_details": {"subscription": "sub_1"}},
    "lines": {"data": [{"id": "il_1", "amount": 500, "currency": "usd", "period": {"start": 10, "end": 90}}]},
}


def test_an_object_without_a_row_gets_one_with_the_defaults_of_its_kind() -> None:
    tables = with_stripe_rows({}, [{"id": "ch_1", "object": "charge", "amount": 9000, "currency": "usd"}])
    (row,) = tables["stripe.charges"]
    assert {
        "id": "ch_1",
        "amount": 9000,
        "amount_captured": 9000,
        "amount_refunded": 0,
        "paid": True,
    }.items() <= row.items()


def test_values_are_found_where_the_object_holds_them_and_lines_become_rows() -> None:
    tables = with_stripe_rows({}, [INVOICE])
    (invoice,), (line,) = tables["stripe.invoices"], tables["stripe.invoice_lines"]
    assert (invoice["subscription"], invoice["amount_remaining"]) == ("sub_1", 500)
    assert (line["invoice"], line["period__start"], line["period__end"]) == ("in_1", 10, 90)


def test_payments_held_by_an_invoice_and_lines_of_their_own_become_rows() -> None:
    payment: Json = {"id": "inpay_1", "payment": {"type": "charge", "charge": "ch_1"}, "amount_paid": 500}
    line: Json = {"id": "il_2", "object": "line_item", "invoice": "in_1", "amount": 5, "period": {"start": 1, "end": 2}}
    tables = with_stripe_rows({}, [{**INVOICE, "payments": {"data": [payment]}}, line])
    (paid,) = tables["stripe.invoice_payments"]
    assert (paid["invoice"], paid["payment__charge"]) == ("in_1", "ch_1")
    assert [(row["id"], row["invoice"]) for row in tables["stripe.invoice_lines"]] == [
        ("il_1", "in_1"),
        ("il_2", "in_1"),
    ]


def test_what_an_older_version_of_stripe_holds_at_the_top_is_found_there() -> None:
    older: Json = {
        "id": "sub_1",
        "object": "subscription",
        "customer": "cus_1",
        "status": "active",
        "current_period_end": 9,
    }
    (row,) = with_stripe_rows({}, [older])["stripe.subscriptions"]
    assert row["current_period_end"] == 9


def test_a_row_that_is_written_out_stands_as_it_is() -> None:
    written: Tables = {"stripe.invoices": [{"id": "in_1", "number": "A-7"}]}
    assert with_stripe_rows(written, [INVOICE])["stripe.invoices"] == [{"id": "in_1", "number": "A-7"}]
    assert written == {"stripe.invoices": [{"id": "in_1", "number": "A-7"}]}


def test_a_world_without_a_row_for_its_dispute_has_one(write: Write) -> None:
    facts = load_world(write({"sources/stripe/disputes.jsonl": None})).facts
    assert [(row["id"], row["amount"]) for row in facts["stripe.disputes"]] == [("du_1", 9000)]


@pytest.mark.parametrize("name", shipped_worlds())
def test_the_rows_of_a_shipped_world_could_be_left_out(name: str, tmp_path: Path) -> None:
    root = Path(shutil.copytree(find_world(name), tmp_path / name))
    written = load_world(root).facts
    objects = {str(found["id"]) for found in load_world(root).stripe_objects}
    for table in set(TABLE_OF.values()):
        (root / "sources" / "stripe" / f"{table.split('.')[1]}.jsonl").unlink(missing_ok=True)
    world = load_world(root)
    assert list(disagreements(world.facts, world.stripe_objects)) == []
    for table in set(TABLE_OF.values()) & written.keys():
        derived = {str(row["id"]): row for row in world.facts.get(table, [])}
        for row in written[table]:
            if row["id"] in objects:
                known = {column.name for column in catalogue()[table].columns}
                given = {column: value for column, value in row.items() if value is not None and column in known}
                assert {column: derived[str(row["id"])].get(column) for column in given} == given
