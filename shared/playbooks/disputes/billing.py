"""Which line of an invoice a charge paid for, and so which billing cycle it bought."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from shared.case.evidence import Cell
from shared.team.moments import moment

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cycle:
    """A billing cycle, from its first instant to its end."""

    start: datetime
    end: datetime

    def meets(self, start: datetime, end: datetime | None) -> bool:
        """Whether a period shares any time with the cycle; one without an end still goes on."""
        return start < self.end and (end is None or end > self.start)


def cycle_of(line: Mapping[str, Cell]) -> Cycle | None:
    """The cycle an invoice line bills, None when it has none."""
    start, end = moment(line.get("period__start")), moment(line.get("period__end"))
    return Cycle(start, end) if start and end and start < end else None


def main_line(lines: Iterable[tuple[Mapping[str, Cell], T]]) -> T | None:
    """The line that carries the subscription: the largest positive one that has a period; by id among equals.

    `lines` pairs the fields of a line with whatever the caller wants back.
    """
    billed = [(fields, item) for fields, item in lines if _amount(fields) > 0 and cycle_of(fields) is not None]
    billed.sort(key=lambda pair: (-_amount(pair[0]), str(pair[0].get("id"))))
    return billed[0][1] if billed else None


def _amount(fields: Mapping[str, Cell]) -> int:
    amount = fields.get("amount")
    return amount if isinstance(amount, int) else 0
