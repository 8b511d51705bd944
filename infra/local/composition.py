"""The embedded default, composed: SQLite behind every store port, the local queue, DuckDB sources, the local outbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from infra.local.callers import LoopbackCallers
from infra.local.claims import SqliteClaims
from infra.local.clock import LocalClock, SystemClock
from infra.local.database import Database, Synchronous
from infra.local.directory import SqliteDirectory
from infra.local.entropy import SystemEntropy
from infra.local.inbox import SqliteInbox
from infra.local.messages import LocalMessages
from infra.local.processes import LocalWorkers
from infra.local.queue import DurableQueue
from infra.local.store import SqliteStore
from infra.local.switch import SqliteSwitch
from infra.local.tasks import LocalTasks
from infra.local.trace import SqliteTrace
from infra.parts import (
    ACTING,
    DRAWING,
    READING_SOURCES,
    WEBHOOK_PATH,
    earliest,
    effects_through,
    render,
    shipped_playbooks,
    webhook_endpoint,
)
from infra.telemetry import Watch
from shared.ports import Effects, Entropy, Sources
from shared.steps.context import Ports
from shared.steps.intake import Endpoint
from shared.team.contract import Playbook

if TYPE_CHECKING:
    from infra.settings import Settings

__all__ = ["WEBHOOK_PATH", "LocalComposition", "LocalSettings", "shipped_playbooks"]


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """Where things are. `secrets`: live signing secrets of the webhook by name."""

    data: Path
    """The folder of the one database file, the outbox and the loaded sources."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    stripe_url: str | None = None
    stripe_write_key: str | None = field(default=None, repr=False)
    synchronous: Synchronous = "FULL"

    @classmethod
    def of(cls, settings: Settings) -> LocalSettings:
        """What the process's settings say of this machine."""
        key = settings.stripe_write_key
        return cls(
            data=settings.data,
            secrets={name: secret.get_secret_value() for name, secret in settings.webhook_secrets.items()},
            stripe_url=settings.stripe_url,
            stripe_write_key=None if key is None else key.get_secret_value(),
        )

    @property
    def database(self) -> Path:
        """The one SQLite file."""
        return self.data / "manthan.db"

    @property
    def outbox(self) -> Path:
        """Where mails, notes and briefs can be read."""
        return self.data / "outbox"

    @property
    def sources(self) -> Path:
        """The world's tables, loaded for reading."""
        return self.data / "sources.duckdb"


class LocalComposition:
    """Everything on one machine. Closing it closes the database and whatever it started."""

    def __init__(
        self,
        settings: LocalSettings,
        *,
        clock: LocalClock | None = None,
        entropy: Entropy | None = None,
        playbooks: Mapping[str, Playbook] | None = None,
        sources: Callable[[str], Sources] | None = None,
        effects: Effects | None = None,
        telemetry: Watch | None = None,
    ) -> None:
        settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.settings = settings
        self.clock: LocalClock = clock or SystemClock()
        self.entropy = entropy or SystemEntropy()
        self.workers = LocalWorkers()
        self.database = Database(settings.database, synchronous=settings.synchronous)
        self.store = SqliteStore(self.database)
        self.inbox = SqliteInbox(self.database)
        self.claims = SqliteClaims(self.database)
        self.directory = SqliteDirectory(self.database)
        self.switch = SqliteSwitch(self.database, self.clock)
        self.trace = SqliteTrace(self.database, self.clock)
        self.queue = DurableQueue(self.database, self.clock)
        self.telemetry = telemetry or Watch()
        self._playbooks = playbooks if playbooks is not None else shipped_playbooks()
        self._sources = sources
        self._effects = effects
        self._opened: list[Callable[[], None]] = []

    def ports(self, function: str) -> Ports:
        """What this function may use, watched as the settings say."""
        return self.telemetry.over(self.given(function))

    def given(self, function: str) -> Ports:
        """What this function may use: sources for the specialist, effects for act, nothing of either for the rest."""
        return Ports(
            store=self.store,
            inbox=self.inbox,
            claims=self.claims,
            messages=LocalMessages(self.queue),
            tasks=LocalTasks(self.queue),
            directory=self.directory,
            switch=self.switch,
            clock=self.clock,
            entropy=self.entropy,
            trace=self.trace,
            workers=self.workers,
            callers=LoopbackCallers(),
            playbooks=self._playbooks,
            sources=self._sources_port() if function in READING_SOURCES else None,
            effects=self._effects_port() if function in ACTING else None,
            render=render if function in DRAWING else None,
        )

    def endpoint(self, path: str) -> Endpoint:
        """The one webhook endpoint. A function served alone has it at its root."""
        return webhook_endpoint(path, self.settings.secrets)

    def _sources_port(self) -> Callable[[str], Sources]:
        if self._sources is None:
            from infra.sources.duckdb_files import DuckDbSources

            opened = DuckDbSources(self.settings.sources)
            self._opened.append(opened.close)
            self._sources = lambda org: opened
        return self._sources

    def _effects_port(self) -> Effects:
        if self._effects is None:
            settings = self.settings
            self._effects = effects_through(
                settings.stripe_write_key, stripe_url=settings.stripe_url, outbox=settings.outbox, now=self.clock.now
            )
        return self._effects

    def connect_stripe(self, url: str) -> None:
        """Say where Stripe is, for a Stripe that starts while this composition does."""
        self.settings = replace(self.settings, stripe_url=url)

    def recover(self) -> None:
        """What a start does first: forget the claims of dead processes and whatever has expired."""
        self.claims.void_dead()
        now = self.clock.now()
        self.claims.purge_expired(now)
        self.inbox.purge_expired(now)
        self.store.purge_expired(now)

    def next_wake(self) -> datetime | None:
        """The earliest instant at which the sweeper has something to do; None while nothing waits."""
        return earliest(self.store.next_wake(), self.inbox.next_look())

    def close(self) -> None:
        """Close what was opened, the database last."""
        for close in reversed(self._opened):
            close()
        self._opened.clear()
        self.queue.release()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
