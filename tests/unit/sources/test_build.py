"""Rows become tables exactly, or the error says which table, row and column does not fit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from infra.sources.duckdb_files import DuckDbSources, build_database
from infra.sources.rows import shape
from shared.errors import InvalidInput
from shared.ports.sources import QueryFailed

Cells = Mapping[str, object]


def only(name: str, row: Cells) -> Cells:
    (shaped,) = shape(name, [row]).rows
    return shaped


def worked() -> float:
    """Seconds of processor time, ours and our children's: unlike the clock it does not count what others do."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("2026-04-12T09:00:00+02:00", "2026-04-12T07:00:00+00:00"),
        ("2026-04-12T09:00:00Z", "2026-04-12T09:00:00+00:00"),
        ("2026-04-12 09:00", "2026-04-12T09:00:00+00:00"),
        ("2026-04-12", "2026-04-12T00:00:00+00:00"),
        ("1776243600.000100", "2026-04-15T09:00:00.000100+00:00"),
        (1776243600, "2026-04-15T09:00:00+00:00"),
        (datetime(2026, 4, 12, 9, tzinfo=UTC), "2026-04-12T09:00:00+00:00"),
        (date(2026, 4, 12), "2026-04-12T00:00:00+00:00"),
        ("", None),
        (None, None),
    ],
)
def test_times_are_stored_in_utc(value: object, stored: object) -> None:
    assert only("slack.messages", {"ts": value})["ts"] == stored


@pytest.mark.parametrize(
    ("value", "stored"),
    [(100800.5, "100800.5"), (3, "3"), ("12.50", "12.50"), (Decimal("1E+3"), "1000"), (0.1, "0.1"), ("", None)],
)
def test_decimals_keep_the_digits_that_the_file_shows(value: object, stored: object) -> None:
    assert only("salesforce.accounts", {"arr": value})["arr"] == stored


def test_more_than_twelve_digits_after_the_point_are_rounded_half_even() -> None:
    assert only("datadog.monitors", {"threshold": 0.00000000000051})["threshold"] == "0.000000000001"


def test_texts_from_a_table_of_texts_become_the_types_of_the_catalogue() -> None:
    row = {"id": 7, "amount": "840000", "livemode": "TRUE", "created": "1778240700", "metadata": '{"a": 1}'}
    expected = {"id": "7", "amount": 840000, "livemode": True, "created": 1778240700, "metadata": {"a": 1}}
    assert only("stripe.disputes", row) == expected


@pytest.mark.parametrize(
    ("table", "row", "problem"),
    [
        ("stripe.charges", {"amount": "12.5"}, "stripe.charges, row 1, column amount: expected a whole number"),
        ("stripe.charges", {"amount": True}, "column amount: expected a number"),
        ("stripe.charges", {"amount": "ten"}, "column amount: expected a number"),
        ("stripe.charges", {"amount": 1 << 63}, "at most 64 bits"),
        ("stripe.charges", {"amount": Decimal("1e40")}, "at most 64 bits"),
        ("stripe.charges", {"paid": "yes"}, "column paid: expected true or false"),
        ("stripe.charges", {"paid": 1}, "column paid: expected true or false"),
        ("stripe.charges", {"created": "2026-04-12T09:00:00Z"}, "column created: expected a number"),
        ("zendesk.tickets", {"created_at": "yesterday"}, "column created_at: expected a time in ISO 8601"),
        ("zendesk.tickets", {"created_at": 1e300}, "column created_at: expected a time in ISO 8601"),
        ("zendesk.tickets", {"created_at": True}, "column created_at: expected a time in ISO 8601"),
        ("salesforce.accounts", {"arr": float("nan")}, "column arr: expected a finite number"),
        ("salesforce.accounts", {"arr": Decimal("1e30")}, "column arr: expected a number below 10^26"),
        ("stripe.charges", {"metadata": {"a": float("inf")}}, "column metadata: expected a value that JSON can hold"),
        ("stripe.charges", {"own": float("inf")}, "column own: expected a value that JSON can hold"),
        ("stripe.charges", {"Amount": 1}, "the columns 'amount' and 'Amount' are one name"),
        ("stripe.charges", {"": 1}, "are one name"),
    ],
)
def test_what_does_not_fit_is_named_by_table_row_and_column(table: str, row: Cells, problem: str) -> None:
    with pytest.raises(InvalidInput) as invalid:
        shape(table, [row])
    assert problem in str(invalid.value)


def test_the_row_is_counted_from_one_and_its_value_stays_out_of_the_error() -> None:
    with pytest.raises(InvalidInput, match=r"stripe\.charges, row 3, column amount") as invalid:
        shape("stripe.charges", [{"amount": 1}, {}, {"amount": "sensitive"}])
    assert "sensitive" not in str(invalid.value)


@pytest.mark.parametrize("name", ["charges", "main.charges", "a.b.c", 'stripe."x', "stripe.", "TEMP.x", "1a.b"])
def test_a_table_needs_a_system_and_a_plain_name(name: str) -> None:
    with pytest.raises(InvalidInput, match="is not a table name"):
        shape(name, [])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -2], "BIGINT"),
        ([1, 1 << 63], "DECIMAL(38,0)"),
        ([1, 0.125], "DECIMAL(38,3)"),
        ([True, False], "BOOLEAN"),
        ([True, 1], "VARCHAR"),
        (["2026-01-01T00:00:00Z", None], "TIMESTAMPTZ"),
        (["2026-01-01T00:00:00Z", "2026-01-01"], "VARCHAR"),
        (["2026-99-01T00:00:00Z"], "VARCHAR"),
        ([{"a": 1}, None], "JSON"),
        ([{"a": 1}, "x"], "JSON"),
        (["1", "2"], "VARCHAR"),
        ([1, "a"], "VARCHAR"),
        ([None], "VARCHAR"),
    ],
)
def test_the_type_of_an_unknown_column_is_the_narrowest_that_holds_it(values: list[object], kind: str) -> None:
    assert shape("custom.things", [{"x": value} for value in values]).columns["x"] == kind


def test_an_unknown_time_at_stripe_stays_text() -> None:
    assert shape("stripe.charges", [{"x": "2026-01-01T00:00:00Z"}]).columns["x"] == "VARCHAR"


def test_a_flattened_column_is_found_flat_or_nested_and_flat_wins() -> None:
    nested = {"evidence_details": {"due_by": 1}}
    assert only("stripe.disputes", nested)["evidence_details__due_by"] == 1
    assert only("stripe.disputes", nested | {"evidence_details__due_by": 2})["evidence_details__due_by"] == 2
    assert only("stripe.disputes", {"evidence_details": None})["evidence_details__due_by"] is None


def test_awkward_text_survives_the_way_in_and_out(tmp_path: Path) -> None:
    texts = ["", "'", '"', "\\", "a\nb\tc", "a\x00b", "🎻", "NULL", "[1", "{", "$1", "-- x", "\u2028"]
    rows: list[dict[str, object]] = [{"id": str(number), "body": text} for number, text in enumerate(texts)]
    build_database(tmp_path / "w.duckdb", {"intercom.conversation_parts": [*rows, {"id": "x", "body": "\ud800"}]})
    with DuckDbSources(tmp_path / "w.duckdb") as sources:
        result = sources.sql("SELECT body FROM intercom.conversation_parts WHERE id <> 'x' ORDER BY id::INT")
        assert [row["body"] for row in result.rows] == texts
        assert sources.sql("SELECT body FROM intercom.conversation_parts WHERE id = 'x'").rows == [{"body": "?"}]


def test_a_build_replaces_the_file_in_one_step_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new" / "it's.duckdb"
    for amount in (1, 2):
        build_database(path, {"stripe.charges": [{"id": "ch", "amount": amount}]})
        with DuckDbSources(path) as sources:
            assert sources.sql("SELECT amount FROM stripe.charges").rows == [{"amount": amount}]
    assert [entry.name for entry in path.parent.iterdir()] == ["it's.duckdb"]


def test_rows_that_do_not_fit_leave_the_old_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    build_database(path, {})
    before = path.read_bytes()
    with pytest.raises(InvalidInput):
        build_database(path, {"stripe.charges": [{"amount": "ten"}]})
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.duckdb"]


def test_two_names_that_are_one_table_in_sql_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="are one table in SQL"):
        build_database(tmp_path / "w.duckdb", {"Stripe.Charges": []})


def test_a_build_that_the_engine_cannot_finish_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.sources.build.child_command", lambda module: [sys.executable, "-c", "pass"])
    with pytest.raises(QueryFailed, match="the process that builds it was lost"):
        build_database(tmp_path / "w.duckdb", {})
    monkeypatch.undo()
    (tmp_path / "directory").mkdir()
    with pytest.raises(OSError, match="directory"):
        build_database(tmp_path / "directory", {})


def test_a_few_thousand_rows_cost_less_than_a_second_of_work(tmp_path: Path) -> None:
    events: list[dict[str, object]] = [
        {"id": f"e{n}", "timestamp": "2026-04-12T09:00:00+00:00", "properties": {"n": n}} for n in range(3000)
    ]
    before = worked()
    build_database(tmp_path / "w.duckdb", {"posthog.events": events})
    assert worked() - before < 1.5


def test_the_builder_without_an_order_does_nothing() -> None:
    command = [sys.executable, "-m", "infra.sources.builder"]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=20, check=True)
    assert done.stdout == b""
