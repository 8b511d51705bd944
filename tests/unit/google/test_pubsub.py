"""Publishing when Pub/Sub is down, and what becomes of a message that nobody acknowledges."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport

from infra.google import calls
from infra.google.pubsub import PubSubMessages, connect_publisher
from infra.stage.serving import AppServer
from shared.errors import Retryable
from shared.ports.queue import Message
from shared.steps.dead_letters import dead_letters
from tests.support.rig import ORG, Rig
from tests.unit.runtime.house import PATIENCE_S, Function

DOWN = "127.0.0.1:1"


def test_while_pub_sub_cannot_be_reached_publishing_is_reported_as_retryable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "GIVE_UP_AFTER_S", 0.3)
    counted: list[str] = []
    messages = PubSubMessages(connect_publisher(DOWN), "acme", counted=counted.append)
    with pytest.raises(Retryable, match="publishing to triage failed"):
        messages.publish(Message("triage", {"org": ORG}))
    assert counted == ["pubsub.publish"]


def test_a_topic_that_is_not_there_is_never_taken_for_success(pubsub_emulator: str, fresh_project: str) -> None:
    with pytest.raises(Retryable, match="NotFound"):
        PubSubMessages(connect_publisher(pubsub_emulator), fresh_project).publish(Message("triage", {"org": ORG}))


def test_a_message_that_nobody_acknowledges_ends_up_with_the_operators(
    pubsub_emulator: str, fresh_project: str, tmp_path: Path
) -> None:
    """Through the real dead-letter topic, push subscription and function."""
    arrived = threading.Event()
    refusing = Function(answer=lambda seen: 500)
    with Rig(tmp_path) as rig:
        keeping: Any = rig.apps["dead_letter"]

        def watched(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            answer: Iterable[bytes] = keeping(environ, start_response)
            arrived.set()
            return answer

        with AppServer(refusing) as policy_check, AppServer(watched) as dead_letter:
            set_up(pubsub_emulator, fresh_project, policy_check.url, dead_letter.url)
            messages = PubSubMessages(connect_publisher(pubsub_emulator), fresh_project, prefix="prod-")
            messages.publish(Message("policy_check", {"org": ORG, "case_id": "case_1"}, {"trace": "t1"}))
            assert arrived.wait(2 * PATIENCE_S)
        (letter,) = dead_letters(rig.inbox)
        assert (letter.source, letter.hint) == ("prod-policy_check", {"org": ORG, "case_id": "case_1"})
        assert letter.attributes["trace"] == "t1"
        assert letter.reason == "not acknowledged in 5 deliveries"


def set_up(address: str, project: str, url: str, dead_letter_url: str) -> None:
    """A topic whose messages go to the dead-letter topic after five deliveries, the fewest that Pub/Sub allows."""
    publisher = connect_publisher(address)
    subscriber = SubscriberClient(transport=SubscriberGrpcTransport(channel=grpc.insecure_channel(address)))
    dead = publisher.create_topic(name=f"projects/{project}/topics/prod-dead_letter").name
    topic = publisher.create_topic(name=f"projects/{project}/topics/prod-policy_check").name
    for name, of, endpoint, policy in (
        ("prod-dead_letter", dead, dead_letter_url, None),
        ("prod-policy_check", topic, url, {"dead_letter_topic": dead, "max_delivery_attempts": 5}),
    ):
        subscriber.create_subscription(
            request={
                "name": f"projects/{project}/subscriptions/{name}",
                "topic": of,
                "push_config": {"push_endpoint": endpoint},
                "ack_deadline_seconds": 60,
                "dead_letter_policy": policy,
            }
        )
