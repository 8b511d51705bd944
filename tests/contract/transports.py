"""The transports that the contract of Messages and Tasks is held against, each with a function behind it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from google.pubsub_v1 import SubscriberClient
from google.pubsub_v1.services.subscriber.transports import SubscriberGrpcTransport
from grpc import insecure_channel

from infra.fakes.cloud_tasks import Emulator, EmulatorClock, RunningEmulator, Signer
from infra.google.pubsub import PubSubMessages, connect_publisher
from infra.google.tasks import CloudTasks, Dispatch
from infra.stage.serving import AppServer
from shared.ports.queue import Message, Messages, Tasks
from tests.unit.runtime.house import PATIENCE_S, START, Function, house, running, settled

SIGNER = Signer()
LOCATION = "europe-west1"


@dataclass(frozen=True)
class Transport:
    """One adapter's ports. `function` receives everything; `settle` returns when nothing is ready or under way;
    `pass_time` lets so many seconds go by."""

    messages: Messages
    tasks: Tasks
    function: Function
    settle: Callable[[], None]
    pass_time: Callable[[float], None]
    unlike_production: frozenset[int] = frozenset()
    """The answers to a push that an emulator takes for something else than Pub/Sub does."""


@contextmanager
def embedded(request: pytest.FixtureRequest) -> Iterator[Transport]:
    """The queue in a SQLite file, with its runtime."""
    function = Function()
    folder: Path = request.getfixturevalue("tmp_path")
    with house(folder) as home:
        with running(home.runtime({"triage": function, "specialist": function})) as runtime:
            yield Transport(
                messages=home.messages,
                tasks=home.tasks,
                function=function,
                settle=lambda: settled(runtime),
                pass_time=home.clock.advance,
            )


@contextmanager
def google(request: pytest.FixtureRequest) -> Iterator[Transport]:
    """Pub/Sub and Cloud Tasks on their emulators, through the official clients."""
    address: str = request.getfixturevalue("pubsub_emulator")
    project: str = request.getfixturevalue("fresh_project")
    function = Pushed()
    tasks_emulator = Emulator(EmulatorClock(START, frozen=True), signer=SIGNER)
    with AppServer(function) as app, RunningEmulator(tasks_emulator) as tasks:
        publisher = connect_publisher(address)
        _subscribe(address, publisher.create_topic(name=f"projects/{project}/topics/triage").name, app.url)
        dispatch = Dispatch(project, LOCATION, {"specialist": app.url})
        for name in ("specialists", "watchdogs"):
            parent = f"projects/{project}/locations/{LOCATION}"
            tasks.client().create_queue(parent=parent, queue={"name": dispatch.queue_path(name)})
        messages = Counted(PubSubMessages(publisher, project), function)
        yield Transport(
            messages=messages,
            tasks=CloudTasks(tasks.client(), dispatch),
            function=function,
            settle=lambda: _settle(tasks_emulator, messages),
            pass_time=lambda seconds: _pass_time(tasks_emulator, messages, seconds),
            unlike_production=frozenset({202, 203}),
        )
        publisher.delete_topic(topic=f"projects/{project}/topics/triage")


def _subscribe(address: str, topic: str, endpoint: str) -> None:
    subscriber = SubscriberClient(transport=SubscriberGrpcTransport(channel=insecure_channel(address)))
    name = topic.replace("/topics/", "/subscriptions/")
    subscriber.create_subscription(
        request={"name": name, "topic": topic, "push_config": {"push_endpoint": endpoint}, "ack_deadline_seconds": 60}
    )


@dataclass
class Pushed(Function):
    """A function that knows how often each message came, and can be waited for."""

    deliveries: dict[str, int] = field(default_factory=dict)
    refused: bool = False
    """Whether the last answer was none that ends a delivery."""
    moved: threading.Condition = field(default_factory=threading.Condition)

    def __call__(self, environ, start_response):  # type: ignore[no-untyped-def]
        statuses: list[str] = []

        def start(status, headers):  # type: ignore[no-untyped-def]
            statuses.append(status[:3])
            return start_response(status, headers)

        answered = super().__call__(environ, start)
        body = self.seen[-1].json
        with self.moved:
            self.refused = statuses[0] not in ("200", "201", "202", "204")
            if "message" in body:
                message_id = body["message"]["messageId"]
                self.deliveries[message_id] = self.deliveries.get(message_id, 0) + 1
            self.moved.notify_all()
        return answered


class Counted:
    """Messages of which it is known how many there have been."""

    def __init__(self, messages: PubSubMessages, function: Pushed) -> None:
        self._messages = messages
        self.function = function
        self.published = 0

    def publish(self, message: Message) -> None:
        self._messages.publish(message)
        self.published += 1

    def wait(self, until: Callable[[dict[str, int]], bool], timeout_s: float) -> bool:
        with self.function.moved:
            return self.function.moved.wait_for(lambda: until(self.function.deliveries), timeout_s)


def _settle(tasks: Emulator, messages: Counted) -> None:
    assert tasks.wait_until_idle(PATIENCE_S)
    arrived = messages.wait(lambda deliveries: len(deliveries) == messages.published, PATIENCE_S)
    assert arrived, "a message was not delivered"


_SILENCE_S = 1.6
"""Without a retry policy the Pub/Sub emulator delivers again after a second: what has not come by then never will."""


def _pass_time(tasks: Emulator, messages: Counted, seconds: float) -> None:
    """Task time is the emulator's, and jumps. Pub/Sub's is real: an hour of it is over with the next delivery."""
    tasks.advance(seconds)
    if messages.published:
        again = sum(messages.function.deliveries.values()) + 1
        patience_s = PATIENCE_S if messages.function.refused else _SILENCE_S
        messages.wait(lambda deliveries: sum(deliveries.values()) >= again, patience_s)


TRANSPORTS = {"embedded": embedded, "google": google}
