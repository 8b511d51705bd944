"""One claim with what it rests on."""

from __future__ import annotations

from shared.case.brief import Finding
from shared.case.evidence import Evidence
from shared.team.exhibits import indexes

READ_OUT, INFERRED, WEAK = 98, 90, 75
"""How sure a claim is, in per cent: read directly in a row, concluded from rows, or only part of the story."""


def claimed(text: str, confidence_pct: int, *cited: Evidence | None) -> Finding | None:
    """A finding that cites these rows; None without any, since a claim without evidence is none."""
    numbers = indexes(cited)
    return Finding(text=text, citations=numbers, confidence_pct=confidence_pct) if numbers else None
