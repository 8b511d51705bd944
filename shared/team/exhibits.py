"""The evidence of a case as the synthesizer reads it: by table, by record, the latest reading of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from shared.case.evidence import Cell, Evidence, EvidenceKind

_DECIMAL = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")


class Exhibits:
    """Evidence by table and record. A record that was read twice counts as read last."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        self._by_index = {item.index: item for item in evidence}
        latest: dict[tuple[EvidenceKind, str, str], Evidence] = {}
        for item in sorted(evidence, key=lambda item: item.index):
            latest[(item.row.kind, item.row.table, item.row.record_id)] = item
        self._latest = sorted(latest.values(), key=lambda item: item.index)

    def lookup(self, index: int) -> Evidence | None:
        """The evidence with this index, as a derivation or a citation names it."""
        return self._by_index.get(index)

    def all(self) -> list[Evidence]:
        """Every record and absence, in index order."""
        return list(self._latest)

    def rows(self, *tables: str) -> list[Evidence]:
        """The records of these tables, in index order."""
        return [item for item in self._latest if item.row.kind is EvidenceKind.ROW and item.row.table in tables]

    def one(self, table: str, record_id: str | None) -> Evidence | None:
        """One record of a table."""
        return next((item for item in self.rows(table) if item.row.record_id == record_id), None)

    def absences(self, *labels: str) -> list[Evidence]:
        """The absences with these labels, in index order."""
        return [item for item in self._latest if item.row.kind is EvidenceKind.ABSENCE and item.row.record_id in labels]


def text(item: Evidence, *names: str) -> str:
    """The text of some fields of a row, one below the other; empty where there is none."""
    return "\n".join(value for name in names if isinstance(value := item.row.fields.get(name), str) and value)


def whole(item: Evidence | None, name: str) -> int | None:
    """A whole number in a row; None where there is none."""
    value: Cell = item.row.fields.get(name) if item else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def decimal(cell: Cell) -> Fraction | None:
    """A number as the sources write it: a whole one, or decimal text; None for anything else."""
    if isinstance(cell, bool) or cell is None:
        return None
    return Fraction(cell) if _DECIMAL.fullmatch(str(cell)) else None


def indexes(items: Iterable[Evidence | None]) -> tuple[int, ...]:
    """What to cite for these rows: each once, in order."""
    return tuple(sorted({item.index for item in items if item is not None}))
