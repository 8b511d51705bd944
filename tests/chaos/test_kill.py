"""kill -9 at any port call, restart, go on: one case, resolved once, and every effect once."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.chaos.facts import Facts, problems
from tests.chaos.undisturbed import WORLD, record_undisturbed_run

ROOT = Path(__file__).parents[2]
PROCESSES = 2


def run_seeds(data: Path, seeds: list[int], *, soak: bool) -> list[Facts]:
    """The runs of these seeds, side by side in a few processes."""

    def some(mine: list[int]) -> list[Facts]:
        options = ["--soak"] if soak else []
        command = [sys.executable, "-m", "tests.chaos.child", *options, str(data), WORLD, *map(str, mine)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    with ThreadPoolExecutor(PROCESSES) as pool:
        shares = pool.map(some, [seeds[start::PROCESSES] for start in range(PROCESSES)])
    return sorted((run for share in shares for run in share), key=lambda run: run["seed"])


def show(runs: list[Facts], seconds: float) -> set[str]:
    """Print what ran; the distinct port calls at which a process died."""
    hit = {death.partition(" ")[2] for run in runs for death in run["deaths"] if not death.startswith("at a moment")}
    for run in runs:
        print(f"seed {run['seed']}: {', '.join(run['deaths']) or 'no death'}")
    deaths = sum(len(run["deaths"]) for run in runs)
    print(f"{len(runs)} runs, {deaths} kills at {len(hit)} distinct port calls in {seconds:.1f} s:")
    print(", ".join(sorted(hit)))
    return hit


def faults(runs: list[Facts]) -> list[str]:
    """What is wrong with which run."""
    found = []
    for run in runs:
        wrong = problems(run["facts"]) if run["facts"] is not None else [f"it ended in an error: {run['log']}"]
        found += [f"seed {run['seed']} ({', '.join(run['deaths'])}): {problem}" for problem in wrong]
    return found


def kill_and_judge(data: Path, seeds: list[int], *, soak: bool, distinct: int) -> None:
    """Play the world once per seed, and hold every run to the same verdict."""
    assert problems(record_undisturbed_run(data)) == []
    since = time.monotonic()
    runs = run_seeds(data, seeds, soak=soak)
    hit = show(runs, time.monotonic() - since)
    assert faults(runs) == []
    assert all(run["deaths"] for run in runs)
    assert len(hit) >= distinct


@pytest.mark.timeout(600)
def test_a_case_survives_kill_minus_nine_at_any_port_call(tmp_path: Path) -> None:
    kill_and_judge(tmp_path, list(range(1, 21)), soak=False, distinct=15)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_case_survives_kill_minus_nine_at_any_moment(tmp_path: Path) -> None:
    kill_and_judge(tmp_path, list(range(101, 161)), soak=True, distinct=25)
