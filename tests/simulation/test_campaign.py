"""Random campaigns: thousands of seeds, no violation. `manthan simulate --seed N --seeds 1 --story` shows one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from infra.simulation.campaign import Campaign, Judged, campaign, judge
from infra.simulation.story import story
from infra.simulation.weather import RATES
from tests.cli.conftest import document, run

CHUNKS, SEEDS_EACH = 8, 250
SOAK_CHUNKS, SOAK_SEEDS_EACH = 40, 2_100
"""In all about 100,000 cases."""


def clean(first_seed: int, seeds: int) -> Campaign:
    failed: list[str] = []

    def tell(judged: Judged) -> None:
        failed.append(f"{judged.replay}: {judged.violations}")

    total = campaign(first_seed, seeds, tell, lambda total: None)
    assert failed == []
    return total


@pytest.mark.timeout(900)  # many seeds in one test, and measuring coverage slows them down
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_two_thousand_seeds_break_no_rule(chunk: int) -> None:
    total = clean(chunk * SEEDS_EACH, SEEDS_EACH)
    assert total.median_calls >= 60, "too little happens for this to be the real thing"
    assert len(total.faults) > len(RATES) * 0.9, "most kinds of faults should have struck"


@pytest.mark.soak
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("chunk", range(SOAK_CHUNKS))
def test_a_hundred_thousand_cases_break_no_rule(chunk: int) -> None:
    clean(1_000_000 + chunk * SOAK_SEEDS_EACH, SOAK_SEEDS_EACH)


@pytest.mark.parametrize("seed", [52, 1942])
def test_seeds_that_once_failed(seed: int) -> None:
    """A duplicate voided an action that the other delivery was carrying out."""
    assert judge(seed).violations == []


def test_the_same_seed_gives_the_same_run_in_every_process() -> None:
    program = "from infra.simulation.campaign import judge; from infra.simulation.story import story\n"
    program += "print(*story(judge(5).played), sep='\\n')"
    told = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=100,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert told[0].splitlines()
    assert told[0] == told[1]


def test_a_run_follows_neither_the_one_before_it_nor_the_clock_on_the_wall() -> None:
    first = list(story(judge(6).played))
    judge(7)
    assert list(story(judge(6).played)) == first


def test_the_command_prints_one_document() -> None:
    shown = run("simulate", "--seeds", "3", "--seed", "10", "--json")
    told = document(shown)
    assert shown.exit_code == 0
    assert (told["seed"], told["seeds"], told["violations"], told["violation_details"]) == (10, 3, 0, [])
    assert told["cases"] >= 3
    assert told["port_calls"] > told["steps"] > told["cases"]
    assert told["simulated_days"] > 0
    assert told["cases_per_s"] > 0
    assert all(isinstance(count, int) for count in told["faults"].values())


def test_the_command_tells_the_story_of_a_seed() -> None:
    shown = run("simulate", "--seeds", "1", "--seed", "6", "--story")
    assert shown.exit_code == 0
    assert "case_opened" in shown.stdout
    assert "0 violations" in shown.stdout


def test_a_failing_seed_prints_the_command_that_replays_it_and_its_story(monkeypatch: pytest.MonkeyPatch) -> None:
    from shared.steps import act

    monkeypatch.setattr(act, "_found", lambda ports, context, case, action: False)
    failing = next(seed for seed in range(3_000, 3_100) if judge(seed).violations)
    shown = run("simulate", "--seeds", "1", "--seed", str(failing))
    assert shown.exit_code == 1
    assert f"manthan simulate --seed {failing} --seeds 1 --story" in shown.stdout
    assert "looked_up_before_again" in shown.stdout
    assert "case_opened" in shown.stdout
    again = json.loads(run("simulate", "--seeds", "1", "--seed", str(failing), "--json").stdout)
    assert again["violation_details"][0]["seed"] == failing
