"""Chance, real and seeded."""

from __future__ import annotations

import pytest

from infra.local.entropy import SeededEntropy, SystemEntropy
from shared.ports.clock import Entropy


@pytest.mark.parametrize("entropy", [SystemEntropy(), SeededEntropy(7)])
def test_tokens_are_distinct_hex_and_jitter_lies_below_one(entropy: Entropy) -> None:
    tokens = {entropy.token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(len(token) == 32 and int(token, 16) >= 0 for token in tokens)
    assert all(0.0 <= entropy.jitter() < 1.0 for _ in range(1000))


def test_the_same_seed_gives_the_same_run() -> None:
    first, second, other = SeededEntropy(7), SeededEntropy(7), SeededEntropy(8)
    run = [first.token(), first.jitter(), first.token()]
    assert run == [second.token(), second.jitter(), second.token()]
    assert run[0] != other.token()
