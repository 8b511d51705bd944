"""The demo and what follows it, on a real stage: from the first event to the last payment."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from infra.cli.output import Exit
from infra.worlds import find_world
from tests.cli.conftest import document, run
from tests.cli.test_cases import ACTION_KEYS, CASE_KEYS

PRIYA, MARCUS = "priya.raman@northlight.example", "marcus.feld@northlight.example"
NOON = 1778241600
CHARGE = "ch_3TLJ5UK2N8dQz4Lm1Vt7hJ2s"
EVENT = "charge.dispute.created"


@dataclass(frozen=True)
class Run:
    status: int
    document: dict[str, Any]
    progress: str
    data: Path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The demo as a process of its own, with eligible members approving."""
    data = tmp_path_factory.mktemp("whole") / "data"
    command = [sys.executable, "-m", "infra.cli", "demo", "aperture", "--json", "--data", str(data)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    return Run(ended.returncode, json.loads(ended.stdout), ended.stderr, data)


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The demo with one approver where two are needed."""
    data = tmp_path_factory.mktemp("half") / "data"
    ended = run("demo", "--approve-as", PRIYA, "--data", str(data), "--json")
    return Run(ended.exit_code, document(ended), ended.stderr, data)


def action(told: dict[str, Any], kind: str) -> dict[str, Any]:
    found: dict[str, Any] = next(item for item in told["actions"] if item["kind"] == kind)
    return found


def test_the_case_is_resolved_and_the_command_ends_with_0(whole: Run) -> None:
    assert whole.status == Exit.FINE, whole.progress
    assert whole.document["state"] == "resolved"
    assert whole.document["chain_ok"] is True


def test_the_document_has_exactly_what_was_promised(whole: Run) -> None:
    told = whole.document
    assert set(told) == CASE_KEYS | {"elapsed_ms"}
    assert all(type(told[name]) is int for name in ("events", "evidence_count", "elapsed_ms"))
    assert all(set(item) == ACTION_KEYS for item in told["actions"])
    assert all(set(item) == {"text", "citations", "confidence"} for item in told["findings"])
    assert all(0 <= item["confidence"] <= 1 for item in told["findings"])
    assert all(0 <= index < told["evidence_count"] for item in told["findings"] for index in item["citations"])


def test_what_is_owed_is_paid_after_the_win_and_its_derivation_says_why(whole: Run) -> None:
    decision = whole.document["decision"]
    assert (decision["kind"], decision["amount_minor"], decision["currency"]) == ("credit", 56000, "usd")
    assert decision["derivation"]["value_minor"] == 56000
    inputs = decision["derivation"]["inputs"].values()
    assert all(set(item) == {"value", "evidence", "field", "unit"} for item in inputs)
    assert action(whole.document, "stripe_refund")["external_ref"].startswith("re_")
    lines = whole.progress.splitlines()
    won = next(place for place, line in enumerate(lines) if "dispute.won" in line)
    paid = next(place for place, line in enumerate(lines) if "stripe_refund" in line and "is about to be" in line)
    assert won < paid


def test_two_different_people_approved(whole: Run) -> None:
    assert [given["email"] for given in action(whole.document, "stripe_refund")["approvals"]] == [PRIYA, MARCUS]


def test_what_the_demo_left_can_be_looked_at_and_verified(whole: Run) -> None:
    case_id, data = whole.document["case_id"], str(whole.data)
    shown = run("cases", "show", case_id, "--data", data)
    assert shown.exit_code == Exit.FINE
    assert "now resolved" in shown.stdout
    assert document(run("audit", "verify", case_id, "--data", data, "--json"))["ok"] is True
    assert document(run("cases", "watch", case_id, "--data", data, "--json"))["state"] == "resolved"
    assert list((whole.data / "outbox").iterdir())


def test_one_approver_of_two_leaves_the_case_waiting_and_ends_with_1(half: Run) -> None:
    assert half.status == Exit.NO
    assert half.document["state"] == "awaiting_approval"
    assert "waits for a person" in half.progress
    assert action(half.document, "stripe_refund")["state"] == "awaiting_approval"


def test_the_second_approval_lets_the_world_go_on_to_its_end(half: Run) -> None:
    case_id, data = half.document["case_id"], str(half.data)
    ended = run("cases", "approve", case_id, "--as", MARCUS, "--data", data, "--json")
    assert ended.exit_code == Exit.FINE, ended.stderr
    assert document(ended)["state"] == "resolved"
    again = run("trigger", EVENT, "--duplicate", "5", "--data", data, "--json")
    assert again.exit_code == Exit.FINE, again.stderr
    told = document(again)
    # The first one may be new to the inbox: an event is kept for weeks, and the issuer took two months.
    assert [item["http_status"] for item in told["deliveries"]] == [200] * 5
    assert sum(item["known"] for item in told["deliveries"]) >= 4
    (case,) = told["cases"]
    assert case["state"] == "resolved"
    assert case["actions"] == document(ended)["actions"]


@pytest.fixture
def warned(tmp_path: Path) -> Path:
    """A world in which a warning comes, which is for a person, and a day later an event that concerns nothing."""
    world = tmp_path / "warned"
    shutil.copytree(find_world("aperture"), world, ignore=shutil.ignore_patterns("events", "expect.yaml"))
    (world / "world.yaml").write_text((world / "world.yaml").read_text().replace("name: aperture", "name: warned"))
    (world / "events").mkdir()
    warning = {"id": "issfr_1", "object": "radar.early_fraud_warning", "charge": CHARGE, "actionable": True}
    payout = {"id": "po_1", "object": "payout", "amount": 100, "currency": "usd"}
    for number, kind, item in ((1, "radar.early_fraud_warning.created", warning), (2, "payout.paid", payout)):
        at = NOON + 86400 * (number - 1)
        event = {"id": f"evt_{number}", "object": "event", "type": kind, "created": at, "livemode": False}
        body = {**event, "api_version": "2026-04-22.dahlia", "data": {"object": {**item, "created": at}}}
        (world / "events" / f"{number:02}-{kind}.json").write_text(json.dumps(body))
    return world


def test_a_case_that_rightly_waits_for_a_person_ends_with_1_until_it_is_answered(warned: Path, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    ended = run("demo", str(warned), *data)
    assert ended.exit_code == Exit.NO, ended.stderr
    assert "waits for a person: it is manual review" in ended.stdout
    assert "acknowledged, nothing to do: payout.paid" in ended.stdout
    (case,) = document(run("cases", "list", *data, "--json"))["cases"]
    wrong = run("cases", "answer", case["case_id"], "shrug", "--as", PRIYA, "--no-run", *data, "--json")
    assert wrong.exit_code == Exit.USAGE
    assert "handled_outside" in document(wrong)["error"]["message"]
    right = run("cases", "answer", case["case_id"], "handled_outside", "--as", PRIYA, "--no-run", *data, "--json")
    assert right.exit_code == Exit.FINE
    assert document(right)["state"] == "resolved"


def test_evaluation_passes_the_shipped_world() -> None:
    ended = run("eval", "aperture", "--json")
    told = document(ended)
    (world,) = told["worlds"]
    assert (world["name"], world["passed"], world["failures"], world["not_checked"]) == ("aperture", True, [], [])
    assert world["got"][0] | {"state": "resolved"} == world["got"][0]
    assert {"decision": "credit", "amount_minor": 56000}.items() <= world["got"][0].items()
    assert {"decision": "credit", "amount_minor": 56000}.items() <= world["expected"][0].items()
    assert (ended.exit_code, told["passed"], told["failed"]) == (Exit.FINE, 1, 0)


def test_an_interrupted_demo_ends_with_130_and_leaves_no_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "infra.cli", "demo", "--data", str(tmp_path / "data")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as demo:
        assert demo.stdout is not None
        assert "aperture" in demo.stdout.readline()
        os.kill(demo.pid, signal.SIGINT)
        _, said = demo.communicate(timeout=60)
    assert demo.returncode == Exit.INTERRUPTED
    assert "interrupted" in said
    with pytest.raises(ProcessLookupError):
        os.killpg(demo.pid, 0)
