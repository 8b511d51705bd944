"""A world must not give its answer away: the facts hold what a merchant's systems would hold, and nothing else.

The linter reads every file of the facts as text and compares it with expect.yaml. It finds what gives answers away in
demos of this kind: keys such as `expected_decision`, notes that say what should be done about the case, and amounts in
the data that have to be worked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from infra.worlds.expectations import Expectation, load_expectations
from infra.worlds.folder import Folder
from infra.worlds.loader import load_world
from infra.worlds.model import World
from shared.case.money import format_minor

FACTS = ("sources", "policies", "events", "requests", "stripe")
"""The folders that hold facts."""

_OUTCOME = r"decision|amount|outcome|action|resolution|verdict|answer|result"
_TELLING_KEY = re.compile(
    rf'"(expected|correct|right|true|recommended|suggested|gold)_({_OUTCOME})\w*"\s*:', re.IGNORECASE
)
_TELLING_WORDS = re.compile(
    rf"\b(ground[ _-]truth|(expected|correct|right|recommended) ({_OUTCOME})|"
    r"no such (outage|incident)|scenario|answer key)\b",
    re.IGNORECASE,
)
_TOLD_WHAT_TO_DO = re.compile(
    r"\b(dispute|chargeback|charge|claim|case|customer)\b[^.\n]{0,40}\bshould be "
    r"(refunded|fought|contested|accepted|credited|declined|escalated|closed)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Leak:
    """A place at which a world gives its answer away."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def leaks(path: Path) -> tuple[Leak, ...]:
    """Every leak of the world at `path`. Raises InvalidInput for a world or an expect.yaml that cannot be read."""
    world, expected = load_world(path), load_expectations(path)
    amounts = _to_be_worked_out(world, expected)
    folder = Folder.open(path)
    return tuple(leak for file in fact_files(folder.root) for leak in _in_file(folder.root, file, amounts))


def fact_files(root: Path) -> list[Path]:
    """Every file of the facts, in order. Parquet files are no text and are left out."""
    found = (path for part in FACTS for path in (root / part).rglob("*") if path.is_file())
    return sorted(path for path in found if path.suffix != ".parquet")


def _to_be_worked_out(world: World, expected: tuple[Expectation, ...]) -> dict[str, str]:
    """Spellings of the amounts that no object at Stripe and no request shows, with the currency."""
    shown = {found.get(name) for found in world.stripe_objects for name in ("amount", "amount_due", "total")}
    shown |= {tax.get("amount") for found in world.stripe_objects for tax in _mappings(found.get("total_taxes"))}
    shown |= {request.amount_minor for request in world.requests}
    shown |= {row.get("amount") for rows in world.facts.values() for row in rows}
    spellings: dict[str, str] = {}
    for case in expected:
        if case.amount_minor and case.currency and case.amount_minor not in shown:
            major = format_minor(case.amount_minor, case.currency)
            for text in {str(case.amount_minor), major, major.replace(",", "")}:
                spellings[text] = case.currency
    return spellings


def _mappings(value: object) -> list[dict[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _in_file(root: Path, path: Path, amounts: dict[str, str]) -> Iterator[Leak]:
    policy = path.suffix == ".md"
    where = str(path.relative_to(root))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        for pattern, what in (
            (_TELLING_KEY, "a key names the answer"),
            (_TELLING_WORDS, "a text speaks of the answer"),
            # A policy may say what is to be done in general; a record of a system does not.
            *(() if policy else ((_TOLD_WHAT_TO_DO, "a text says what is to be done about it"),)),
        ):
            found = pattern.search(line)
            if found:
                yield Leak(where, number, f"{what}: {found.group().strip()[:80]}")
        for text in amounts:
            if re.search(rf"(?<![\w.,]){re.escape(text)}(?![\w]|[.,]\d)", line):
                yield Leak(where, number, f"the amount that has to be worked out stands here: {text}")
