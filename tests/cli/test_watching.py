"""Following a case that something else runs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.cli.folder import locked
from infra.cli.output import Exit
from tests.cli.conftest import document, run
from tests.support.rig import ORG, Rig


@pytest.fixture
def investigating(tmp_path: Path) -> Iterator[Rig]:
    """A case whose specialists have not started."""
    (tmp_path / "world.json").write_text(json.dumps({"world": "aperture", "org": ORG}))
    with Rig(tmp_path) as rig:
        rig.post(rig.event("test.created"))
        rig.pump(only=lambda sent: getattr(sent, "topic", "") == "triage")
        yield rig


def folder_of(rig: Rig) -> str:
    return str(rig.settings.data)


def test_it_follows_until_people_are_asked(investigating: Rig) -> None:
    command = [sys.executable, "-m", "infra.cli", "cases", "watch", investigating.case().id]
    with (
        locked(investigating.settings.data),
        subprocess.Popen(
            [*command, "--data", folder_of(investigating)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as watch,
    ):
        assert watch.stdout is not None
        first = watch.stdout.readline()
        investigating.pump()
        rest, errors = watch.communicate(timeout=60)
    assert (watch.returncode, errors) == (Exit.FINE, "")
    assert "case opened" in first
    lines = rest.splitlines()
    assert any("payments reported" in line for line in lines)
    assert lines[-1] == f"{investigating.case().id} is awaiting approval: people must approve"


def test_it_ends_when_nothing_runs_the_folder(investigating: Rig) -> None:
    ended = run("cases", "watch", investigating.case().id, "--data", folder_of(investigating))
    assert ended.exit_code == Exit.FINE
    assert "nothing more will happen" in ended.stdout


def test_once_tells_what_there_is(investigating: Rig) -> None:
    with locked(investigating.settings.data):
        ended = run("cases", "watch", investigating.case().id, "--once", "--data", folder_of(investigating), "--json")
    told = document(ended)
    assert (told["case_id"], told["state"]) == (investigating.case().id, "investigating")
    assert told["events"] == len([line for line in told["lines"] if "started" not in line])
    assert ended.stderr.splitlines() == told["lines"]
