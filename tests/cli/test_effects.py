"""The kill switch from the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.cli.folder import locked
from infra.cli.output import Exit
from infra.local.clock import SystemClock
from infra.local.database import Database
from infra.local.switch import SqliteSwitch
from tests.cli.conftest import HOSTILE, Shelf, document, run
from tests.support.rig import ALICE, BOB, ORG, OSCAR, START, VERA

PRIYA, MARCUS = "priya.raman@northlight.example", "marcus.feld@northlight.example"


def status(shelf: Shelf) -> dict[str, Any]:
    return document(run("effects", "status", *shelf.data, "--json"))


def is_stopped(shelf: Shelf, org: str) -> bool:
    """As `act` sees it."""
    with Database(shelf.path / "manthan.db") as database:
        return SqliteSwitch(database, SystemClock()).effects_stopped(org)


def test_effects_are_not_stopped_until_somebody_stops_them(shelf: Shelf) -> None:
    told = status(shelf)
    assert told == {
        "org": ORG,
        "stopped": False,
        "stopped_for_org": None,
        "stopped_everywhere": None,
        "data": str(shelf.path),
    }
    assert not is_stopped(shelf, ORG)


@pytest.mark.parametrize("email", [ALICE, BOB])
def test_an_approver_or_admin_stops_the_orgs_effects_and_the_status_says_who_when_and_why(
    shelf: Shelf, email: str
) -> None:
    ended = run("effects", "stop", "--as", email.upper(), "--reason", "refunds look wrong", *shelf.data, "--json")
    assert ended.exit_code == Exit.FINE
    told = document(ended)
    assert told == status(shelf)
    assert told["stopped"] is True
    assert told["stopped_everywhere"] is None
    stop = told["stopped_for_org"]
    assert (stop["by"], stop["reason"]) == (email, "refunds look wrong")
    assert stop["since"].startswith(f"{START:%Y-%m-%d}T")  # the world's time, not ours
    assert is_stopped(shelf, ORG)
    assert not is_stopped(shelf, "another")


def test_everywhere_is_every_org_and_lifted_on_its_own(shelf: Shelf) -> None:
    run("effects", "stop", "--as", ALICE, *shelf.data)
    told = document(run("effects", "stop", "--all", "--as", BOB, *shelf.data, "--json"))
    assert (told["stopped_for_org"]["by"], told["stopped_everywhere"]["by"]) == (ALICE, BOB)
    assert is_stopped(shelf, "another")
    told = document(run("effects", "start", "--as", ALICE, *shelf.data, "--json"))
    assert (told["stopped"], told["stopped_for_org"]) == (True, None)
    assert "cases" not in told
    told = document(run("effects", "start", "--all", "--as", ALICE, "--no-run", *shelf.data, "--json"))
    assert told["stopped"] is False


@pytest.mark.parametrize("email", [OSCAR, VERA, "nobody@elsewhere.test"])
@pytest.mark.parametrize("command", [["stop"], ["stop", "--all"], ["start"], ["start", "--all"]])
def test_nobody_else_touches_the_switch(shelf: Shelf, email: str, command: list[str]) -> None:
    run("effects", "stop", "--as", ALICE, *shelf.data)
    before = status(shelf)
    ended = run("effects", *command, "--as", email, *shelf.data, "--json")
    assert ended.exit_code == Exit.NO
    assert document(ended)["error"]["code"] == "refused"
    assert status(shelf) == before


def test_stopping_what_is_stopped_keeps_who_did_it_first(shelf: Shelf) -> None:
    run("effects", "stop", "--as", ALICE, "--reason", "first", *shelf.data)
    ended = run("effects", "stop", "--as", BOB, "--reason", "second", *shelf.data, "--json")
    assert "stopped already" in ended.stderr
    stop = document(ended)["stopped_for_org"]
    assert (stop["by"], stop["reason"]) == (ALICE, "first")


def test_starting_what_is_not_stopped_is_fine_and_says_so(shelf: Shelf) -> None:
    ended = run("effects", "start", "--as", ALICE, "--no-run", *shelf.data)
    assert ended.exit_code == Exit.FINE
    assert "no such stop" in ended.stdout


def test_the_switch_works_on_a_folder_that_another_command_runs(shelf: Shelf) -> None:
    with locked(shelf.path):
        assert run("effects", "stop", "--as", ALICE, *shelf.data).exit_code == Exit.FINE
        assert is_stopped(shelf, ORG)
        ended = run("effects", "start", "--as", ALICE, *shelf.data)
    assert ended.exit_code == Exit.FINE
    assert "goes on with it at its next sweep" in ended.stdout
    assert not is_stopped(shelf, ORG)


def test_a_reason_cannot_drive_the_terminal(shelf: Shelf) -> None:
    run("effects", "stop", "--as", ALICE, "--reason", HOSTILE, *shelf.data)
    shown = run("effects", "status", *shelf.data).stdout
    assert "refund everything" in shown
    assert not any(character in shown for character in "\x1b\x9b\x07\u202e")
    assert len(shown.splitlines()) == 2


def test_without_any_data_one_is_told_how_to_get_some(elsewhere: Path) -> None:
    ended = run("effects", "status")
    assert ended.exit_code == Exit.USAGE
    assert "manthan demo" in ended.stderr


def test_what_was_approved_while_effects_were_stopped_is_carried_out_at_once_when_they_start(tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    (case,) = document(run("trigger", "charge.dispute.created", *data, "--json"))["cases"]
    run("effects", "stop", "--as", PRIYA, *data)
    for email in (PRIYA, MARCUS):
        told = document(run("cases", "approve", case["case_id"], "--as", email, *data, "--json"))
    assert told["state"] == "acting"
    stripe = [action for action in told["actions"] if action["kind"].startswith("stripe_")]
    assert {action["state"] for action in stripe} == {"approved", "deferred"}
    assert all(action["external_ref"] is None for action in stripe)
    started = document(run("effects", "start", "--as", MARCUS, *data, "--json"))
    assert started["stopped"] is False
    assert started["cases"] == [{"case_id": case["case_id"], "state": "resolved"}]
