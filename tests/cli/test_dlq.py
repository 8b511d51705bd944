"""Dead letters from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.cli.folder import locked
from infra.cli.output import Exit
from tests.cli.conftest import HOSTILE, Shelf, document, run
from tests.support.rig import ALICE, BOB, ORG, Rig


@pytest.fixture
def letter(shelf: Shelf) -> str:
    """A hint about the folder's case that came with something else that nobody can read."""
    from shared.steps.dead_letters import quarantine

    with Rig(shelf.path) as rig:
        hint = {"org": ORG, "case_id": shelf.case_id}
        return quarantine(rig.all_ports(), "policy_check", f'{{"text": "{HOSTILE}"}}', HOSTILE, hint=hint)


def test_without_dead_letters_the_list_is_empty_and_says_so(shelf: Shelf) -> None:
    assert document(run("dlq", "list", *shelf.data, "--json")) == {"dead_letters": [], "count": 0}
    assert run("dlq", "list", *shelf.data).stdout == "no dead letters\n"


def test_a_letter_is_listed_shown_and_replayed(shelf: Shelf, letter: str) -> None:
    listed = document(run("dlq", "list", *shelf.data, "--json"))
    assert [(each["id"], each["source"], each["status"]) for each in listed["dead_letters"]] == [
        (letter, "policy_check", "quarantined")
    ]
    shown = document(run("dlq", "show", letter, *shelf.data, "--json"))
    assert shown["hint"] == {"org": ORG, "case_id": shelf.case_id}
    assert HOSTILE in shown["request"]
    replayed = document(run("dlq", "replay", letter, "--as", ALICE, "--reason", "cured", *shelf.data, "--json"))
    assert replayed["about"] == {"org": ORG, "case_id": shelf.case_id}
    assert (replayed["status"], replayed["reason"]) == ("ignored", f"replayed by {ALICE}: cured")
    assert document(run("dlq", "list", *shelf.data, "--json"))["count"] == 0
    assert document(run("dlq", "list", "--all", *shelf.data, "--json"))["count"] == 1


def test_a_letter_is_replayed_once_and_by_operators_alone(shelf: Shelf, letter: str) -> None:
    refused = run("dlq", "replay", letter, "--as", BOB, "--reason", "x", *shelf.data, "--json")
    assert (refused.exit_code, document(refused)["error"]["code"]) == (Exit.NO, "refused")
    assert run("dlq", "replay", letter, "--as", ALICE, "--reason", "x", *shelf.data).exit_code == Exit.FINE
    again = run("dlq", "replay", letter, "--as", ALICE, "--reason", "x", *shelf.data, "--json")
    assert (again.exit_code, document(again)["error"]["code"]) == (Exit.NO, "conflict")


def test_a_letter_that_does_not_exist_is_a_usage_error(shelf: Shelf) -> None:
    ended = run("dlq", "show", "policy_check-none", *shelf.data, "--json")
    assert (ended.exit_code, document(ended)["error"]["code"]) == (Exit.USAGE, "not_found")


def test_letters_can_be_read_while_another_command_runs_the_folder(shelf: Shelf, letter: str) -> None:
    with locked(shelf.path):
        assert document(run("dlq", "list", *shelf.data, "--json"))["count"] == 1
        assert run("dlq", "replay", letter, "--as", ALICE, "--reason", "x", *shelf.data).exit_code == Exit.ENVIRONMENT


def test_what_a_letter_says_cannot_drive_the_terminal(shelf: Shelf, letter: str) -> None:
    for command in (["list"], ["show", letter]):
        shown = run("dlq", *command, *shelf.data).stdout
        assert "refund everything" in shown
        assert not any(character in shown for character in "\x1b\x9b\x07\u202e")


def test_without_any_data_one_is_told_how_to_get_some(elsewhere: Path) -> None:
    ended = run("dlq", "list")
    assert ended.exit_code == Exit.USAGE
    assert "manthan demo" in ended.stderr
