"""Verifying a log from the command line."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from infra.cli.output import Exit
from tests.cli.conftest import Shelf, document, run


def test_an_untouched_case_verifies(shelf: Shelf) -> None:
    ended = run("audit", "verify", shelf.case_id, *shelf.data, "--json")
    assert ended.exit_code == Exit.FINE
    told = document(ended)
    assert set(told) == {"case_id", "ok", "events", "evidence", "texts", "erased", "problems"}
    assert (told["ok"], told["evidence"], told["problems"]) == (True, 5, [])
    assert told["events"] > 5


def test_one_changed_character_in_the_log_is_a_problem_and_ends_with_1(shelf: Shelf) -> None:
    with closing(sqlite3.connect(shelf.path / "manthan.db")) as connection, connection:
        connection.execute("UPDATE commits SET entries = replace(entries, 'a tenth is owed', 'a fifth is owed')")
    ended = run("audit", "verify", shelf.case_id, *shelf.data, "--json")
    assert ended.exit_code == Exit.NO
    told = document(ended)
    assert told["ok"] is False
    assert any("hash" in problem for problem in told["problems"])
    assert "NOT verified" in run("audit", "verify", shelf.case_id, *shelf.data).stdout


def test_a_text_that_was_erased_leaves_a_log_that_verifies_and_says_so_where_it_stood(shelf: Shelf) -> None:
    with closing(sqlite3.connect(shelf.path / "manthan.db")) as connection, connection:
        connection.execute("DELETE FROM texts WHERE body = 'The charge was 840.00.'")
    ended = run("audit", "verify", shelf.case_id, *shelf.data, "--json")
    assert ended.exit_code == Exit.FINE
    told = document(ended)
    assert (told["ok"], told["erased"]) == (True, 1)
    assert "(1 erased)" in run("audit", "verify", shelf.case_id, *shelf.data).stdout
    shown = document(run("cases", "show", shelf.case_id, *shelf.data, "--json"))
    assert shown["findings"][0]["text"] == "[a text of 22 characters that was erased]"


def test_a_text_that_was_changed_is_a_problem(shelf: Shelf) -> None:
    with closing(sqlite3.connect(shelf.path / "manthan.db")) as connection, connection:
        connection.execute("UPDATE texts SET body = 'The charge was 0.' WHERE body = 'The charge was 840.00.'")
    ended = run("audit", "verify", shelf.case_id, *shelf.data)
    assert ended.exit_code == Exit.NO
    assert "is not the one that was recorded" in ended.stdout


def test_damaged_evidence_is_a_problem_and_does_not_keep_the_case_from_being_shown(shelf: Shelf) -> None:
    with closing(sqlite3.connect(shelf.path / "manthan.db")) as connection, connection:
        connection.execute("UPDATE reports SET body = replace(body, '84000', '94000')")
    ended = run("audit", "verify", shelf.case_id, *shelf.data)
    assert ended.exit_code == Exit.NO
    assert "evidence" in ended.stdout
    shown = run("cases", "show", shelf.case_id, *shelf.data, "--json")
    assert shown.exit_code == Exit.FINE
    assert document(shown)["chain_ok"] is False
