"""Publishing to Pub/Sub: one request for one message, answered before we answer.

The generated client, not `pubsub_v1`: that one batches on a thread of its own and would lose what it holds when the
instance is throttled after the response. It also costs half a second less to import.
"""

from __future__ import annotations

import json

import grpc
from google.pubsub_v1 import PublisherClient, PubsubMessage
from google.pubsub_v1.services.publisher.transports import PublisherGrpcTransport

from infra.google.calls import CALL_TIMEOUT_S, Count, patience, translating, uncounted
from shared.ports.queue import Message


def connect_publisher(emulator: str | None = None) -> PublisherClient:
    """A client of the service, or of an emulator at this address (host:port)."""
    if emulator is None:
        return PublisherClient()
    return PublisherClient(transport=PublisherGrpcTransport(channel=grpc.insecure_channel(emulator)))


class PubSubMessages:
    """Messages on Pub/Sub; implements shared.ports.queue.Messages.

    Ordering key and trace travel as attributes: not every body of a push carries the message's own key, and order is
    nothing that we rely on. `prefix`: what the names of this deployment's topics begin with.
    """

    def __init__(self, client: PublisherClient, project: str, *, prefix: str = "", counted: Count = uncounted) -> None:
        self._client = client
        self._project = project
        self._prefix = prefix
        self._counted = counted

    def publish(self, message: Message) -> None:
        """Hand the message over before returning. Raises Retryable when that was not possible.

        After a lost answer it is sent again: then it is there twice, which changes nothing.
        """
        data = json.dumps(message.body, separators=(",", ":")).encode()
        topic = f"projects/{self._project}/topics/{self._prefix}{message.topic}"
        self._counted("pubsub.publish")
        with translating(f"publishing to {message.topic}"):
            self._client.publish(
                topic=topic,
                messages=[PubsubMessage(data=data, attributes=message.attributes)],
                retry=patience(),
                timeout=CALL_TIMEOUT_S,
            )
