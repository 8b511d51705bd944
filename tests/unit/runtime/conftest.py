"""Fixtures of the runtime's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.runtime.house import House, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    """A queue whose clock stands still until a test moves it."""
    with house(tmp_path) as made:
        yield made
