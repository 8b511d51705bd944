from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _rarely_collecting() -> Iterator[None]:
    """Runs make little circular garbage: looking for it all the time takes a third of their time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    yield
    gc.set_threshold(*before)
