from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from infra.cli.main import cli
from shared.errors import Refused
from shared.steps import people
from shared.steps.metrics import METRICS
from tests.support.rig import ORG, VERA, Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A data folder as a command leaves it, with a case that waits for people."""
    (tmp_path / "world.json").write_text(json.dumps({"world": "aperture", "org": ORG}), encoding="utf-8")
    with Rig(tmp_path) as rig:
        rig.to_approval()
        yield rig


def asked(folder: Path, *options: str) -> tuple[int, str]:
    ended = CliRunner().invoke(cli, ["health", "--data", str(folder), *options])
    return ended.exit_code, ended.stdout


def test_a_folder_whose_cases_are_well_is_told_so(rig: Rig, tmp_path: Path) -> None:
    code, said = asked(tmp_path)
    assert code == 0
    assert [line.split()[:2] for line in said.splitlines()] == [[metric.name, "0"] for metric in METRICS]


def test_what_needs_somebody_to_look_ends_with_1_and_a_refused_approval_is_only_told(rig: Rig, tmp_path: Path) -> None:
    with pytest.raises(Refused):
        people.approve(rig.all_ports(), rig.context(VERA), rig.case().id)
    code, said = asked(tmp_path, "--json")
    told = json.loads(said)
    values = {metric["name"]: metric["value"] for metric in told["metrics"]}
    assert (code, told["ok"], values["approvals_refused"]) == (0, True, 1)
    rig._call("triage", b"not json", {})
    code, said = asked(tmp_path, "--json")
    assert (code, json.loads(said)["ok"]) == (1, False)


def test_a_folder_that_nobody_has_made_is_a_usage_error(tmp_path: Path) -> None:
    assert asked(tmp_path / "nowhere")[0] == 2
