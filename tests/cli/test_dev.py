"""`manthan dev` as a process: served over HTTP, worked on from other commands, and gone when it is asked to end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from infra.cli.folder import DataFolder, locked
from infra.cli.output import Exit
from infra.dev.places import PLACES
from infra.local.apps import FUNCTIONS
from tests.cli.conftest import Shelf, document, run

PRIYA, MARCUS = "priya.raman@northlight.example", "marcus.feld@northlight.example"
EVENT = "charge.dispute.created"
PATIENCE_S = 60.0


@dataclass
class Dev:
    """A running `manthan dev`. `told`: its story so far, as it comes."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]
    told: list[str] = field(default_factory=list)

    @property
    def data(self) -> Path:
        return Path(self.ready["data"])

    def ask(self, url: str, body: bytes | None = None) -> tuple[int, bytes]:
        target = urlsplit(url)
        connection = http.client.HTTPConnection(str(target.hostname), target.port, timeout=30)
        try:
            connection.request("GET" if body is None else "POST", target.path, body)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def world_time(self) -> int:
        _, answer = self.ask(f"{self.ready['stripe']}/_double/clock")
        return int(json.loads(answer)["now"])

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=PATIENCE_S)


@contextmanager
def dev(cwd: Path, *arguments: str) -> Iterator[Dev]:
    """Start one and wait until it is ready; whatever happens, it is gone afterwards."""
    command = [sys.executable, "-m", "infra.cli", "dev", "--port", "0", "--json", *arguments]
    root = str(Path(__file__).resolve().parents[2])
    environment = {**os.environ, "PYTHONPATH": root}
    with subprocess.Popen(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            running = Dev(process, json.loads(line))
            follower = threading.Thread(target=lambda: running.told.extend(iter(process.stderr)))  # type: ignore[arg-type]
            follower.start()
            yield running
        finally:
            process.kill()
    follower.join(timeout=PATIENCE_S)


def until(what: Callable[[], bool]) -> bool:
    """Whether it came about within our patience."""
    pause, ends_at = threading.Event(), monotonic() + PATIENCE_S
    while not (found := what()) and monotonic() < ends_at:
        pause.wait(0.05)
    return found


def children(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found += [int(entry.name), *children(int(entry.name))]
    return found


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def state_of(case_id: str) -> str:
    return str(document(run("cases", "show", case_id, "--json"))["state"])


def test_a_case_from_its_event_to_its_end_with_other_commands_at_work_beside_it(elsewhere: Path) -> None:
    with dev(elsewhere, "--jump") as running:
        started = children(running.process.pid)

        # It says where everything is, and only its owner can read the secret.
        assert set(running.ready) == {"ready", "world", "functions", "webhook", "stripe", "data", "secret_file"}
        assert set(running.ready["functions"]) == set(FUNCTIONS)
        assert Path(running.ready["secret_file"]).stat().st_mode & 0o777 == 0o600
        assert running.ask(running.ready["webhook"], b"{}")[0] == 400
        assert running.ask(running.ready["functions"]["triage"], b"{}")[0] == 204

        # A signed event is accepted and investigated, function by function over HTTP.
        delivered = document(run("trigger", EVENT, "--dev", "--json"))
        assert [delivery["http_status"] for delivery in delivered["deliveries"]] == [200]
        assert until(lambda: document(run("cases", "list", "--json"))["count"] == 1)
        (case,) = document(run("cases", "list", "--json"))["cases"]
        case_id = case["case_id"]
        watched = document(run("cases", "watch", case_id, "--json"))
        assert watched["state"] == "awaiting_approval"
        assert delivered["world"] == "aperture"

        # With effects stopped nothing that two people approve is carried out, however long that takes.
        document(run("effects", "stop", "--as", PRIYA, "--data", str(running.data), "--json"))
        for email in (PRIYA, MARCUS):
            told = document(run("cases", "approve", case_id, "--as", email, "--json"))
        assert told["state"] == "acting"
        assert all(given["at"] >= watched_at(watched) for action in told["actions"] for given in action["approvals"])

        # Once they are on again everything is, at once, and the world goes on to the issuer's verdict.
        document(run("effects", "start", "--as", MARCUS, "--json"))
        assert until(lambda: state_of(case_id) == "resolved"), running.told
        told = document(run("cases", "show", case_id, "--json"))
        assert told["chain_ok"] is True
        assert {action["state"] for action in told["actions"]} == {"succeeded"}

        # Asked to end, it leaves nothing behind: no process, no listener, no data.
        assert started
        assert running.end() == Exit.FINE
    assert until(lambda: all(is_gone(pid) for pid in started))
    for url in (*running.ready["functions"].values(), running.ready["stripe"]):
        with socket.socket() as caller:
            assert caller.connect_ex(("127.0.0.1", urlsplit(url).port or 0)) != 0
    assert not running.data.exists()
    assert any("now resolved" in line for line in running.told)
    assert any("payments analyst reported" in line for line in running.told)
    assert not any("Traceback" in line or "whsec_" in line for line in running.told)


def watched_at(watched: dict[str, Any]) -> str:
    """The instant of the last line that was watched, as it begins an ISO one."""
    return str(watched["lines"][-1][:19]).replace(" ", "T")


def test_persisted_data_goes_on_and_a_request_that_is_opened_meanwhile_reaches_the_specialists(
    elsewhere: Path,
) -> None:
    data = ("--data", "kept")
    with dev(elsewhere, "--world", "wren", "--persist", "kept", "--speed", "600") as running:
        # The world's time goes much faster than ours while nothing runs.
        began, since = running.world_time(), monotonic()
        assert until(lambda: running.world_time() - began > 120)
        assert (running.world_time() - began) > 20 * (monotonic() - since)
        ended = run("cases", "open", "--as", "noa.perry@papercrane.example", "--text", "A question.", *data, "--json")
        assert ended.exit_code == Exit.FINE, ended.stderr
        told = document(ended)
        assert told["state"] in ("manual_review", "awaiting_answer", "awaiting_approval")
        shown = document(run("cases", "show", told["case_id"], "--evidence", *data, "--json"))
        requests = [row["record_id"] for row in shown["evidence"] if row["table"] == "manthan.requests"]
        assert told["request"]["id"] in requests
        at = running.world_time()
        assert running.end(signal.SIGINT) == Exit.FINE
    kept = {entry.name for entry in (elsewhere / "kept").iterdir()}
    assert "manthan.db" in kept
    assert not kept & {"dev.json", "webhook-secret"}
    with dev(elsewhere, "--world", "wren", "--persist", "kept") as running:
        assert running.world_time() >= at
        assert [case["case_id"] for case in document(run("cases", "list", *data, "--json"))["cases"]] == [
            told["case_id"]
        ]
        # Without its Stripe it cannot go on: it ends, and says why.
        (double,) = (pid for pid in children(running.process.pid) if "infra.fakes.stripe" in command_of(pid))
        os.kill(double, signal.SIGKILL)
        assert running.process.wait(timeout=PATIENCE_S) == Exit.ENVIRONMENT
        assert running.process.stdout is not None
        assert "the simulated Stripe" in json.loads(running.process.stdout.read())["error"]["message"]


def test_a_busy_port_ends_with_3_and_says_what_to_do(elsewhere: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        first = busy.getsockname()[1] - PLACES.index("stripe_webhook")
        ended = run("dev", "--port", str(first), "--json")
    assert ended.exit_code == Exit.ENVIRONMENT
    error = document(ended)["error"]
    assert error["code"] == "port_busy"
    assert "--port" in error["message"]
    assert not (elsewhere / ".manthan").exists()


def test_a_folder_that_another_command_runs_ends_with_3(tmp_path: Path) -> None:
    with locked(tmp_path):
        ended = run("dev", "--port", "0", "--persist", str(tmp_path), "--json")
    assert ended.exit_code == Exit.ENVIRONMENT
    assert document(ended)["error"]["code"] == "folder_in_use"


def test_without_a_running_dev_one_is_told_to_start_it(shelf: Shelf, elsewhere: Path) -> None:
    for more in ((), shelf.data):
        ended = run("trigger", EVENT, "--dev", *more)
        assert ended.exit_code == Exit.USAGE
        assert "no `manthan dev` runs" in ended.stderr


def test_an_address_that_a_killed_dev_has_left_is_no_running_dev(shelf: Shelf) -> None:
    posted = {name: "" for name in ("world", "webhook", "stripe", "data", "secret_file")}
    (shelf.path / "dev.json").write_text(json.dumps({**posted, "functions": {}}))
    assert DataFolder.at(shelf.path).dev is None
    with locked(shelf.path):
        assert DataFolder.at(shelf.path).dev is not None
