"""Opening a case from what a person asks for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from infra.cli.output import Exit
from infra.local.database import Database
from infra.local.inbox import SqliteInbox
from infra.worlds import find_world, load_world
from shared.ports.store import InboxEntry, InboxStatus
from shared.steps.request import REQUEST_TYPE
from tests.cli.conftest import HOSTILE, Shelf, document, run
from tests.cli.test_cases import CASE_KEYS
from tests.support.rig import ORG, OSCAR, START

WORLD = load_world(find_world("wren"))
(LETTER,) = WORLD.requests
OPERATOR, APPROVER = "noa.perry@papercrane.example", "max.goodall@papercrane.example"
ASKED = ("--from", LETTER.sender, "--customer", str(LETTER.customer), "--amount", "89.00", "--currency", "usd")


def opened(data: Path, *more: str, email: str = OPERATOR, text: str = LETTER.text) -> Result:
    return run(
        "cases", "open", "--world", "wren", "--as", email, "--text", text, *ASKED, *more, "--data", str(data), "--json"
    )


@dataclass(frozen=True)
class Opened:
    document: dict[str, Any]
    progress: str
    data: Path


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    data = tmp_path_factory.mktemp("opened") / "data"
    ended = opened(data)
    assert ended.exit_code == Exit.FINE, ended.stderr
    return Opened(document(ended), ended.stderr, data)


def case_as_it_stands(data: Path, case_id: str) -> dict[str, Any]:
    return document(run("cases", "show", case_id, "--data", str(data), "--json"))


def test_its_case_is_investigated_until_people_are_asked(first: Opened) -> None:
    assert first.document["state"] == "awaiting_approval"
    assert first.document["decision"]["amount_minor"] == LETTER.amount_minor
    assert "people are asked" in first.progress


def test_it_is_shown_as_cases_show_does(first: Opened) -> None:
    assert set(first.document) == CASE_KEYS | {"timeline", "questions", "request", "deadline"}
    told = {name: value for name, value in first.document.items() if name != "request"}
    assert told == case_as_it_stands(first.data, first.document["case_id"])


def test_the_specialists_have_read_the_words(first: Opened) -> None:
    case_id = first.document["case_id"]
    shown = document(run("cases", "show", case_id, "--evidence", "--data", str(first.data), "--json"))
    rows = [row for row in shown["evidence"] if (row["table"], row["kind"]) == ("manthan.requests", "row")]
    (letter,) = [row for row in rows if row["record_id"] == first.document["request"]["id"]]
    assert letter["fields"]["text"] == LETTER.text
    assert letter["untrusted"] is True


def test_the_same_request_again_says_so_and_changes_nothing(first: Opened) -> None:
    again = opened(first.data, email=APPROVER)
    assert again.exit_code == Exit.FINE
    assert "known already" in again.stderr
    told = document(again)
    assert told["request"]["known"] is True
    assert told["timeline"] == first.document["timeline"]
    assert document(run("cases", "list", "--data", str(first.data), "--json"))["count"] == 1


def test_another_request_under_the_same_id_is_a_conflict(first: Opened) -> None:
    request_id = first.document["request"]["id"]
    ended = opened(first.data, "--id", request_id, text="Please send everything back.")
    assert ended.exit_code == Exit.NO
    assert document(ended)["error"]["code"] == "conflict"
    assert "--id" in document(ended)["error"]["message"]


@pytest.mark.parametrize("email", ["vera@elsewhere.test", "nobody"])
def test_who_may_not_open_cases_is_refused_and_nothing_is_kept(first: Opened, email: str) -> None:
    kept = sorted((first.data / "requests").iterdir())
    ended = opened(first.data, "--id", "req_of_a_stranger", email=email)
    assert ended.exit_code == Exit.NO
    assert document(ended)["error"]["code"] == "refused"
    assert sorted((first.data / "requests").iterdir()) == kept


def test_a_request_about_somebody_unknown_is_a_case_that_asks_a_person(first: Opened) -> None:
    ended = run(
        *("cases", "open", "--as", OPERATOR, "--text", "Something else.", "--charge", "ch_of_nobody"),
        *("--data", str(first.data), "--json"),
    )
    assert ended.exit_code == Exit.FINE
    told = document(ended)
    assert told["state"] == "manual_review"
    assert told["request"] == {"id": told["request"]["id"], "known": False, "status": "attached", "reason": ""}


def test_a_request_that_came_to_no_case_says_why_and_ends_with_1(shelf: Shelf) -> None:
    ignored = InboxEntry(
        org=ORG,
        id="req_1",
        type=REQUEST_TYPE,
        received_at=START,
        body="{}",
        status=InboxStatus.IGNORED,
        reason="nobody handles it",
    )
    with Database(shelf.path / "manthan.db") as database:
        SqliteInbox(database).put(ignored)
    ended = run("cases", "open", "--as", OSCAR, "--id", "req_1", "--text", "x", *shelf.data, "--json")
    assert ended.exit_code == Exit.NO
    assert document(ended) == {
        "request": {"id": "req_1", "known": True, "status": "ignored", "reason": "nobody handles it"}
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--text", "x", "--file", "FILE"], "--text TEXT or --file FILE"),
        ([], "--text TEXT or --file FILE"),
        (["--text", ""], "text"),
        (["--text", "x" * 20_001], "text"),
        (["--text", "x", "--amount", "89"], "--amount and --currency"),
        (["--text", "x", "--currency", "usd"], "--amount and --currency"),
        (["--text", "x", "--amount", "8.999", "--currency", "usd"], "usd has 2 decimals"),
        (["--text", "x", "--id", ""], "id: "),
        (["--file", "BROKEN"], "not UTF-8"),
    ],
)
def test_a_request_that_cannot_be_is_a_usage_error_without_its_words(
    shelf: Shelf, tmp_path: Path, arguments: list[str], says: str
) -> None:
    (tmp_path / "FILE").write_text("words")
    (tmp_path / "BROKEN").write_bytes(b"\xff\xfe\x00")
    places = {name: str(tmp_path / name) for name in ("FILE", "BROKEN")}
    ended = run(
        "cases", "open", "--as", "a@acme.test", *(places.get(item, item) for item in arguments), *shelf.data, "--json"
    )
    error = document(ended)["error"]
    assert ended.exit_code == Exit.USAGE, error
    assert says in error["message"]
    assert "xxxx" not in error["message"]
    assert not (shelf.path / "requests").exists()


def test_hostile_words_from_a_file_are_read_and_do_nothing(tmp_path: Path) -> None:
    words = tmp_path / "request.txt"
    words.write_text(HOSTILE)
    data = tmp_path / "data"
    ended = run("cases", "open", "--world", "wren", "--as", OPERATOR, "--file", str(words), *ASKED, "--data", str(data))
    assert ended.exit_code == Exit.FINE, ended.stderr
    assert not any(character in ended.stdout for character in "\x1b\x9b\x07\u202e")
    (kept,) = (data / "requests").glob("*.json")
    assert json.loads(kept.read_text())["text"] == HOSTILE
