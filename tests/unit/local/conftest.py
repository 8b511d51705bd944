"""A database file of its own for each test, and a clock that stands still until it is told otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.database import Database
from tests.support.clock import StillClock

__all__ = ["StillClock", "child", "clock", "database"]

ROOT = Path(__file__).parents[3]


def child(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Another Python process that runs this program; use it as a context manager, which closes its pipes and waits."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "manthan.db") as opened:
        yield opened
