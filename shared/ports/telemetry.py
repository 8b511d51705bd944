"""Seeing what happens: whatever is done and logged inside a piece of work belongs to it. Identifiers only, never texts.

A case has one trace, whoever works on it: the one in which it was opened. Everything that is sent about it carries that
trace, and where somebody records spans also a W3C traceparent, which names the sender's span as the parent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Final, Protocol

TRACEPARENT: Final = "traceparent"
"""The attribute of messages and tasks that carries the sender's span."""
_TRACEPARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?P<trace>(?!0{32})[0-9a-f]{32})-(?P<span>(?!0{16})[0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?"
)


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work as logs and spans name it. `trace`: 32 hexadecimal digits; `parent`: the sender's span or ""."""

    step: str
    trace: str
    parent: str = ""
    org: str = ""
    case_id: str = ""
    details: Mapping[str, str | int] = field(default_factory=dict)
    """Further identifiers and counts: which round, specialist, action or event, and which delivery."""


class Telemetry(Protocol):
    """Whoever sees what happens; must never fail the caller."""

    def doing(self, work: Work) -> AbstractContextManager[None]:
        """What is done and logged inside the block belongs to this work."""
        ...

    def report(self, numbers: Mapping[str, int]) -> None:
        """Values of metrics by name (shared.steps.metrics)."""
        ...


class Unseen:
    """Nobody looks."""

    def doing(self, work: Work) -> AbstractContextManager[None]:
        """The block as it is."""
        return nullcontext()

    def report(self, numbers: Mapping[str, int]) -> None:
        """Say nothing."""


def traceparent(trace: str, span: str) -> str:
    """The W3C form of a trace and the span in it that is to be the parent; recorded."""
    return f"00-{trace}-{span}-01"


def parent_of(text: str) -> tuple[str, str] | None:
    """Trace and span of a W3C traceparent; None for anything else."""
    found = _TRACEPARENT.fullmatch(text.strip())
    return None if found is None else (found["trace"], found["span"])
