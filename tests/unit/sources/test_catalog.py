"""The catalogue is the page on the tables, as data."""

from __future__ import annotations

import pytest

from infra.sources import catalog
from infra.sources.catalog import COLUMN_TYPES, catalogue, nearest


def test_every_table_says_what_it_is_and_has_typed_columns_of_distinct_names() -> None:
    for name, table in catalogue().items():
        names = [column.name for column in table.columns]
        assert table.name == name
        assert table.description.endswith(".")
        assert len(names) == len(set(names)) > 0
        assert {column.type for column in table.columns} <= set(COLUMN_TYPES)


def test_times_are_seconds_at_stripe_and_timestamps_elsewhere() -> None:
    for name, table in catalogue().items():
        for column in table.columns:
            if column.name in {"created", "created_at", "timestamp", "resolved_at"}:
                assert column.type == ("integer" if name.startswith("stripe.") else "timestamp"), (name, column.name)


def test_amounts_at_stripe_are_whole_minor_units() -> None:
    for name, table in catalogue().items():
        amounts = [column for column in table.columns if "amount" in column.name and name.startswith("stripe.")]
        assert {column.type for column in amounts} <= {"integer"}


def test_the_tables_that_the_specialists_rely_on_are_there() -> None:
    assert len(catalogue()) == 47
    assert {"stripe.invoice_payments", "datadog.monitor_events", "manthan.episodes"} <= set(catalogue())


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("disputes", "stripe.disputes"),
        ("stripe.dispute", "stripe.disputes"),
        ("hubspot.accounts", "salesforce.accounts"),
        ("Zendesk.Ticket", "zendesk.tickets"),
    ],
)
def test_a_wrong_name_leads_to_the_right_one(name: str, found: str) -> None:
    assert nearest(name, catalogue())[0] == found


def test_a_name_like_nothing_leads_nowhere() -> None:
    assert nearest("qqqqq", catalogue()) == ()


def test_a_type_that_does_not_exist_is_an_error_of_the_data_file() -> None:
    with pytest.raises(ValueError, match="column id has the unknown type number"):
        catalog._columns("id number")
