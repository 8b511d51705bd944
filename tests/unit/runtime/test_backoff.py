"""The arithmetic of retries."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.backoff import backoff, exhausted
from shared.ports.queue import Retry

FIRST = datetime(2026, 3, 2, tzinfo=UTC)


def test_the_wait_doubles_and_then_grows_by_a_constant_up_to_the_cap() -> None:
    retry = Retry(max_attempts=9, min_backoff_s=10.0, max_backoff_s=300.0, max_duration_s=0.0)
    waits = [backoff(attempts, retry, doublings=3) for attempts in range(1, 10)]
    assert waits == [10, 20, 40, 80, 160, 240, 300, 300, 300]


def test_without_doublings_the_wait_grows_by_the_minimum() -> None:
    retry = Retry(9, 10.0, 35.0, 0.0)
    assert [backoff(attempts, retry, doublings=0) for attempts in range(1, 6)] == [10, 20, 30, 35, 35]


@pytest.mark.parametrize("doublings", [0, 1, 16, 10**6])
def test_any_number_of_attempts_has_a_finite_wait_within_the_bounds(doublings: int) -> None:
    retry = Retry(-1, 0.1, 3600.0, 0.0)
    waits = [backoff(attempts, retry, doublings) for attempts in (*range(2000), 10**5, 10**6)]
    assert all(math.isfinite(wait) and 0.1 <= wait <= 3600.0 for wait in waits)
    assert waits == sorted(waits)


@pytest.mark.parametrize(
    ("attempts", "age_s", "over"),
    [(2, 1000, False), (3, 99, False), (3, 100, True), (50, 99, False), (50, 101, True)],
)
def test_retries_stop_when_both_limits_are_reached(attempts: int, age_s: int, over: bool) -> None:
    retry = Retry(max_attempts=3, min_backoff_s=1.0, max_backoff_s=1.0, max_duration_s=100.0)
    assert exhausted(attempts, FIRST, FIRST + timedelta(seconds=age_s), retry) is over


def test_without_a_duration_the_attempts_alone_decide() -> None:
    assert exhausted(3, FIRST, FIRST, Retry(3, 1.0, 1.0, 0.0))


def test_unlimited_attempts_never_end() -> None:
    assert not exhausted(10**6, FIRST, FIRST + timedelta(days=400), Retry(-1, 1.0, 1.0, 60.0))
