"""Google Cloud, composed: Firestore behind every store port, Pub/Sub, Cloud Tasks, verified callers.

Clients are made when a function that needs them asks for its ports, and their libraries are loaded only then: the
webhook never loads Cloud Tasks, and only `act` loads Stripe's SDK.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from infra.google.workers import Instances
from infra.local.clock import SystemClock
from infra.local.entropy import SystemEntropy
from infra.parts import (
    ACTING,
    DRAWING,
    READING_SOURCES,
    earliest,
    effects_through,
    render,
    shipped_playbooks,
    webhook_endpoint,
)
from infra.settings import CALLED, PUBLISHERS, SENDERS, Settings
from infra.telemetry import Watch
from shared.ports import Callers, Clock, Effects, Entropy, Message, Messages, Sources, Task, Tasks
from shared.steps.context import NotGiven, Ports
from shared.steps.intake import Endpoint
from shared.team.contract import Playbook

if TYPE_CHECKING:
    from infra.google.firestore import FirestoreStores


class GoogleComposition:
    """The ports of one deployed function, or of a command that works on the deployment. Closing it closes its clients.

    `clock`, `playbooks`, `sources` and `effects` replace what the settings would say.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock | None = None,
        entropy: Entropy | None = None,
        playbooks: Mapping[str, Playbook] | None = None,
        sources: Callable[[str], Sources] | None = None,
        effects: Effects | None = None,
        telemetry: Watch | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock or _clock_of(settings)
        self.entropy = entropy or SystemEntropy()
        self.telemetry = telemetry or Watch()
        self._playbooks = playbooks
        self._sources = sources
        self._effects = effects
        self._building = threading.Lock()
        self._opened: list[Callable[[], None]] = []

    def ports(self, function: str) -> Ports:
        """What this function may use, watched as the settings say.

        Raises InvalidInput when its settings are not complete.
        """
        self.settings.check(function)
        with self._building:
            return self.telemetry.over(self._given(function))

    def _given(self, function: str) -> Ports:
        """What this function may use, and nothing else."""
        return Ports(
            store=self.stores.store,
            inbox=self.stores.inbox,
            claims=self.stores.claims,
            messages=self._messages if function in PUBLISHERS else _NotGiven(function),
            tasks=self._tasks if function in SENDERS else _NotGiven(function),
            directory=self.stores.directory_of(function),
            switch=self.stores.switch,
            clock=self.clock,
            entropy=self.entropy,
            trace=self.stores.trace,
            workers=self._workers,
            callers=self._callers if function in CALLED else None,
            playbooks=self._installed_playbooks if function in SENDERS else {},
            sources=self._sources_by_org if function in READING_SOURCES else None,
            effects=self._write_access if function in ACTING else None,
            render=render if function in DRAWING else None,
        )

    def endpoint(self, path: str) -> Endpoint:
        """The one webhook endpoint. Raises NotFound for any other path."""
        secrets = {name: secret.get_secret_value() for name, secret in self.settings.webhook_secrets.items()}
        return webhook_endpoint(path, secrets)

    def next_wake(self) -> datetime | None:
        """The earliest instant at which the sweeper has something to do; None while nothing waits."""
        return earliest(self.stores.store.next_wake(), self.stores.inbox.next_look())

    def close(self) -> None:
        """Close what was opened, the store last."""
        for close in reversed(self._opened):
            close()
        self._opened.clear()

    # Built once, when first needed

    @cached_property
    def stores(self) -> FirestoreStores:
        """Every store port."""
        from infra.google.firestore import open_firestore

        opened = open_firestore(self.settings.project, self.clock, self.entropy, database=self.settings.database)
        self._opened.append(opened.close)
        return opened

    @cached_property
    def _installed_playbooks(self) -> Mapping[str, Playbook]:
        return shipped_playbooks() if self._playbooks is None else self._playbooks

    @cached_property
    def _messages(self) -> Messages:
        from infra.google.pubsub import PubSubMessages, connect_publisher

        client = connect_publisher(self.settings.pubsub_emulator)
        self._opened.append(client.transport.close)
        counted = self.stores.meter.sent
        return PubSubMessages(client, str(self.settings.project), prefix=self.settings.prefix, counted=counted)

    @cached_property
    def _tasks(self) -> Tasks:
        from infra.google.tasks import CloudTasks, Dispatch, connect_tasks

        settings = self.settings
        client = connect_tasks(settings.cloud_tasks_emulator)
        self._opened.append(client.transport.close)
        dispatch = Dispatch(
            project=str(settings.project),
            location=str(settings.location),
            functions=settings.function_urls,
            account=settings.tasks_account,
            prefix=settings.prefix,
        )
        return CloudTasks(client, dispatch, counted=self.stores.meter.sent)

    @cached_property
    def _callers(self) -> Callers:
        from infra.google.identity import TokenCallers
        from infra.google.keys import Keys, fetch_from

        keys = Keys(fetch_from(self.settings.token_keys_url))
        return TokenCallers(keys, audience=str(self.settings.audience), accounts=frozenset(self.settings.callers))

    @cached_property
    def _workers(self) -> Instances:
        return Instances(self.entropy.token())

    @cached_property
    def _sources_by_org(self) -> Callable[[str], Sources]:
        if self._sources is not None:
            return self._sources
        from infra.sources.by_org import SourcesByOrg

        assert self.settings.sources is not None  # `check` has seen to it
        opened = SourcesByOrg(self.settings.sources)
        self._opened.append(opened.close)
        return opened

    @cached_property
    def _write_access(self) -> Effects:
        if self._effects is not None:
            return self._effects
        settings = self.settings
        assert settings.outbox is not None  # `check` has seen to it
        key = settings.stripe_write_key
        return effects_through(
            None if key is None else key.get_secret_value(),
            stripe_url=settings.stripe_url,
            outbox=settings.outbox,
            now=self.clock.now,
        )


def _clock_of(settings: Settings) -> Clock:
    """The real one; beside emulators it may be a world's, which `Settings.check` refuses anywhere else."""
    if settings.clock is None or not settings.emulated:
        return SystemClock()
    from infra.cloud.clock import SharedClock

    return SharedClock(settings.clock)


class _NotGiven:
    """Stands where a function has no transport: using it is a fault of the composition."""

    def __init__(self, function: str) -> None:
        self._function = function

    def publish(self, message: Message) -> None:
        """Refuse."""
        raise NotGiven(f"{self._function} may not publish messages")

    def enqueue(self, task: Task) -> bool:
        """Refuse."""
        raise NotGiven(f"{self._function} may not enqueue tasks")
