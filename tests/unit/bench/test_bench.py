from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from infra.bench.floor import Floor
from infra.cli.main import cli

NAMES = [
    "cases_per_second",
    "cpu_ms_per_case",
    "latency_p50_specialists_0ms",
    "latency_p95_specialists_0ms",
    "latency_p50_specialists_50ms",
    "latency_p95_specialists_50ms",
    "bytes_per_case",
    "commits_per_case",
    "flushes_per_case",
    "writes_per_case",
]


def test_a_run_gives_every_number_beside_the_floors_in_one_document(tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli, ["bench", "--cases", "3", "--data", str(tmp_path), "--json"])
    assert ended.exit_code == 0, ended.output
    document = json.loads(ended.stdout)
    assert list(document) == ["results"]
    assert [result["name"] for result in document["results"]] == NAMES
    for result in document["results"]:
        assert list(result) == ["name", "value", "unit", "reference", "ratio"]
        numbers = (result["value"], result["reference"], result["ratio"])
        assert all(isinstance(number, float) and math.isfinite(number) and number > 0 for number in numbers), result
        assert result["ratio"] == pytest.approx(result["value"] / result["reference"], rel=0.01, abs=0.002)
    flushes = next(result for result in document["results"] if result["name"] == "flushes_per_case")
    assert flushes["reference"] == 12
    assert "3 cases at once" in ended.stderr


def test_without_json_a_table_explains_itself_and_says_how_durable_the_default_is(tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli, ["bench", "--cases", "1", "--data", str(tmp_path)])
    assert ended.exit_code == 0, ended.output
    for name in NAMES:
        row = next(line for line in ended.stdout.splitlines() if line.startswith(name))
        assert row.rstrip().endswith("."), row
    assert "durable to power loss" in ended.stdout
    assert "synchronous=FULL" in ended.stdout


def test_a_run_leaves_nothing_behind(tmp_path: Path) -> None:
    CliRunner().invoke(cli, ["bench", "--cases", "1", "--data", str(tmp_path / "new"), "--json"])
    assert list((tmp_path / "new").iterdir()) == []


def test_a_run_that_did_not_settle_every_case_gives_no_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Floor, "resolved", lambda floor: 0)
    ended = CliRunner().invoke(cli, ["bench", "--cases", "1", "--data", str(tmp_path), "--json"])
    assert ended.exit_code == 1
    assert json.loads(ended.stdout)["error"]["code"] == "bench_failed"


@pytest.mark.parametrize("cases", ["0", "-1", "many"])
def test_a_number_of_cases_that_makes_no_sense_is_a_usage_error(cases: str, tmp_path: Path) -> None:
    ended = CliRunner().invoke(cli, ["bench", "--cases", cases, "--data", str(tmp_path), "--json"])
    assert ended.exit_code == 2
    assert json.loads(ended.stdout)["error"]["code"] == "usage"
