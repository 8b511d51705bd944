"""`manthan bench --cloud`: what cases use at Google, through its front door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from infra.bench.minimum import ABOVE, MINIMUM, total
from infra.cli.main import cli
from infra.fakes.emulators import PUBSUB


@pytest.fixture
def counted(
    tmp_path: Path, firestore_host: None, pubsub_emulator: str, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    monkeypatch.setenv(PUBSUB.host_variable, pubsub_emulator)
    ended = CliRunner().invoke(cli, ["bench", "--cloud", "--data", str(tmp_path), "--json"])
    assert ended.exit_code == 0, ended.output
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def test_a_case_stays_under_forty_reads_and_writes_and_is_the_least_and_what_is_explained_above_it(
    counted: dict[str, Any],
) -> None:
    case, world = counted["cases"]
    assert case["reads"] < 40
    assert case["writes"] < 40
    assert case["deletes"] == 0
    explained = total((*MINIMUM, *ABOVE))
    assert {name: case[name] for name in explained} == explained
    assert case["deliveries"] == case["messages"] + case["tasks"], "each was delivered once"
    assert counted["minimum"]["reads"] == total(MINIMUM)["reads"]
    for account in (case, world):
        for operation in ("reads", "writes", "deletes"):
            assert sum(found.get(operation, 0) for found in account["by_collection"].values()) == account[operation]
    assert world["name"] == "aperture"
    assert world["tasks"] >= 5 + 1 + 6, "its specialists, their watchdog and its actions"


def test_without_the_emulators_it_ends_as_something_this_machine_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = CliRunner().invoke(cli, ["bench", "--cloud", "--data", str(tmp_path / "data"), "--json"])
    assert ended.exit_code == 3
    assert "Java" in json.loads(ended.stdout)["error"]["message"]
