"""When a run's lives end: a few points per seed, dealt so that many runs together meet every port call."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.chaos.taps import Point


@dataclass(frozen=True, slots=True)
class Moment:
    """So many real seconds after the stage has opened, whatever is going on then."""

    seconds: float


Fate = Point | Moment
Plan = tuple[Fate, ...]


def plan(seed: int, calls: Sequence[str], *, moments: bool = False) -> Plan:
    """One plan of deaths per life. `calls`: the port calls of an undisturbed run, in order."""
    chance = random.Random(seed)
    names = list(dict.fromkeys(calls))
    deck = sorted(names, key=lambda name: random.Random(f"deck {name}").random())
    dealt = [deck[(2 * seed + card) % len(deck)] for card in range(2)]
    # In the order of the run: what is over before the first death would never be met by the second.
    first, second = (_point(name, calls, chance) for name in sorted(dealt, key=names.index))
    return (first, *_looking_up(first), second, _anywhere(chance, len(calls), moments))


def _point(name: str, calls: Sequence[str], chance: random.Random) -> Point:
    # Not beyond the first half: how often a port is called differs a little from run to run.
    return Point(name, 1 + chance.randrange((calls.count(name) + 1) // 2), chance.random() < 0.5)


def _looking_up(first: Point) -> Plan:
    """Whoever died while it acted dies once more while it finds out what became of that."""
    port, _, kind = (first.name or "").partition(":")
    return (Point(f"effects.look_up:{kind}", 1, first.after),) if port == "effects.perform" else ()


def _anywhere(chance: random.Random, length: int, moments: bool) -> Fate:
    if moments and chance.random() < 0.5:
        return Moment(chance.uniform(0.0, 0.8))
    return Point(None, 1 + chance.randrange(length // 2), chance.random() < 0.5)
