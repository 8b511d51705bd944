"""policies/*.md: merchant policies, front matter and prose, as rows of policies.documents."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field, field_validator

from infra.worlds.documents import yaml_document
from infra.worlds.folder import Folder
from infra.worlds.tables import Row
from infra.worlds.validation import Entry, validated
from shared.case.canonical import canonical

TABLE = "policies.documents"
_FENCE = "---"


class FrontMatter(Entry):
    """What a policy says about itself. `applies_to`: its topics, empty for a page that is found by its words; `rule`:
    its machine-readable form, if any."""

    id: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    title: str = Field(min_length=1)
    status: Literal["current", "draft", "superseded"]
    effective_from: date
    applies_to: str | tuple[str, ...] = ()
    url: str = Field(pattern=r"^https?://")
    rule: dict[str, object] | None = None

    @field_validator("rule")
    @classmethod
    def _rule_has_a_kind(cls, rule: dict[str, object] | None) -> dict[str, object] | None:
        if rule is not None and not (isinstance(rule.get("kind"), str) and rule["kind"]):
            raise ValueError("a rule names its kind")
        if rule is not None:
            try:
                canonical(rule)
            except TypeError:
                raise ValueError(
                    "a rule holds text, whole numbers, booleans, lists and mappings; quote dates"
                ) from None
        return rule


def read_policies(folder: Folder) -> list[Row]:
    """The policies in file order. Raises InvalidInput for a fault in one of them, or an id used twice."""
    rows: list[Row] = []
    places: dict[str, Path] = {}
    for path in folder.files(".md", "policies"):
        row = _read_policy(folder, path)
        first = places.setdefault(str(row["id"]), path)
        if first != path:
            raise folder.fault(path, f"the policy id {row['id']!r} is already used by {first.name}")
        rows.append(row)
    return rows


def _read_policy(folder: Folder, path: Path) -> Row:
    lines = folder.read(path).splitlines()
    if not lines or lines[0].strip() != _FENCE:
        raise folder.fault(path, f"a policy starts with front matter between two lines of {_FENCE}", 1)
    end = next((n for n, line in enumerate(lines[1:], start=1) if line.strip() == _FENCE), None)
    if end is None:
        raise folder.fault(path, f"the front matter has no closing line of {_FENCE}", 1)
    body = "\n".join(lines[end + 1 :]).strip()
    if not body:
        raise folder.fault(path, "the policy has no text below its front matter", end + 1)
    document = yaml_document(folder, path, text="\n".join(lines[1:end]), first_line=2)
    front = validated(folder, document, FrontMatter)
    topics = front.applies_to if isinstance(front.applies_to, str) else ", ".join(front.applies_to)
    return {
        "id": front.id,
        "title": front.title,
        "status": front.status,
        "effective_from": front.effective_from.isoformat(),
        "applies_to": topics,
        "rule": None if front.rule is None else canonical(front.rule),
        "url": front.url,
        "body": body,
    }
