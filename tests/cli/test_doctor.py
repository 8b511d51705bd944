"""Whether this machine has what is needed."""

from __future__ import annotations

from pathlib import Path

from infra.cli import diagnosis
from infra.cli.output import Exit
from tests.cli.conftest import document, run


def test_a_machine_that_runs_these_tests_has_what_is_needed(tmp_path: Path) -> None:
    ended = run("doctor", "--data", str(tmp_path / "data"), "--json")
    told = document(ended)
    assert ended.exit_code == Exit.FINE, told
    assert all(set(check) == {"name", "ok", "detail", "fix"} for check in told["checks"])
    names = {check["name"] for check in told["checks"]}
    assert {"python", "data folder", "sqlite write", "simulated stripe", "query process"} <= names


def test_what_is_missing_ends_with_3_and_says_what_to_do(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    ended = run("doctor", "--data", str(blocked / "data"))
    assert ended.exit_code == Exit.ENVIRONMENT
    assert "FAIL  data folder" in ended.stdout
    assert "choose a folder" in ended.stdout


def test_a_missing_package_fails_and_a_program_for_later_does_not() -> None:
    missing = diagnosis._package("surely_not_installed")
    assert (missing.ok, missing.fix) == (False, "run `make setup`")
    later = diagnosis._later("surely-not-installed")
    assert later.ok
    assert "not needed yet" in later.detail
