"""The emulator from outside: tokens, the admin interface, the process."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from google.auth import jwt

from infra.fakes.cloud_tasks import Emulator, EmulatorClock, RunningEmulator, connect
from tests.unit.fakes_cloud_tasks.conftest import LOCATION, QUEUE, START, Bench

ACCOUNT = "tasks@acme.iam.gserviceaccount.com"


def call(url: str, method: str, path: str, body: str = "") -> tuple[int, Any]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        connection.request(method, path, body or None)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def claims(bench: Bench, authorization: str) -> dict[str, Any]:
    """The claims of a token whose signature holds against the keys that are served."""
    _, certs = call(bench.running.admin_url, "GET", urlsplit(bench.running.certs_url).path)
    decode: Any = jwt.decode
    decoded: dict[str, Any] = decode(authorization.removeprefix("Bearer "), certs=certs)
    return decoded


def test_an_oidc_token_names_the_account_and_by_default_the_url(bench: Bench) -> None:
    bench.task("t", request={"oidc_token": {"service_account_email": ACCOUNT}, "headers": {"authorization": "mine"}})
    bench.settle()
    told = claims(bench, bench.worker.seen[0].headers["AUTHORIZATION"])
    assert (told["iss"], told["email"], told["email_verified"]) == ("https://accounts.google.com", ACCOUNT, True)
    assert told["aud"] == bench.url
    assert told["exp"] - told["iat"] == 3600


def test_an_oidc_token_carries_the_audience_that_the_task_asks_for(bench: Bench) -> None:
    bench.task("t", request={"oidc_token": {"service_account_email": ACCOUNT, "audience": "https://specialist"}})
    bench.settle()
    assert claims(bench, bench.worker.seen[0].headers["AUTHORIZATION"])["aud"] == "https://specialist"


def test_an_oauth_token_is_an_opaque_one(bench: Bench) -> None:
    bench.task("t", request={"oauth_token": {"service_account_email": ACCOUNT}})
    bench.settle()
    assert bench.worker.seen[0].headers["AUTHORIZATION"].startswith("Bearer ya29.")


def test_a_task_that_asks_for_no_token_keeps_its_own(bench: Bench) -> None:
    bench.task("t", request={"headers": {"Authorization": "Bearer mine"}})
    bench.settle()
    assert bench.worker.seen[0].headers["AUTHORIZATION"] == "Bearer mine"


def test_the_keys_are_served_as_a_json_web_key_set_too(bench: Bench) -> None:
    _, certs = call(bench.running.admin_url, "GET", "/oauth2/v1/certs")
    _, jwks = call(bench.running.admin_url, "GET", "/oauth2/v3/certs")
    assert [key["kid"] for key in jwks["keys"]] == list(certs)
    assert {"kty", "alg", "use", "n", "e"} <= set(jwks["keys"][0])


def test_the_admin_interface_moves_time_waits_and_says_what_is_there(bench: Bench) -> None:
    bench.worker.answer = lambda seen: 500
    bench.task("t", retry_config={"max_attempts": 1})
    admin = bench.running.admin_url
    assert call(admin, "POST", "/idle", '{"timeout_s": 20}') == (200, {"idle": True})
    status, told = call(admin, "GET", "/")
    assert (status, told["address"], told["now"], told["dropped"]) == (
        200,
        bench.running.address,
        START.isoformat(),
        1,
    )
    assert told["queues"][QUEUE] == {"ready": 0, "delayed": 0, "running": 0, "paused": False}
    assert call(admin, "GET", "/dropped")[1]["dropped"] == [
        {"name": f"{QUEUE}/tasks/t", "at": START.isoformat(), "attempts": 1, "last_status": 500}
    ]
    assert call(admin, "POST", "/clock", '{"advance_s": 90}') == (200, {"now": "2026-03-02T09:01:30+00:00"})


@pytest.mark.parametrize("body", ["", "[]", "{", '{"advance_s": "1"}', '{"advance_s": -1}', '{"advance_s": true}'])
def test_a_clock_cannot_be_moved_by_nonsense(bench: Bench, body: str) -> None:
    assert call(bench.running.admin_url, "POST", "/clock", body)[0] == 400
    assert call(bench.running.admin_url, "GET", "/nothing")[0] == 404


def test_a_port_that_is_taken_is_said_to_be(bench: Bench) -> None:
    port = int(bench.running.address.rsplit(":", 1)[1])
    with pytest.raises(OSError, match="cannot be listened on"):
        RunningEmulator(Emulator(), port=port)


def test_time_runs_by_itself_unless_it_is_frozen() -> None:
    running, frozen = EmulatorClock(START), EmulatorClock(START, frozen=True)
    later = START + timedelta(hours=1)
    assert running.now() > START
    assert 0 < (running.until(later) or 0) < 3600
    assert (frozen.now(), frozen.until(later)) == (START, None)
    assert frozen.advance(3600) == later
    assert frozen.until(later) == 0.0


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "infra.fakes.cloud_tasks", "--port", "0", "--queue", QUEUE, "--exit-with-parent"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


def test_the_command_says_where_it_is_serves_and_ends_when_told(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    started = json.loads(process.stdout.readline())
    assert started["pid"] == process.pid
    client = connect(started["address"])
    assert [queue.name for queue in client.list_queues(parent=LOCATION)] == [QUEUE]
    assert call(started["admin_url"], "GET", "/")[1]["address"] == started["address"]
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0


def test_the_command_ends_with_whoever_started_it(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()
    process.stdin.close()
    assert process.wait(20) == 0
