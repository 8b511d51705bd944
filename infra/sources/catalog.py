"""The catalogue as data: every table that specialists can ask for, whichever source answers."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import MappingProxyType

from shared.ports.sources import Column, Table

COLUMN_TYPES = ("text", "integer", "boolean", "timestamp", "decimal", "json")
"""What a column can be. A timestamp is shown as ISO 8601 in UTC, a decimal as a decimal string, JSON as text."""

_DATA = Path(__file__).with_name("catalog.toml")


@cache
def catalogue() -> Mapping[str, Table]:
    """The known tables by qualified name, in name order; a world may hold fewer rows or more tables than these."""
    entries = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    tables = {name: Table(name, entry["description"], _columns(entry["columns"])) for name, entry in entries.items()}
    return MappingProxyType(dict(sorted(tables.items())))


def nearest(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """Up to three known tables that `name` may have meant: the same table under a schema first, then similar names."""
    wanted = name.lower()
    tables = sorted(known)
    same = [table for table in tables if table.split(".")[-1] == wanted.split(".")[-1]]
    similar = get_close_matches(wanted, tables, n=3, cutoff=0.6)
    return tuple(dict.fromkeys(same + similar))[:3]


def _columns(lines: str) -> tuple[Column, ...]:
    return tuple(_column(line) for line in lines.strip().splitlines())


def _column(line: str) -> Column:
    name, kind, *meaning = line.split(maxsplit=2)
    if kind not in COLUMN_TYPES:
        raise ValueError(f"{_DATA.name}: column {name} has the unknown type {kind}")
    return Column(name, kind, *meaning)
