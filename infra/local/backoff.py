"""When a failed delivery is tried again, and when it no longer is: the arithmetic of Cloud Tasks and Pub/Sub."""

from __future__ import annotations

from datetime import datetime

from shared.ports.queue import Retry

MAX_DOUBLINGS = 16
"""Cloud Tasks' default: the wait doubles this often, then grows by a constant."""
_LARGEST_EXPONENT = 64


def backoff(attempts: int, retry: Retry, doublings: int = MAX_DOUBLINGS) -> float:
    """Seconds to wait after this many attempts: min, doubled `doublings` times, then linear, capped at max."""
    retries = max(attempts, 1) - 1
    exponent = min(doublings, _LARGEST_EXPONENT)
    step = retry.min_backoff_s * 2.0 ** min(retries, exponent)
    linear = max(retries - exponent, 0) * step
    return min(step + linear, retry.max_backoff_s)


def exhausted(attempts: int, first_attempt_at: datetime, now: datetime, retry: Retry) -> bool:
    """Whether retries stop: both limits are reached. A duration of 0 sets no limit; negative max_attempts: never."""
    if retry.max_attempts < 0 or attempts < retry.max_attempts:
        return False
    return (now - first_attempt_at).total_seconds() >= retry.max_duration_s
