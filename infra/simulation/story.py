"""A run as a story: what the world did and what the logs say, in the order of virtual time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from infra.simulation.audit.tale import Line, lines
from infra.simulation.journal import Played

_SHOWN: Final = ("to", "action_id", "round", "reason", "error", "email", "event_type", "external_ref", "lease_owner")


def story(played: Played) -> Iterator[str]:
    """One line per thing that happened."""
    told: list[tuple[float, int, str]] = [(at, number, line) for number, (at, line) in enumerate(played.journal.story)]
    for _, case_id in played.state.cases:
        for entry in lines(played, case_id):
            at = (entry.at - played.started_at).total_seconds()
            told.append((at, 1_000_000 + entry.tick, f"{case_id[-6:]} {_words(entry)}"))
    for call in played.journal.calls:
        words = f"process {call.process} calls {call.action_id}, attempt {call.attempt}: {call.answer}"
        told.append((call.at, call.tick, words))
    for at, _, line in sorted(told, key=lambda item: item[:2]):
        yield f"{_stamp(at)}  {line}"


def _words(entry: Line) -> str:
    details = {name: entry.event[name] for name in _SHOWN if entry.event.get(name)}
    return " ".join([f"[{entry.seq}] {entry.actor}: {entry.type}", *map(_pair, details.items())])


def _pair(item: tuple[str, Any]) -> str:
    return f"{item[0]}={item[1]}"


def _stamp(seconds: float) -> str:
    """Days, and the time of day, since the start."""
    elapsed = timedelta(seconds=round(seconds, 1))
    return f"day {elapsed.days:>3} {str(timedelta(seconds=round(elapsed.total_seconds() % 86_400, 1)))[:10]:>10}"
