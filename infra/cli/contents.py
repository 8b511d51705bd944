"""What an action would say or send, as people must see it before they approve it."""

from __future__ import annotations

from collections.abc import Mapping

from infra.cli.output import Screen
from infra.cli.text import words, wrapped
from shared.case.actions import Action, DependencyKind, Json
from shared.case.case import Case
from shared.case.texts import DOCUMENT, FILES

_SAID_ELSEWHERE = frozenset({"amount_minor", "currency"})


def show_contents(screen: Screen, case: Case, action: Action) -> None:
    """What the action waits for, and every field of its payload. All of it is data, and printed as such."""
    for waits in _waits(case, action):
        screen.show(wrapped(f"waits for {waits}", 4, 6))
    for name, value in action.payload.items():
        shown_by = _shown_by(case, action, name)
        if shown_by is not None:
            screen.show(wrapped(f"{words(name)}: as in {shown_by}", 4, 6))
        elif name == FILES and isinstance(value, dict):
            _show_files(screen, value)
        elif name not in _SAID_ELSEWHERE:
            _show_field(screen, words(name), value, 4)


def _shown_by(case: Case, action: Action, name: str) -> str | None:
    """The earlier action that says the very same at length: what is submitted is what was staged."""
    value = action.payload[name]
    if not isinstance(value, dict):
        return None
    earlier = case.actions[: case.actions.index(action)]
    return next((other.id for other in earlier if other.payload.get(name) == value), None)


def _waits(case: Case, action: Action) -> list[str]:
    told = []
    for dependency in action.depends_on:
        other = case.action(dependency.ref)
        if dependency.kind is DependencyKind.OUTCOME:
            told.append(f"the outcome {dependency.ref}")
        elif other is not None:
            what = "the approval of" if dependency.kind is DependencyKind.APPROVAL else "the success of"
            told.append(f"{what} {other.id}")
    return told


def _show_files(screen: Screen, files: Mapping[str, Json]) -> None:
    """What goes along as a file; `manthan cases exhibit` writes it for people."""
    for name, file in files.items():
        told = {inner: value for inner, value in file.items() if inner != DOCUMENT} if isinstance(file, dict) else {}
        shown = ", ".join(f"{inner} {value}" for inner, value in sorted(told.items()))
        screen.show(wrapped(f"file {words(name)}: {shown}", 4, 6))


def _show_field(screen: Screen, name: str, value: Json, indent: int) -> None:
    if isinstance(value, dict):
        screen.show(wrapped(f"{name}:", indent))
        for inner, text in value.items():
            _show_field(screen, words(inner), text, indent + 2)
    elif isinstance(value, str) and ("\n" in value or len(value) > 60):
        screen.show(wrapped(f"{name}:", indent))
        for line in value.splitlines():
            if line.strip():
                screen.show(wrapped(f"| {line}", indent + 2, indent + 4))
    elif value is not None:
        screen.show(wrapped(f"{name}: {value}", indent, indent + 2))
