"""One random stream, and what is drawn from it: ids, moments, amounts. Everything drawn is clear of the facts."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from infra.worlds.noise.scene import Scene

T = TypeVar("T")

_BASE62 = string.ascii_letters + string.digits
_PRICES = (2900, 4900, 9900, 14900, 19900, 29000, 49000, 79000, 99000, 120000, 180000, 240000, 375000, 620000)
_NEAR = timedelta(minutes=45)


class Dice:
    """A seeded stream. The same seed and scene give the same draws, in any process."""

    def __init__(self, seed: str, scene: Scene) -> None:
        self._random = random.Random(seed)
        self._scene = scene
        self._used: set[str] = set()
        self.prices = tuple(_clear_price(price, scene) for price in _PRICES)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.number(0, len(options) - 1)]

    def several(self, options: Sequence[T], count: int) -> list[T]:
        """Different options, at most `count` of them."""
        return self._random.sample(options, min(count, len(options)))

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.number(0, 99) < percent

    def stripe_id(self, prefix: str, length: int = 24) -> str:
        """A new id such as Stripe gives."""
        return self._new(lambda: f"{prefix}_{''.join(self._random.choices(_BASE62, k=length))}")

    def digits(self, length: int, prefix: str = "") -> str:
        """A new id made of digits."""
        low = 10 ** (length - 1)
        return self._new(lambda: f"{prefix}{self.number(low, 10 * low - 1)}")

    def hexadecimal(self, length: int, prefix: str = "") -> str:
        """A new id made of hexadecimal digits."""
        return self._new(lambda: f"{prefix}{self._random.getrandbits(4 * length):0{length}x}")

    def address(self) -> str:
        """An IP address of the ranges kept for documentation."""
        return f"{self.pick(('192.0.2', '198.51.100', '203.0.113'))}.{self.number(1, 254)}"

    def moment(self, first_day: int, last_day: int = 1) -> datetime:
        """A working hour on a day so many days before now, clear of the instants at which a fact was charged.

        `last_day` is 1 (yesterday) or more.
        """
        day = self._scene.now - timedelta(days=self.number(last_day, first_day))
        found = day.replace(
            hour=self.number(7, 18), minute=self.number(0, 59), second=self.number(0, 59), microsecond=0
        )
        return self._clear(found)

    def before_the_story(self) -> datetime:
        """A working hour three to forty days before anything that the facts speak about."""
        day = self._scene.begins - timedelta(days=self.number(3, 40))
        return self._clear(day.replace(hour=self.number(7, 16), minute=self.number(0, 59), second=0, microsecond=0))

    def later(self, moment: datetime, low: int, high: int) -> datetime:
        """So many minutes after a moment, and before now."""
        found = moment + timedelta(minutes=self.number(low, high), seconds=self.number(0, 59))
        return min(found, self._scene.now - timedelta(minutes=1))

    def _clear(self, moment: datetime) -> datetime:
        while any(abs(moment - charged) < _NEAR for charged in self._scene.charged_at):
            moment -= 3 * _NEAR
        return moment

    def _new(self, draw: Callable[[], str]) -> str:
        while True:
            found = draw()
            if found not in self._used and found not in self._scene.tokens and found not in self._scene.numbers:
                self._used.add(found)
                return found


def _clear_price(price: int, scene: Scene) -> int:
    while str(price) in scene.numbers or str(price // 100) in scene.numbers:
        price += 100
    return price


def iso(moment: datetime) -> str:
    """A moment (in UTC) as the tables hold it."""
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"


def epoch(moment: datetime) -> int:
    """A moment as Stripe holds it: seconds."""
    return int(moment.timestamp())
