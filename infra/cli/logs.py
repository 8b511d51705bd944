"""The log of a run: what its functions warn of, in a file beside its data instead of between a command's lines."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.telemetry.logs import PlainLines


@contextmanager
def logged_to(path: Path) -> Iterator[None]:
    """Write warnings and errors to this file while the block runs; without any, the file is not made."""
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setLevel(logging.WARNING)
    handler.setFormatter(PlainLines())
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()
