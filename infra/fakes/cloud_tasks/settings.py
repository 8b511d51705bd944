"""A queue's limits and a retry policy, with the service's defaults and bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from google.cloud import tasks_v2
from google.protobuf import field_mask_pb2

from infra.local.backoff import MAX_DOUBLINGS, backoff, exhausted
from shared.ports.queue import Retry

from .refusals import invalid, unimplemented

DEFAULT_RATE: Final = 500.0
DEFAULT_CONCURRENT: Final = 1000
DEFAULT_ATTEMPTS: Final = 100
DEFAULT_MIN_BACKOFF: Final = timedelta(seconds=0.1)
DEFAULT_MAX_BACKOFF: Final = timedelta(hours=1)
_MOST_CONCURRENT: Final = 5000
_SMALLEST_BURST: Final = 10


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When a failed task is attempted again, and when it is given up."""

    limits: Retry
    doublings: int

    @classmethod
    def of(cls, config: tasks_v2.RetryConfig) -> RetryPolicy:
        """The policy of a complete configuration."""
        limits = Retry(
            max_attempts=config.max_attempts,
            min_backoff_s=config.min_backoff.total_seconds(),
            max_backoff_s=config.max_backoff.total_seconds(),
            max_duration_s=config.max_retry_duration.total_seconds() if "max_retry_duration" in config else 0.0,
        )
        return cls(limits, config.max_doublings)

    def wait_s(self, attempts: int) -> float:
        """Seconds from the end of this many attempts to the next one."""
        return backoff(attempts, self.limits, self.doublings)

    def is_exhausted(self, attempts: int, first_attempt_at: datetime, now: datetime) -> bool:
        """Whether both limits are reached, and the task is given up."""
        return exhausted(attempts, first_attempt_at, now, self.limits)


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast a queue dispatches: a token bucket, and how many attempts may be under way."""

    per_second: float
    burst: int
    concurrent: int

    @classmethod
    def of(cls, limits: tasks_v2.RateLimits) -> Limits:
        """The limits of a complete configuration."""
        return cls(limits.max_dispatches_per_second, limits.max_burst_size, limits.max_concurrent_dispatches)


def merged(current: tasks_v2.Queue, changes: tasks_v2.Queue, paths: list[str]) -> tasks_v2.Queue:
    """The current queue with these fields of the changes; without any paths, the changes as a whole. Raises Refusal."""
    if not paths:
        return changes
    mask = field_mask_pb2.FieldMask(paths=paths)
    target = tasks_v2.Queue(current)
    if not mask.IsValidForDescriptor(tasks_v2.Queue.pb(target).DESCRIPTOR):
        raise invalid("UpdateQueueRequest.update_mask names a field that a queue does not have.")
    mask.MergeMessage(tasks_v2.Queue.pb(changes), tasks_v2.Queue.pb(target), True, True)
    return target


def completed_retry(config: tasks_v2.RetryConfig) -> tasks_v2.RetryConfig:
    """The configuration with defaults where it says nothing. Raises Refusal for what the service does not accept."""
    complete = tasks_v2.RetryConfig(config)
    complete.max_attempts = config.max_attempts or DEFAULT_ATTEMPTS
    complete.max_doublings = config.max_doublings or MAX_DOUBLINGS
    if "min_backoff" not in config:
        complete.min_backoff = DEFAULT_MIN_BACKOFF
    if "max_backoff" not in config:
        complete.max_backoff = max(DEFAULT_MAX_BACKOFF, complete.min_backoff)
    if complete.max_attempts < -1:
        raise invalid("RetryConfig.max_attempts must be -1 (unlimited) or greater.")
    if complete.max_doublings < 0:
        raise invalid("RetryConfig.max_doublings must not be negative.")
    if not timedelta(0) <= complete.min_backoff <= complete.max_backoff:
        raise invalid("RetryConfig.min_backoff must be positive and not greater than max_backoff.")
    if "max_retry_duration" in config and config.max_retry_duration < timedelta(0):
        raise invalid("RetryConfig.max_retry_duration must not be negative.")
    return complete


def completed_queue(queue: tasks_v2.Queue) -> tasks_v2.Queue:
    """The queue with defaults where it says nothing. Raises Refusal for what is not accepted, or not supported."""
    for name in ("http_target", "app_engine_routing_override"):
        if name in queue:
            raise unimplemented(f"Queue.{name}")
    complete = tasks_v2.Queue(queue)
    limits = complete.rate_limits
    limits.max_dispatches_per_second = limits.max_dispatches_per_second or DEFAULT_RATE
    limits.max_concurrent_dispatches = limits.max_concurrent_dispatches or DEFAULT_CONCURRENT
    if not 0 < limits.max_dispatches_per_second <= DEFAULT_RATE:
        raise invalid("RateLimits.max_dispatches_per_second must be greater than 0 and at most 500.")
    if not 0 < limits.max_concurrent_dispatches <= _MOST_CONCURRENT:
        raise invalid("RateLimits.max_concurrent_dispatches must be greater than 0 and at most 5000.")
    # Output only. The reference says no more than that it is generally at least the rate.
    limits.max_burst_size = max(_SMALLEST_BURST, math.ceil(limits.max_dispatches_per_second))
    complete.retry_config = completed_retry(queue.retry_config)
    return complete
