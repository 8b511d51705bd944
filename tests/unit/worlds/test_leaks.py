"""The linter that refuses a world which gives its answer away."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.worlds import find_world, shipped_worlds
from infra.worlds.leaks import leaks

Change = Callable[[Path], None]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(find_world("aperture"), tmp_path / "aperture"))


@pytest.mark.parametrize("name", shipped_worlds())
def test_no_shipped_world_gives_its_answer_away(name: str) -> None:
    assert leaks(find_world(name)) == ()


def appended(relative: str, text: str) -> Change:
    def change(root: Path) -> None:
        path = root / relative
        path.write_text(path.read_text() + text)

    return change


def row(**fields: object) -> str:
    return json.dumps(fields) + "\n"


SLACK = "sources/slack/messages.jsonl"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (appended(SLACK, row(id="x1", expected_decision="credit")), "a key names the answer"),
        (appended(SLACK, row(id="x1", gold_amount_minor=1)), "a key names the answer"),
        (appended(SLACK, row(id="x1", text="Recommended decision: credit")), "a text speaks of the answer"),
        (appended(SLACK, row(id="x1", text="there was no such outage")), "a text speaks of the answer"),
        (appended(SLACK, row(id="x1", text="This dispute should be contested.")), "says what is to be done"),
        (appended(SLACK, row(id="x1", text="that makes $560.00")), "has to be worked out stands here: 560.00"),
        (appended(SLACK, row(id="x1", cents=56000)), "has to be worked out stands here: 56000"),
        (appended("policies/par-2026.md", "\nThe ground truth is below.\n"), "a text speaks of the answer"),
    ],
)
def test_a_leak_is_named_with_its_file_and_line(copied: Path, change: Change, said: str) -> None:
    change(copied)
    (leak,) = leaks(copied)
    assert said in leak.what
    assert (copied / leak.path).read_text().splitlines()[leak.line - 1]


@pytest.mark.parametrize(
    "text",
    [
        "I expect a refund for the two days",
        "Our decision to move plans was made in March",
        "5600 exports, 560.005 seconds, 156000 rows",
        "should we refund them?",
    ],
)
def test_what_people_write_every_day_is_no_leak(copied: Path, text: str) -> None:
    appended(SLACK, row(id="x1", text=text))(copied)
    assert leaks(copied) == ()


def test_a_policy_may_say_what_is_to_be_done_in_general(copied: Path) -> None:
    appended("policies/par-2026.md", "\nA charge within 30 days should be refunded.\n")(copied)
    assert leaks(copied) == ()
