"""Chance: the machine's, and a seeded one that gives the same run again."""

from __future__ import annotations

import random
import uuid


class SystemEntropy:
    """Unguessable ids and real jitter."""

    def token(self) -> str:
        """32 hexadecimal digits from the operating system's source of randomness."""
        return uuid.uuid4().hex

    def jitter(self) -> float:
        """A number in [0, 1)."""
        return random.random()


class SeededEntropy:
    """The same sequence for the same seed: for worlds and simulations, never for secrets."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def token(self) -> str:
        """32 hexadecimal digits, the next of the sequence."""
        return f"{self._random.getrandbits(128):032x}"

    def jitter(self) -> float:
        """A number in [0, 1), the next of the sequence."""
        return self._random.random()
