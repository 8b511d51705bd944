"""What a deployment consists of beside its functions: topics, push subscriptions, queues and the scheduled sweep.

The one description of it, from the time budgets: the local cloud creates them from here, and Terraform is compared with
it (`python -m infra.google.resources` prints it as JSON).

Subscriptions are not ordered: order is nothing that we rely on, and with it one message that cannot be handled would
hold up all others of its case.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final

from infra.local.queued import DEAD_LETTER
from shared.steps.budgets import (
    CALLER_WAITS_S,
    FUNCTION_TIMEOUT_S,
    PUSH_ACK_S,
    PUSH_KEEP,
    PUSH_RETRY,
    QUEUES,
    SWEEP_DISPATCH_S,
    SWEEP_EVERY_S,
)

TOPICS: Final = ("triage", "synthesize", "policy_check", DEAD_LETTER)
"""Each starts the function of its name."""
DISPATCHES_PER_S: Final = 500.0
"""The most that the service allows: concurrency is what we limit."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A push subscription: instants in seconds. It never expires, and is not ordered."""

    topic: str
    function: str
    ack_deadline_s: int
    min_backoff_s: float
    max_backoff_s: float
    keep_s: int
    dead_letter_topic: str | None
    max_delivery_attempts: int | None


@dataclass(frozen=True, slots=True)
class Queue:
    """A task queue. Retries and deadlines are each task's own; those of the queue are for tasks that say nothing."""

    name: str
    max_dispatches_per_s: float
    max_concurrent: int
    max_attempts: int
    max_retry_duration_s: float


def subscriptions() -> tuple[Subscription, ...]:
    """One for each topic. What nobody can take goes to the dead letters, theirs to nobody."""
    return tuple(_subscription(topic) for topic in TOPICS)


def _subscription(topic: str) -> Subscription:
    last = topic == DEAD_LETTER
    return Subscription(
        topic=topic,
        function=topic,
        ack_deadline_s=int(PUSH_ACK_S),
        min_backoff_s=PUSH_RETRY.min_backoff_s,
        max_backoff_s=PUSH_RETRY.max_backoff_s,
        keep_s=int(PUSH_KEEP.total_seconds()),
        dead_letter_topic=None if last else DEAD_LETTER,
        max_delivery_attempts=None if last else PUSH_RETRY.max_attempts,
    )


def queues() -> tuple[Queue, ...]:
    """One for each class of tasks."""
    return tuple(
        Queue(
            name=budget.queue,
            max_dispatches_per_s=DISPATCHES_PER_S,
            max_concurrent=budget.at_once,
            max_attempts=budget.retry.max_attempts,
            max_retry_duration_s=budget.retry.max_duration_s,
        )
        for budget in QUEUES
    )


def description() -> dict[str, object]:
    """All of it, as Terraform is compared with it. Instants are in seconds."""
    return {
        "topics": list(TOPICS),
        "subscriptions": [asdict(subscription) for subscription in subscriptions()],
        "queues": [asdict(queue) for queue in queues()],
        "function_timeout_s": dict(FUNCTION_TIMEOUT_S),
        "caller_waits_s": dict(CALLER_WAITS_S),
        "sweep": {"every_s": SWEEP_EVERY_S, "deadline_s": SWEEP_DISPATCH_S},
    }


if __name__ == "__main__":
    print(json.dumps(description(), indent=2))
