"""The command line as a whole: help, usage errors, exit codes, one document on stdout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from infra.cli.lazy import Root
from infra.cli.main import COMMANDS
from infra.cli.output import EnvironmentFault, Exit
from infra.fakes.stripe.process import DoubleFailed
from infra.local.faults import StoreBroken, StoreUnavailable
from infra.worlds import shipped_worlds
from shared.errors import Conflict, InvalidInput, ManthanError, NotFound, Refused, Retryable
from tests.cli.conftest import document, run


def test_help_lists_every_command_and_the_exit_codes_without_importing_any_command() -> None:
    program = "import sys; from infra.cli.main import cli\ntry: cli.main(['--help'])\nfinally: print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    loaded = shown.stdout.splitlines()[-1].split()
    assert shown.returncode == 0
    assert all(name in shown.stdout for name in COMMANDS)
    assert "Exit codes:" in shown.stdout
    assert not {"infra.cli.demo", "infra.stage", "rich", "duckdb", "stripe", "flask"} & set(loaded)


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"bench"}))
def test_every_command_explains_itself(command: str) -> None:
    shown = run(command, "--help")
    assert shown.exit_code == 0
    assert "Usage:" in shown.stdout


@pytest.mark.parametrize("command", ["list", "show", "open", "watch", "approve", "reject", "edit", "answer"])
def test_every_command_about_cases_gives_an_example(command: str) -> None:
    shown = run("cases", command, "--help")
    assert shown.exit_code == 0
    assert f"manthan cases {command}" in shown.stdout
    assert "Example" in shown.stdout


@pytest.mark.parametrize("command", ["stop", "start", "status"])
def test_every_command_about_effects_gives_an_example(command: str) -> None:
    shown = run("effects", command, "--help")
    assert shown.exit_code == 0
    assert f"manthan effects {command}" in shown.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["demo", "--frobnicate"],
        ["cases", "show"],
        ["cases", "approve", "case_1"],
        ["trigger", "all", "--duplicate", "0"],
        ["dev", "--speed", "0.5"],
        ["dev", "--port", "70000"],
        ["effects", "stop"],
        ["cases", "open", "--text", "x"],
    ],
)
def test_a_usage_error_ends_with_2_and_says_what_is_wrong(arguments: list[str]) -> None:
    ended = run(*arguments)
    assert ended.exit_code == Exit.USAGE
    assert ended.stdout == ""
    assert ended.stderr.startswith("manthan: ")


def test_a_usage_error_is_one_document_with_json() -> None:
    ended = run("demo", "--frobnicate", "--json")
    assert ended.exit_code == Exit.USAGE
    error = document(ended)["error"]
    assert error["code"] == "usage"
    assert "--frobnicate" in error["message"]


def test_an_unknown_world_lists_the_shipped_ones(elsewhere: Path) -> None:
    ended = run("demo", "atlantis", "--json")
    assert ended.exit_code == Exit.USAGE
    error = document(ended)["error"]
    assert error["code"] == "not_found"
    assert error["message"].endswith(f"shipped worlds: {', '.join(shipped_worlds())}")


def ending_in(error: BaseException) -> Root:
    @click.command()
    @click.option("--json", "as_json", is_flag=True)
    def fails(as_json: bool) -> None:
        raise error

    root = Root(entries={})
    root.add_command(fails)
    return root


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InvalidInput("x"), Exit.USAGE, "invalid_input"),
        (NotFound("x"), Exit.USAGE, "not_found"),
        (Refused("x"), Exit.NO, "refused"),
        (Conflict("x"), Exit.NO, "conflict"),
        (ManthanError("x"), Exit.NO, "error"),
        (Retryable("x"), Exit.ENVIRONMENT, "retryable"),
        (StoreUnavailable("x"), Exit.ENVIRONMENT, "store_unavailable"),
        (StoreBroken("x"), Exit.ENVIRONMENT, "store_broken"),
        (EnvironmentFault("x"), Exit.ENVIRONMENT, "environment"),
        (DoubleFailed("x"), Exit.ENVIRONMENT, "environment"),
        (PermissionError(13, "Permission denied"), Exit.ENVIRONMENT, "environment"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "interrupted"),
        (ZeroDivisionError("x"), Exit.FAULT, "fault"),
    ],
)
def test_every_kind_of_error_has_one_exit_code(
    error: BaseException, status: Exit, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        ending_in(error).main(["fails"])
    assert ended.value.code == status
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "manthan: " in shown.err
    assert ("Traceback" in shown.err) == (status is Exit.FAULT)


def test_an_error_with_json_is_a_document_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        ending_in(Refused("\x1b[31mno\x1b[0m\x07")).main(["fails", "--json"])
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"error": {"code": "refused", "message": "no"}}
    assert shown.err == ""


def test_a_reader_that_goes_away_early_is_no_fault(elsewhere: Path) -> None:
    program = f"{sys.executable} -m infra.cli --help | true"
    shown = subprocess.run(["sh", "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert shown.stderr == ""
