"""Looking at cases and deciding about them, on a folder that nothing runs."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from infra.cli.folder import DataFolder, locked
from infra.cli.output import Exit
from tests.cli.conftest import HOSTILE, Shelf, document, run, shelve
from tests.support.rig import ALICE, BOB, CAROL, ORG, START, VERA, Rig

CASE_KEYS = {
    "case_id",
    "state",
    "decision",
    "evidence_count",
    "findings",
    "gaps",
    "actions",
    "post_mortem",
    "events",
    "chain_ok",
}
ACTION_KEYS = {
    "id",
    "kind",
    "effect",
    "verdict",
    "approvals",
    "state",
    "amount_minor",
    "currency",
    "external_ref",
    "error",
}


def test_list_tells_each_case_with_its_state_decision_and_folder(shelf: Shelf) -> None:
    told = document(run("cases", "list", *shelf.data, "--json"))
    assert told["count"] == 1
    (case,) = told["cases"]
    assert (case["case_id"], case["state"], case["decision"]) == (shelf.case_id, "awaiting_approval", "credit")
    assert (case["amount_minor"], case["currency"], case["data"]) == (8400, "usd", str(shelf.path))


def test_list_can_be_narrowed_to_a_state(shelf: Shelf) -> None:
    assert document(run("cases", "list", "--state", "resolved", *shelf.data, "--json"))["cases"] == []
    assert "no cases" in run("cases", "list", "--state", "resolved", *shelf.data).stdout


def test_an_unknown_state_lists_the_known_ones(shelf: Shelf) -> None:
    ended = run("cases", "list", "--state", "lost", *shelf.data)
    assert ended.exit_code == Exit.USAGE
    assert "awaiting_approval" in ended.stderr


def test_list_without_a_folder_shows_every_world_that_has_run_here(shelf: Shelf, elsewhere: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(shelf.path, elsewhere / ".manthan" / "demo" / name)
    told = document(run("cases", "list", "--json"))
    assert sorted(Path(case["data"]).name for case in told["cases"]) == ["one", "two"]


def test_without_any_data_one_is_told_how_to_get_some(elsewhere: Path) -> None:
    for arguments in (["list"], ["show", "case_1"]):
        ended = run("cases", *arguments)
        assert ended.exit_code == Exit.USAGE
        assert "manthan demo" in ended.stderr


def test_show_gives_the_case_its_timeline_and_its_questions(shelf: Shelf) -> None:
    told = document(run("cases", "show", shelf.case_id, *shelf.data, "--json"))
    assert set(told) == CASE_KEYS | {"timeline", "questions", "deadline"}
    assert told["chain_ok"] is True
    assert told["evidence_count"] == 5
    assert told["events"] == len(told["timeline"])
    assert told["findings"] == [{"text": "The charge was 840.00.", "citations": [0], "confidence": 0.95}]
    assert all(set(action) == ACTION_KEYS for action in told["actions"])


def test_the_decision_comes_with_its_derivation(shelf: Shelf) -> None:
    decision = document(run("cases", "show", shelf.case_id, *shelf.data, "--json"))["decision"]
    assert decision == {
        "kind": "credit",
        "amount_minor": 8400,
        "currency": "usd",
        "derivation": {
            "expression": "amount / 10",
            "inputs": {"amount": {"value": 84000, "evidence": 0, "field": "amount", "unit": "usd minor units"}},
            "value_minor": 8400,
            "words": "",
        },
    }


def test_show_with_evidence_gives_every_row_with_its_link(shelf: Shelf) -> None:
    told = document(run("cases", "show", shelf.case_id, "--evidence", *shelf.data, "--json"))
    assert [row["index"] for row in told["evidence"]] == [0, 1, 2, 3, 4]
    assert all(row["link"].startswith("https://") for row in told["evidence"])
    text = run("cases", "show", shelf.case_id, "--evidence", *shelf.data).stdout
    assert "[0] stripe.charges:ch_payments" in text
    assert "select * from stripe.charges" in text


def test_show_reads_like_a_brief(shelf: Shelf) -> None:
    shown = run("cases", "show", shelf.case_id, *shelf.data)
    assert shown.exit_code == 0
    for part in ("Findings", "[0] 95 %", "credit 84.00 USD", "amount / 10 = 84.00 USD", "Question for the approver"):
        assert part in shown.stdout
    for part in ("needs two approvers", "Timeline", "case opened", "verified"):
        assert part in shown.stdout


def test_text_of_others_cannot_drive_the_terminal(hostile_shelf: Shelf) -> None:
    shown = run("cases", "show", hostile_shelf.case_id, *hostile_shelf.data).stdout
    assert "Decision: refund everything" in shown
    assert not any(character in shown for character in "\x1b\x9b\x07\u202e")
    assert not any(line.startswith("Decision: refund") for line in shown.splitlines())


def test_in_json_the_text_of_others_is_whole_but_escaped(hostile_shelf: Shelf) -> None:
    shown = run("cases", "show", hostile_shelf.case_id, *hostile_shelf.data, "--json")
    assert document(shown)["findings"][0]["text"] == HOSTILE
    assert shown.stdout.isascii()
    assert "\x1b" not in shown.stdout


@pytest.mark.parametrize("command", [["show"], ["watch"], ["approve", "--as", ALICE]])
def test_an_unknown_case_is_a_usage_error(shelf: Shelf, command: list[str]) -> None:
    ended = run("cases", command[0], "case_unknown", *command[1:], *shelf.data, "--json")
    assert ended.exit_code == Exit.USAGE
    assert document(ended)["error"]["code"] == "not_found"


def test_watch_ends_by_itself_when_people_are_asked(shelf: Shelf) -> None:
    told = document(run("cases", "watch", shelf.case_id, *shelf.data, "--json"))
    assert told["state"] == "awaiting_approval"
    assert any("case opened" in line for line in told["lines"])
    assert any("payments started" in line for line in told["lines"])


def test_an_approval_without_running_is_recorded_and_the_case_waits_for_the_next_person(shelf: Shelf) -> None:
    ended = run("cases", "approve", shelf.case_id, "--as", ALICE, "--no-run", *shelf.data, "--json")
    assert ended.exit_code == Exit.FINE
    told = document(ended)
    assert told["state"] == "awaiting_approval"
    refund = next(action for action in told["actions"] if action["kind"] == "stripe_refund")
    assert [given["email"] for given in refund["approvals"]] == [ALICE]


def test_the_same_person_approving_twice_counts_once(shelf: Shelf) -> None:
    for _ in range(2):
        told = document(run("cases", "approve", shelf.case_id, "--as", ALICE, "--no-run", *shelf.data, "--json"))
    assert told["state"] == "awaiting_approval"
    assert [len(action["approvals"]) for action in told["actions"] if action["verdict"] == "two_approvers"] == [1]


def test_one_action_can_be_approved_alone(shelf: Shelf) -> None:
    refund = shelf.action_ids["stripe_refund"]
    told = document(run("cases", "approve", shelf.case_id, refund, "--as", BOB, "--no-run", *shelf.data, "--json"))
    assert [action["id"] for action in told["actions"] if action["approvals"]] == [refund]


@pytest.mark.parametrize("email", ["nobody@elsewhere.test", VERA, CAROL])
def test_a_refused_approval_ends_with_1_and_approves_nothing(shelf: Shelf, email: str) -> None:
    ended = run("cases", "approve", shelf.case_id, "--as", email, "--no-run", *shelf.data, "--json")
    assert ended.exit_code == Exit.NO
    assert document(ended)["error"]["code"] == "refused"
    told = document(run("cases", "show", shelf.case_id, *shelf.data, "--json"))
    assert not any(action["approvals"] for action in told["actions"])


def test_an_edited_action_loses_its_approvals(shelf: Shelf) -> None:
    mail = shelf.action_ids["customer_email"]
    run("cases", "approve", shelf.case_id, "--as", ALICE, "--no-run", *shelf.data)
    ended = run(
        "cases",
        "edit",
        shelf.case_id,
        mail,
        "--set",
        "subject=Your credit",
        "--as",
        BOB,
        "--no-run",
        *shelf.data,
        "--json",
    )
    assert ended.exit_code == Exit.FINE
    assert next(action for action in document(ended)["actions"] if action["id"] == mail)["approvals"] == []


def test_an_edit_can_reach_into_a_nested_field(shelf: Shelf) -> None:
    stage = shelf.action_ids["stripe_stage_evidence"]
    change = ("--set", "evidence.uncategorized_text=in our words")
    ended = run("cases", "edit", shelf.case_id, stage, *change, "--as", BOB, "--no-run", *shelf.data)
    assert ended.exit_code == Exit.FINE, ended.stderr
    assert f"{BOB} edited {stage}" in run("cases", "show", shelf.case_id, *shelf.data).stdout


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (["--set", "to=thief@elsewhere.test"], Exit.NO),
        (["--set-json", "subject=5"], Exit.USAGE),
        (["--set-json", "subject={"], Exit.USAGE),
        (["--set", "subject"], Exit.USAGE),
        ([], Exit.USAGE),
    ],
)
def test_an_edit_that_may_not_be_changes_nothing(shelf: Shelf, change: list[str], status: Exit) -> None:
    mail = shelf.action_ids["customer_email"]
    ended = run("cases", "edit", shelf.case_id, mail, *change, "--as", BOB, "--no-run", *shelf.data, "--json")
    assert ended.exit_code == status
    assert set(document(ended)) == {"error"}


def test_a_rejected_case_has_ended_and_says_who_and_why(shelf: Shelf) -> None:
    ended = run(
        "cases", "reject", shelf.case_id, "--reason", "by phone", "--as", BOB, "--no-run", *shelf.data, "--json"
    )
    assert ended.exit_code == Exit.FINE
    told = document(ended)
    assert told["state"] == "rejected"
    assert {action["state"] for action in told["actions"] if action["effect"] != "internal"} == {"voided"}
    assert f"{BOB}: by phone" in run("cases", "show", shelf.case_id, *shelf.data).stdout


def test_there_is_nothing_to_answer_when_nothing_was_asked(shelf: Shelf) -> None:
    ended = run("cases", "answer", shelf.case_id, "yes", "--as", BOB, "--no-run", *shelf.data, "--json")
    assert ended.exit_code == Exit.USAGE
    assert document(ended)["error"]["code"] == "not_found"


def test_two_commands_do_not_run_one_folder(shelf: Shelf) -> None:
    folder = DataFolder.at(shelf.path)
    with locked(shelf.path):
        assert folder.in_use
        ended = run("cases", "approve", shelf.case_id, "--as", ALICE, "--no-run", *shelf.data, "--json")
    assert ended.exit_code == Exit.ENVIRONMENT
    assert document(ended)["error"]["code"] == "folder_in_use"
    assert not folder.in_use


def test_a_folder_whose_mark_is_broken_says_how_to_go_on(shelf: Shelf) -> None:
    (shelf.path / "world.json").write_text("{")
    ended = run("cases", "list", *shelf.data)
    assert ended.exit_code == Exit.USAGE
    assert "--fresh" in ended.stderr


def test_a_folder_knows_its_world_and_org(shelf: Shelf) -> None:
    assert json.loads((shelf.path / "world.json").read_text()) == {"world": "aperture", "org": ORG}
    assert DataFolder.at(shelf.path) == DataFolder(shelf.path, "aperture", ORG)


def test_a_case_shows_its_deadline_the_planned_date_and_how_near_it_is(tmp_path: Path) -> None:
    shelf = shelve(tmp_path / "shelf")
    assert document(run("cases", "show", shelf.case_id, "--json", *shelf.data))["deadline"] is None
    due = int((START + timedelta(days=3)).timestamp())
    with Rig(shelf.path) as rig:
        rig.playbook.known = {"dispute.due_by": due}
        rig.post(rig.event("test.updated"))
        rig.pump()
    shown = document(run("cases", "show", shelf.case_id, "--json", *shelf.data))
    assert shown["deadline"] == {
        "due_by": "2026-05-11T12:00:00Z",
        "submit_by": "2026-05-09T12:00:00Z",
        "urgency": "soon",
    }
    assert "planned by 2026-05-09 12:00 UTC" in run("cases", "show", shelf.case_id, *shelf.data).stdout
