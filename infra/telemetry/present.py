"""What is being done in this very moment, for whoever logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from shared.ports import Work


@dataclass(frozen=True, slots=True)
class Doing:
    """A piece of work under way. `span`: 16 hexadecimal digits, empty where none is recorded."""

    work: Work
    span: str = ""


_doing: ContextVar[Doing | None] = ContextVar("doing", default=None)


@contextmanager
def doing(work: Work, span: str = "") -> Iterator[None]:
    """What is logged inside belongs to this work."""
    token = _doing.set(Doing(work, span))
    try:
        yield
    finally:
        _doing.reset(token)


def present() -> Doing | None:
    """What this thread is doing; None outside of any work."""
    return _doing.get()
