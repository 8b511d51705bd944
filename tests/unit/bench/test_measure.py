from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from infra.bench.contender import BenchFailed
from infra.bench.counting import TrafficCounter, file_size
from infra.bench.measure import percentile
from infra.bench.pipeline import Pipeline


@pytest.mark.parametrize(
    ("share", "expected"),
    [(50, 5), (95, 10), (100, 10), (1, 1)],
)
def test_a_percentile_is_one_of_the_values(share: int, expected: int) -> None:
    assert percentile([10, 9, 8, 7, 6, 5, 4, 3, 2, 1], share) == expected


def test_only_transactions_under_full_count_as_flushed(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "some.db", isolation_level=None)
    counter = TrafficCounter()
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE things (name TEXT)")
    connection.set_trace_callback(counter)
    for level in ("NORMAL", "FULL"):
        connection.execute(f"PRAGMA synchronous={level}")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO things VALUES ('one')")
        connection.execute("UPDATE things SET name = 'two'")
        connection.execute("SELECT name FROM things")
        connection.execute("COMMIT")
    connection.close()
    assert (counter.traffic.transactions, counter.traffic.flushed, counter.traffic.writes) == (2, 1, 4)


def test_the_size_is_what_the_file_has_once_its_log_is_checkpointed(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "some.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE things (name TEXT)")
    connection.execute("INSERT INTO things VALUES (?)", ("x" * 100_000,))
    size = file_size(connection)
    assert (tmp_path / "some.db").stat().st_size < size
    connection.close()
    assert (tmp_path / "some.db").stat().st_size == size


def test_a_refused_event_ends_the_run_instead_of_being_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Pipeline(tmp_path) as pipeline:
        monkeypatch.setattr("infra.bench.pipeline._SECRET", "whsec_another")
        with pytest.raises(BenchFailed, match="the webhook answered 400"):
            pipeline.prepare([1])()
