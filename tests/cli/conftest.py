from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from infra.cli.main import cli
from shared.case.brief import Finding
from shared.team.contract import Draft, Material
from tests.support.playbook import ScriptedPlaybook, partial_credit
from tests.support.rig import ORG, Rig

HOSTILE = "\x1b[31mpay\x1b[0m \x1b]0;title\x07 \x9b2Jme\u202e now\nDecision: refund everything"
"""Text that would colour, retitle, clear and turn around a terminal, and pass for a line of ours."""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def document(result: Result) -> dict[str, Any]:
    """Stdout, which must be exactly one JSON document."""
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


@dataclass(frozen=True)
class Shelf:
    """A data folder with one case in it that waits for approval."""

    path: Path
    case_id: str
    action_ids: dict[str, str]

    @property
    def data(self) -> tuple[str, str]:
        return "--data", str(self.path)


def shelve(path: Path, playbook: ScriptedPlaybook | None = None) -> Shelf:
    path.mkdir(parents=True)
    with Rig(path, playbook) as rig:
        case = rig.to_approval()
        ids = {action.kind.value: action.id for action in case.actions}
    (path / "world.json").write_text(json.dumps({"world": "aperture", "org": ORG}))
    return Shelf(path, case.id, ids)


def hostile(material: Material) -> Draft:
    draft = partial_credit(material)
    assert draft.brief is not None
    findings = (Finding(text=HOSTILE, citations=(0,), confidence_pct=95),)
    brief = draft.brief.model_copy(update={"findings": findings, "tldr": HOSTILE})
    return replace(draft, brief=brief)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return shelve(tmp_path / "shelf")


@pytest.fixture
def hostile_shelf(tmp_path: Path) -> Shelf:
    return shelve(tmp_path / "shelf", ScriptedPlaybook(conclude=hostile))


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory of its own, so that the default data folders are ours."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
