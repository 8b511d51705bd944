"""A world's time in several processes: one posts it, the others read it."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from infra.cloud.clock import PostedClock, QueueTime, SharedClock

START = datetime(2026, 5, 8, 12, 0, tzinfo=UTC)
ROOT = Path(__file__).parents[3]
SOON = timedelta(seconds=30)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "clock.json"


def test_another_process_reads_the_same_time(file: Path) -> None:
    clock = PostedClock(START, file)
    program = "import sys; from pathlib import Path; from infra.cloud.clock import SharedClock as C; "
    program += "print(C(Path(sys.argv[1])).now().isoformat())"
    before = clock.now()
    told = subprocess.run(
        [sys.executable, "-c", program, str(file)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert before <= datetime.fromisoformat(told.stdout.strip()) <= clock.now()


def test_time_runs_on_by_itself(file: Path) -> None:
    PostedClock(START, file)
    shared = SharedClock(file)
    first = shared.now()
    assert START <= first <= shared.now() < START + SOON


def test_a_jump_is_seen_by_everybody_before_anybody_is_woken_by_it(file: Path) -> None:
    clock, shared = PostedClock(START, file), SharedClock(file)
    seen: list[datetime] = []
    clock.on_jump(lambda: seen.append(shared.now()))
    clock.jump_to(START + timedelta(days=75))
    assert START + timedelta(days=75) <= seen[0] < START + timedelta(days=75) + SOON


def test_a_jump_back_changes_nothing(file: Path) -> None:
    clock, shared = PostedClock(START, file), SharedClock(file)
    clock.jump_to(START - timedelta(days=1))
    assert shared.now() >= START


def test_the_queues_follow_the_world(file: Path) -> None:
    clock = PostedClock(START, file)
    queues = QueueTime(clock)
    clock.jump_to(START + timedelta(days=1))
    assert START + timedelta(days=1) <= queues.now() < START + timedelta(days=1) + SOON
    queues.advance(3600)
    assert clock.now() >= START + timedelta(days=1, hours=1)
    with pytest.raises(ValueError, match="backwards"):
        queues.advance(-1)
    assert queues.until(clock.now() - SOON) == 0.0


def test_the_next_world_may_be_an_earlier_one(file: Path) -> None:
    queues = QueueTime(PostedClock(START, file))
    queues.follow(PostedClock(START - timedelta(days=30), file))
    assert queues.now() < START
    assert SharedClock(file).now() < START
