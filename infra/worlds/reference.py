"""The parts of README.md that follow from the code and from docs/policies/: rule kinds, tables and columns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from infra.sources.catalog import catalogue
from shared.errors import NotFound

README = Path(__file__).with_name("README.md")
KINDS = Path(__file__).parents[2] / "docs" / "policies"


def written(text: str) -> str:
    """The page with its parts made anew. Raises NotFound when the pages of the rule kinds are not here."""
    return _between(_between(text, "kinds", _kinds()), "tables", _tables())


def _between(text: str, name: str, content: str) -> str:
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{content}\n{end}{after}"


def _kinds() -> str:
    """Every page of docs/policies/ as a section of its own."""
    pages = sorted(KINDS.glob("*.md"))
    if not pages:
        raise NotFound(f"{KINDS} holds no pages: the reference is made in a checkout of the project")
    return "\n".join(re.sub(r"^#", "###", page.read_text(encoding="utf-8")) for page in pages)


def _tables() -> str:
    lines: list[str] = []
    for table in catalogue().values():
        columns = ((column.name, column.type, column.description) for column in table.columns)
        lines += [f"### {table.name}", "", table.description, "", *_table(columns), ""]
    return "\n".join(lines)


def _table(columns: Iterable[tuple[str, str, str]]) -> list[str]:
    rows = [f"| `{name}` | {kind} | {meaning} |" for name, kind, meaning in columns]
    return ["| column | type | meaning |", "|---|---|---|", *rows]
