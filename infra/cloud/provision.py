"""Creating on the emulators what Terraform creates on Google Cloud: topics, push subscriptions, task queues."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import grpc
from google.cloud import tasks_v2
from google.protobuf.duration_pb2 import Duration
from google.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

from infra.fakes.cloud_tasks import Emulator
from infra.google.pubsub import connect_publisher
from infra.google.resources import TOPICS, Queue, Subscription, queues, subscriptions

ATTEMPTS: Final = 100
"""Deliveries of a message before it goes to the dead letters, the most that is allowed: the emulator tries again every
second, and a function that has to start anew may take several."""


def provide_messages(address: str, project: str, endpoint: Callable[[str], str]) -> None:
    """Create topics and subscriptions on a Pub/Sub emulator; `endpoint` says where each function takes pushes.

    Without their retry policies: with one, the emulator (0.8.20) stops delivering for ever once a dozen messages of a
    subscription have failed two or three times each.
    """
    publisher = connect_publisher(address)
    channel = grpc.insecure_channel(address)
    for topic in TOPICS:
        publisher.create_topic(name=f"projects/{project}/topics/{topic}")
    subscriber = SubscriberClient(transport=SubscriberGrpcTransport(channel=channel))
    for subscription in subscriptions():
        subscriber.create_subscription(request=_request(subscription, project, endpoint(subscription.function)))
    channel.close()


def _request(subscription: Subscription, project: str, endpoint: str) -> dict[str, Any]:
    request: dict[str, Any] = {
        "name": f"projects/{project}/subscriptions/{subscription.topic}",
        "topic": f"projects/{project}/topics/{subscription.topic}",
        "push_config": {"push_endpoint": endpoint},
        "ack_deadline_seconds": subscription.ack_deadline_s,
        "message_retention_duration": _duration(subscription.keep_s),
        "expiration_policy": {},  # never
    }
    if subscription.dead_letter_topic is not None:
        request["dead_letter_policy"] = {
            "dead_letter_topic": f"projects/{project}/topics/{subscription.dead_letter_topic}",
            "max_delivery_attempts": ATTEMPTS,
        }
    return request


def _duration(seconds: float) -> Duration:
    duration = Duration()
    duration.FromTimedelta(timedelta(seconds=seconds))
    return duration


def provide_queues(emulator: Emulator, parent: str) -> None:
    """Create every queue at this location, without the tasks and the used names of one that was there before."""
    present = {queue.name for queue in emulator.queues(parent)}
    for queue in queues():
        name = f"{parent}/queues/{queue.name}"
        if name in present:
            emulator.delete_queue(name)
        emulator.create_queue(parent, _queue(queue, name))


def _queue(queue: Queue, name: str) -> tasks_v2.Queue:
    return tasks_v2.Queue(
        name=name,
        rate_limits=tasks_v2.RateLimits(
            max_dispatches_per_second=queue.max_dispatches_per_s, max_concurrent_dispatches=queue.max_concurrent
        ),
        retry_config=tasks_v2.RetryConfig(
            max_attempts=queue.max_attempts, max_retry_duration=timedelta(seconds=queue.max_retry_duration_s)
        ),
    )
