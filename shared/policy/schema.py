"""The shape of an approval policy file, checked strictly: what is not understood is refused, with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from shared.case.actions import ActionKind, Json
from shared.case.canonical import Record
from shared.errors import InvalidInput
from shared.policy.source import Document, Path
from shared.policy.tiers import AtLeast, Band, band_faults

MAX_SHOWN = 5
MAX_NAME = 120


def _known_version(value: object) -> int:
    if value != 1 or isinstance(value, bool):
        raise ValueError("the version of the file's shape is 1")
    return 1


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("a rule needs a name that says what it is for")
    if len(value) > MAX_NAME:
        raise ValueError(f"a rule's name has at most {MAX_NAME} characters")
    return value.strip()


class LowConfidence(Record):
    """Below this confidence nothing moves money or is irreversible without people."""

    below_pct: int = Field(strict=True, ge=0, le=100)
    at_least: AtLeast


class RuleText(Record):
    """A rule as the file writes it; its condition is read separately, because it nests."""

    name: Annotated[str, BeforeValidator(_name)]
    when: Json
    at_least: AtLeast


class PolicyFile(Record):
    """The whole file. `minimums` and `rules` can only ask for more than the tiers do."""

    version: Annotated[int, BeforeValidator(_known_version)]
    tiers: tuple[Band, ...] = Field(min_length=1)
    minimums: dict[ActionKind, AtLeast] = Field(default_factory=dict)
    low_confidence: LowConfidence | None = None
    rules: tuple[RuleText, ...] = ()


def read_file(document: Document, name: str) -> PolicyFile:
    """The file's content. Raises InvalidInput that names the file and the line of every fault (the first few)."""
    try:
        content = PolicyFile.model_validate(document.data)
    except ValidationError as error:
        raise refusal(document, name, [_described(details) for details in error.errors()]) from None
    faults = [*band_faults(content.tiers), *_name_faults(content.rules)]
    if faults:
        raise refusal(document, name, faults)
    return content


def refusal(document: Document, name: str, faults: Iterable[tuple[Path, str]]) -> InvalidInput:
    """The error that shows these faults in the order of the file."""
    placed = sorted((document.line(path), message) for path, message in faults)
    shown = [f"{name} line {line}: {message}" for line, message in placed[:MAX_SHOWN]]
    if len(placed) > MAX_SHOWN:
        shown.append(f"and {len(placed) - MAX_SHOWN} more")
    return InvalidInput("; ".join(shown))


def _name_faults(rules: tuple[RuleText, ...]) -> Iterator[tuple[Path, str]]:
    seen: set[str] = set()
    for index, rule in enumerate(rules):
        if rule.name in seen:
            yield ("rules", index, "name"), f"two rules are called {rule.name!r}"
        seen.add(rule.name)


def _described(details: ErrorDetails) -> tuple[Path, str]:
    path, kind = details["loc"], details["type"]
    what = next((str(part) for part in reversed(path) if part != "[key]"), "the file")
    if kind == "missing":
        return path, f"{what!r} is missing"
    if kind == "extra_forbidden":
        return path, f"unknown key {what[:40]!r}"
    if kind == "enum":
        return path, f"unknown action kind {what[:40]!r}"
    return path, f"{what}: {details['msg'].removeprefix('Value error, ')}"
