"""What specialists get when they ask: rows in one notation per type, caps that are flagged, errors that help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from infra.sources.catalog import catalogue
from infra.sources.duckdb_files import DuckDbSources
from infra.sources.links import Links
from shared.errors import NotFound
from shared.ports.sources import Column, QueryRefused, Value
from tests.unit.sources.conftest import EVENTS
from tests.unit.sources.statements import ATTACKS, HONEST


def one(sources: DuckDbSources, expression: str) -> Value:
    (row,) = sources.sql(f"SELECT {expression} AS value").rows
    return row["value"]


@pytest.mark.parametrize("sql", HONEST.values(), ids=HONEST)
def test_honest_analysis_is_answered(sources: DuckDbSources, sql: str) -> None:
    assert sources.sql(sql).columns


@pytest.mark.parametrize("sql", ATTACKS.values(), ids=ATTACKS)
def test_an_attack_is_refused(sources: DuckDbSources, sql: str) -> None:
    with pytest.raises(QueryRefused):
        sources.sql(sql)


def test_a_row_is_read_by_column_name(sources: DuckDbSources) -> None:
    result = sources.sql("SELECT id, amount, is_charge_refundable, reason FROM stripe.disputes WHERE id = 'dp_7'")
    assert result.columns == ("id", "amount", "is_charge_refundable", "reason")
    assert list(result.rows) == [{"id": "dp_7", "amount": 840007, "is_charge_refundable": False, "reason": None}]
    assert result.tables == ("stripe.disputes",)
    assert not result.truncated


def test_the_order_of_the_query_is_kept(sources: DuckDbSources) -> None:
    result = sources.sql("SELECT id FROM stripe.disputes ORDER BY amount DESC LIMIT 2 OFFSET 1")
    assert [row["id"] for row in result.rows] == ["dp_599", "dp_598"]


def test_nested_values_are_json_text_and_flattened_where_the_catalogue_says(sources: DuckDbSources) -> None:
    (row,) = sources.sql(
        "SELECT metadata, evidence_details, evidence_details__due_by, "
        "payment_method_details__card__network_reason_code AS code FROM stripe.disputes WHERE id = 'dp_1'"
    ).rows
    assert row == {
        "metadata": '{"order":{"lines":[1,2.5,null]}}',
        "evidence_details": '{"due_by":1779451199,"has_evidence":false,"submission_count":0}',
        "evidence_details__due_by": 1779451199,
        "code": "13.3",
    }


def test_times_outside_stripe_compare_as_times_and_come_back_in_utc(sources: DuckDbSources) -> None:
    (row,) = sources.sql(
        "SELECT min(timestamp) AS first, count(*) AS n FROM posthog.events WHERE timestamp < '2026-04-12 00:00:00+00'"
    ).rows
    assert row == {"first": "2026-04-11T22:00:00+00:00", "n": 63}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("TIMESTAMPTZ '2026-04-12 09:00:00+02'", "2026-04-12T07:00:00+00:00"),
        ("TIMESTAMP '2026-04-12 09:00:00.25'", "2026-04-12T09:00:00.25+00:00"),
        ("to_timestamp(1778240700)", "2026-05-08T11:45:00+00:00"),
        ("DATE '2026-04-12'", "2026-04-12"),
        ("INTERVAL '36 hours'", "36:00:00"),
        ("TIMESTAMPTZ 'infinity'", "infinity"),
        ("9223372036854775807", 9223372036854775807),
        ("9223372036854775807::HUGEINT * 2", 18446744073709551614),
        ("1.50::DECIMAL(10, 2)", "1.5"),
        ("-0.00::DECIMAL(10, 2)", "0"),
        ("100::DECIMAL(10, 2)", "100"),
        ("0.1::DOUBLE + 0.2::DOUBLE", "0.30000000000000004"),
        ("1e20::DOUBLE", "100000000000000000000"),
        ("1e-7::DOUBLE", "0.0000001"),
        ("'NaN'::DOUBLE", None),
        ("7 / 2", "3.5"),
        ("true", True),
        ("NULL", None),
        ("'{\"a\": 1}'::JSON", '{"a": 1}'),
        ("array_agg(1)", "[1]"),
        ("'Zoë 🎻'", "Zoë 🎻"),
        ("1 / 0", None),
    ],
)
def test_a_cell_has_one_notation(sources: DuckDbSources, expression: str, value: Value) -> None:
    assert one(sources, expression) == value
    assert type(one(sources, expression)) is type(value)


def test_fractions_of_money_come_back_as_exact_decimal_strings(sources: DuckDbSources) -> None:
    rows = sources.sql("SELECT id, arr, annual_revenue, arr / 12 AS month FROM salesforce.accounts ORDER BY id").rows
    assert [(row["arr"], row["annual_revenue"]) for row in rows] == [("100800.5", "2500000"), ("0", None)]
    assert sources.sql("SELECT sum(arr) AS total FROM salesforce.accounts").rows[0]["total"] == "100800.5"


def test_ids_are_text_and_quotes_survive(sources: DuckDbSources) -> None:
    (row,) = sources.sql("SELECT id, name, owner_started_at FROM salesforce.accounts WHERE id = '8'").rows
    assert row == {"id": "8", "name": "Björn's \"Café\" \\ 'x'", "owner_started_at": "2026-04-12T00:00:00+00:00"}


def test_a_known_table_that_the_world_lacks_is_empty_and_a_missing_column_is_null(sources: DuckDbSources) -> None:
    for name, table in catalogue().items():
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        sources.sql(f"SELECT {columns} FROM {name} LIMIT 1")
    assert sources.sql("SELECT count(*) AS n FROM zendesk.tickets").rows == [{"n": 0}]
    assert sources.sql("SELECT receipt_email FROM stripe.charges").rows == [{"receipt_email": None}]


def test_what_the_catalogue_does_not_know_is_there_too(sources: DuckDbSources) -> None:
    assert sources.describe_table("custom.things").columns == (
        Column("id", "text"),
        Column("n", "integer"),
        Column("at", "timestamp"),
        Column("deep", "json"),
        Column("share", "decimal"),
    )
    (row,) = sources.sql("SELECT * FROM custom.things").rows
    assert row == {"id": "t1", "n": 3, "at": "2026-01-01T00:00:00+00:00", "deep": '{"a":[1]}', "share": "0.1"}


def test_the_catalogue_lists_every_table_with_its_rows(sources: DuckDbSources) -> None:
    listed = {table.name: table.rows for table in sources.list_catalog()}
    assert list(listed) == sorted({*catalogue(), "custom.things"})
    assert (listed["stripe.disputes"], listed["posthog.events"], listed["zendesk.tickets"]) == (600, EVENTS, 0)


def test_a_table_is_described_as_the_catalogue_describes_it(sources: DuckDbSources) -> None:
    described = sources.describe_table("Stripe.Refunds")
    assert described.description == catalogue()["stripe.refunds"].description
    assert described.columns == catalogue()["stripe.refunds"].columns


def test_an_unknown_table_is_answered_with_the_nearest(sources: DuckDbSources) -> None:
    with pytest.raises(NotFound, match=r"'stripe\.dispute'; nearest: stripe\.disputes"):
        sources.describe_table("stripe.dispute")


def test_more_rows_than_the_cap_are_cut_and_flagged(sources: DuckDbSources) -> None:
    result = sources.sql("SELECT id FROM stripe.disputes ORDER BY amount")
    assert (len(result.rows), result.truncated) == (500, True)
    assert result.rows[-1] == {"id": "dp_500"}


def test_exactly_as_many_rows_as_the_cap_are_not_flagged(sources: DuckDbSources) -> None:
    result = sources.sql("SELECT id FROM stripe.disputes ORDER BY amount LIMIT 500")
    assert (len(result.rows), result.truncated) == (500, False)


def test_more_bytes_than_the_cap_are_cut_and_flagged(database: Path) -> None:
    with DuckDbSources(database, max_bytes=2000) as small:
        result = small.sql("SELECT id, metadata FROM stripe.disputes")
        assert result.truncated
        assert 20 < len(result.rows) < 60
        with pytest.raises(QueryRefused, match="one row is over 2000 bytes"):
            small.sql("SELECT string_agg(id, ',') FROM stripe.disputes")


def test_a_column_that_is_not_there_is_refused_with_the_nearest(sources: DuckDbSources) -> None:
    with pytest.raises(QueryRefused, match=r'"amout" not found.*\n?.*"amount"'):
        sources.sql("SELECT amout FROM stripe.disputes")


@pytest.mark.parametrize(
    ("sql", "advice"),
    [
        ("SELECT name::INT FROM salesforce.accounts", "use TRY_CAST"),
        ("SELECT amount * 9223372036854775807 FROM stripe.disputes", "outside what a function takes"),
        ("SELECT json_extract(name, '$.a') FROM salesforce.accounts", "outside what a function takes"),
    ],
)
def test_an_error_over_values_quotes_none(sources: DuckDbSources, sql: str, advice: str) -> None:
    with pytest.raises(QueryRefused, match=advice) as refused:
        sources.sql(sql)
    assert not any(word in str(refused.value) for word in ("Acme", "Björn", "840001"))


def test_columns_of_the_same_name_stay_apart(sources: DuckDbSources) -> None:
    result = sources.sql(
        "SELECT d.id, c.id, d.amount AS id_1 FROM stripe.disputes d JOIN stripe.charges c ON c.id = d.charge"
    )
    assert len(set(result.columns)) == 3
    assert list(result.rows[0].values()) == ["dp_1", "ch_1", 840001]


def test_records_link_to_where_they_came_from(database: Path) -> None:
    with DuckDbSources(database, links=Links(test_mode=True)) as sources:
        assert sources.link("stripe.disputes", "dp_1") == "https://dashboard.stripe.com/test/disputes/dp_1"


def test_the_parent_never_loads_the_engine_and_loads_the_parser_only_for_a_query(database: Path) -> None:
    script = """
import sys
from pathlib import Path
from infra.sources.duckdb_files import DuckDbSources
with DuckDbSources(Path(sys.argv[1])) as sources:
    sources.list_catalog()
    assert "sqlglot" not in sys.modules
    sources.sql("SELECT id FROM stripe.disputes")
assert not {"duckdb", "_duckdb"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script, str(database)], check=True, timeout=30)
