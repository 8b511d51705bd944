"""Drawing documents: the core says what an exhibit holds, an adapter makes the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.case.document import Document


@dataclass(frozen=True, slots=True)
class Rendered:
    """A finished file. `replaced`: the characters that its font lacks, each shown by its code point instead."""

    content: bytes
    pages: int
    sha256: str
    replaced: tuple[str, ...] = ()


Render = Callable[[Document], Rendered]
"""Deterministic: the same document gives the same bytes, on any day and any machine. Raises InvalidInput."""
