"""A child survives nothing that it should not, and takes nobody with it. What is sent here has passed no guard."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest

from infra.sources.worker_process import WorkerProcess, WorkerSettings
from shared.ports.sources import QueryFailed, QueryRefused
from tests.unit.sources.statements import ATTACKS, NOT_ANALYSIS, PASSING_RUNAWAYS, RUNAWAYS

ENDLESS = PASSING_RUNAWAYS["joins on nearly nothing"]
# The engine evaluates these, but all they tell is about itself; the guard refuses them.
HARMLESS = {"settings scalar", "variable", "bare values", "for update", "parameter", "question mark", "write_log"}
RECURSION = {"recursion": NOT_ANALYSIS["recursion"]}
REFUSED_BY_THE_ENGINE = {name: sql for name, sql in ATTACKS.items() if name not in HARMLESS} | RECURSION


def memory_peak_mb(who: int = resource.RUSAGE_SELF) -> float:
    return resource.getrusage(who).ru_maxrss / 1024


def ended(pid: int, within_s: float) -> bool:
    """Whether a process that is not ours to wait for ends in time."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], within_s)[0])
    finally:
        os.close(handle)


@pytest.mark.parametrize("name", [*RUNAWAYS, *PASSING_RUNAWAYS])
def test_a_runaway_fails_within_seconds_and_the_parent_does_not_grow(worker: WorkerProcess, name: str) -> None:
    worker.tables()
    before, started = memory_peak_mb(), monotonic()
    with pytest.raises(QueryFailed):
        worker.query((RUNAWAYS | PASSING_RUNAWAYS)[name], 0.5)
    assert monotonic() - started < 8
    assert memory_peak_mb() - before < 20
    assert not worker.usable
    assert memory_peak_mb(resource.RUSAGE_CHILDREN) < 1500


@pytest.mark.parametrize("sql", REFUSED_BY_THE_ENGINE.values(), ids=REFUSED_BY_THE_ENGINE)
def test_the_engine_refuses_an_attack_by_itself(hardy: WorkerProcess, sql: str) -> None:
    with pytest.raises(QueryRefused):
        hardy.query(sql, 5)
    assert hardy.query("SELECT 1 AS one", 5)["rows"] == [[1]]


def test_a_query_cannot_break_out_of_the_brackets_around_it(hardy: WorkerProcess) -> None:
    for sql in ("SELECT 1) AS a; DROP TABLE stripe.disputes; SELECT (1", "SELECT 1) AS a, stripe.disputes --"):
        with pytest.raises(QueryRefused):
            hardy.query(sql, 5)
    assert hardy.query("SELECT 1 -- a comment that swallows no bracket", 5)["rows"] == [[1]]


def test_no_file_appears_and_none_is_read(hardy: WorkerProcess, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    for sql in (
        f"SELECT * FROM '{secret}'",
        f"SELECT * FROM read_csv('{secret}')",
        f"COPY (SELECT 1) TO '{tmp_path}/x'",
    ):
        with pytest.raises(QueryRefused):
            hardy.query(sql, 5)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_a_child_has_none_of_our_environment(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIPE_API_KEY", "sk_test_1")
    process = WorkerProcess(WorkerSettings(database))
    process.tables()
    environment = Path(f"/proc/{process.pid}/environ").read_bytes()
    process.close()
    assert b"STRIPE_API_KEY" not in environment


def test_a_child_that_hangs_is_killed(worker: WorkerProcess) -> None:
    worker.tables()
    os.kill(worker.pid, signal.SIGSTOP)
    with pytest.raises(QueryFailed, match=r"no answer within 0\.1 s"):
        worker.query("SELECT 1", 0.1)
    assert not worker.usable


def test_a_child_that_dies_during_a_query_fails_the_query(worker: WorkerProcess) -> None:
    worker.tables()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(worker.query, ENDLESS, 30)
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(QueryFailed, match="ended before it answered"):
            answer.result()


def test_a_lost_child_is_not_asked_again(worker: WorkerProcess) -> None:
    worker.kill()
    for _ in range(2):
        with pytest.raises(QueryFailed):
            worker.query("SELECT 1", 1)


def test_a_refusal_leaves_the_child_usable(hardy: WorkerProcess) -> None:
    with pytest.raises(QueryRefused):
        hardy.query("SELECT nothing FROM stripe.disputes", 5)
    assert hardy.usable


def test_a_database_that_cannot_be_opened_fails_queries(tmp_path: Path) -> None:
    process = WorkerProcess(WorkerSettings(tmp_path / "missing.duckdb"))
    with pytest.raises(QueryFailed, match="the database cannot be opened"):
        process.query("SELECT 1", 5)
    process.close()


def test_an_answer_over_the_limit_of_a_frame_is_not_read(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.sources.worker_process._FRAME_MARGIN_BYTES", 0)
    process = WorkerProcess(WorkerSettings(database, max_bytes=100))
    with pytest.raises(QueryFailed):
        process.tables()
    process.close()


def test_a_child_ends_with_its_parent_even_in_the_middle_of_a_query(database: Path) -> None:
    script = """
import sys, threading
from pathlib import Path
from infra.sources.worker_process import WorkerProcess, WorkerSettings
worker = WorkerProcess(WorkerSettings(Path(sys.argv[1])))
worker.tables()
threading.Thread(target=worker.query, args=(sys.argv[2], 30), daemon=True).start()
print(worker.pid, flush=True)
sys.stdin.read()
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", script, str(database), ENDLESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        parent.kill()
    assert ended(child, within_s=5)


def test_the_protocol_is_json_behind_its_length(database: Path) -> None:
    request = json.dumps({"sql": "SELECT 'é' AS a, 1 AS b", "timeout_s": 5}).encode()
    command = [sys.executable, "-m", "infra.sources.worker", str(database), "1500000000", "5", "1000"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin
        assert child.stdout
        child.stdin.write(len(request).to_bytes(4, "big") + request)
        child.stdin.flush()
        greeting, answer = (
            json.loads(child.stdout.read(int.from_bytes(child.stdout.read(4), "big"))) for _ in range(2)
        )
        child.stdin.close()
    assert greeting == {"ready": True}
    assert (answer["columns"], answer["rows"], answer["truncated"]) == (["a", "b"], [["é", 1]], False)
    assert child.returncode == 0
