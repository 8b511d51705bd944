"""Google's stores and transports behind the pipeline, on their emulators, so that what a case uses can be counted.

The handlers run in this process, as in the embedded default. Every store is Firestore. Whatever is sent goes to Pub/Sub
or Cloud Tasks through the adapters, which count it, and to the local queue, which delivers it: so many messages and
tasks as in production, delivered at once and in a world's time.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from google.cloud.tasks_v2 import Queue

from infra.fakes.cloud_tasks import Emulator as CloudTasksEmulator
from infra.fakes.cloud_tasks import EmulatorClock, RunningEmulator
from infra.fakes.emulators import FIRESTORE, PUBSUB, Emulator, Kind
from infra.google.firestore import FirestoreStores, open_firestore
from infra.google.meter import Meter, Operation
from infra.google.pubsub import PubSubMessages, connect_publisher
from infra.google.tasks import CloudTasks, Dispatch
from infra.local.composition import LocalComposition, LocalSettings
from infra.stage.stage import QUEUES, SUBSCRIPTIONS
from infra.telemetry import Watch
from shared.ports import Message, Task, Work
from shared.steps.context import Ports

_LOCATION: Final = "europe-west1"
_NOT_SENT: Final = ("stripe_webhook", "sweep")
"""What no message or task of ours starts: Stripe and the scheduler do."""
_LATER: Final = datetime(2100, 1, 1, tzinfo=UTC)
"""What the Cloud Tasks emulator takes for the present: whatever time a world is in, no task is due too late for it."""


@dataclass(frozen=True, slots=True)
class Bill:
    """What was used. Firestore's operations leave the trace out, which is for watching."""

    calls: int = 0
    reads: int = 0
    writes: int = 0
    deletes: int = 0
    messages: int = 0
    """Published; each is at least one push."""
    tasks: int = 0
    """Created."""
    deliveries: int = 0
    """Pushes and task attempts. A task's operations are its creation and its attempts."""

    def __sub__(self, earlier: Bill) -> Bill:
        mine, theirs = self.numbers(), earlier.numbers()
        return Bill(**{name: mine[name] - theirs[name] for name in mine})

    def numbers(self) -> dict[str, int]:
        """Every count by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Counters:
    """What the adapters and the deliveries of one composition have counted."""

    def __init__(self) -> None:
        self.meter = Meter()
        self._lock = threading.Lock()
        self._deliveries: Counter[str] = Counter()

    def bill(self) -> Bill:
        """All of it so far."""
        used, sent = self.meter.usage(), self.meter.by_call()
        return Bill(
            calls=used.calls,
            reads=used.reads,
            writes=used.writes,
            deletes=used.deletes,
            messages=sent.get("pubsub.publish", 0),
            tasks=sent.get("tasks.create", 0),
            deliveries=sum(count for step, count in self._deliveries.items() if step not in _NOT_SENT),
        )

    def by_collection(self) -> dict[str, dict[Operation, int]]:
        """Firestore's operations by collection, without the trace."""
        return {name: dict(found) for name, found in self.meter.by_collection().items() if name != "trace"}

    def delivered(self, step: str) -> None:
        """One request that a function has taken up."""
        with self._lock:
            self._deliveries[step] += 1


class _Counting(Watch):
    """Counts what the functions take up."""

    def __init__(self, counters: Counters) -> None:
        super().__init__()
        self._counters = counters

    def doing(self, work: Work) -> AbstractContextManager[None]:
        """Count it."""
        self._counters.delivered(work.step)
        return super().doing(work)


@dataclass(frozen=True, slots=True)
class Services:
    """Emulators that answer, and a project on them that nobody else uses."""

    project: str
    messages: Any
    tasks: Any


@contextmanager
def services(folder: Path) -> Iterator[Services]:
    """The emulators: those that the environment points to, or started for the block. Raises EmulatorMissing."""
    project = f"bench-{uuid.uuid4().hex[:12]}"
    with ExitStack() as stack:
        _started(stack, FIRESTORE, folder)
        publisher = connect_publisher(_started(stack, PUBSUB, folder))
        stack.callback(publisher.transport.close)
        for topic in SUBSCRIPTIONS:
            publisher.create_topic(name=f"projects/{project}/topics/{topic}")
        clock = EmulatorClock(_LATER, frozen=True)
        tasks = stack.enter_context(RunningEmulator(CloudTasksEmulator(clock))).client()
        stack.callback(tasks.transport.close)
        for name in QUEUES:
            parent = f"projects/{project}/locations/{_LOCATION}"
            queue = tasks.create_queue(parent=parent, queue=Queue(name=f"{parent}/queues/{name}"))
            tasks.pause_queue(name=queue.name)  # the local queue delivers
        yield Services(project, publisher, tasks)


def _started(stack: ExitStack, kind: Kind, folder: Path) -> str:
    pointed = os.environ.get(kind.host_variable)
    if pointed:
        return pointed
    said = folder / f"{kind.host_variable.lower()}.log"
    address = stack.enter_context(Emulator.start(kind, said)).address
    os.environ[kind.host_variable] = address  # where Google's clients look for it
    stack.callback(os.environ.pop, kind.host_variable)
    return address


class CountedComposition(LocalComposition):
    """The pipeline over Google's adapters, which count for the functions.

    Whoever only watches (the stage, the runtime) looks through stores of its own, which nobody counts.
    """

    def __init__(self, settings: LocalSettings, *, services: Services, **more: Any) -> None:
        self.counters = Counters()
        super().__init__(settings, **{**more, "telemetry": _Counting(self.counters)})
        meter, self._services = self.counters.meter, services
        self._counted = open_firestore(services.project, self.clock, self.entropy, meter=meter)
        self._watched = open_firestore(services.project, self.clock, self.entropy)
        self._opened += [self._counted.close, self._watched.close]
        watched: Any = self._watched
        self.store, self.inbox, self.claims = watched.store, watched.inbox, watched.claims
        self.directory, self.switch, self.trace = watched.directory, watched.switch, watched.trace

    def given(self, function: str) -> Ports:
        """What the function may use. The command line's looks are free; what it writes and sends is not."""
        counted, meter = self._counted, self.counters.meter
        real = super().given(function)
        sent = replace(
            real,
            store=counted.store,
            messages=_Both(PubSubMessages(self._services.messages, self._project, counted=meter.sent), real),
            tasks=_Both(CloudTasks(self._services.tasks, self._dispatch, counted=meter.sent), real),
        )
        return sent if function == "cli" else _over(sent, counted, function)

    @property
    def _project(self) -> str:
        return self._services.project

    @property
    def _dispatch(self) -> Dispatch:
        urls = {name: f"https://{name}.example.com/" for name in ("specialist", "act")}
        return Dispatch(self._project, _LOCATION, urls)

    def recover(self) -> None:
        """Nothing: the project is new, and what expires does so by itself."""


def _over(ports: Ports, stores: FirestoreStores, function: str) -> Ports:
    return replace(
        ports,
        inbox=stores.inbox,
        claims=stores.claims,
        directory=stores.directory_of(function),
        switch=stores.switch,
        trace=stores.trace,
    )


class _Both:
    """Hands what is sent to Google's adapter, which counts it, and to the local queue, which delivers it."""

    def __init__(self, google: Any, local: Ports) -> None:
        self._google = google
        self._local = local

    def publish(self, message: Message) -> None:
        """Publish it twice; it is delivered once."""
        self._google.publish(message)
        self._local.messages.publish(message)

    def enqueue(self, task: Task) -> bool:
        """Create it twice; it is delivered once."""
        self._google.enqueue(task)
        return self._local.tasks.enqueue(task)
