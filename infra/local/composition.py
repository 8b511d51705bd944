"""The embedded default, composed: SQLite behind every store port, the local queue, DuckDB sources, the local outbox."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

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
from infra.telemetry import Watch
from shared.case.actions import ActionKind
from shared.case.document import Document
from shared.errors import InvalidInput, NotFound
from shared.ports import Effects, Entropy, Sources
from shared.ports.exhibits import Rendered
from shared.steps.context import Ports
from shared.steps.intake import Endpoint
from shared.team.contract import Playbook

WEBHOOK_PATH: Final = "/webhooks/stripe"


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """Where things are. `secrets`: live signing secrets of the webhook by name."""

    data: Path
    """The folder of the one database file, the outbox and the loaded sources."""
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    stripe_url: str | None = None
    stripe_write_key: str | None = field(default=None, repr=False)
    synchronous: Synchronous = "FULL"

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
            sources=self._sources_port() if function == "specialist" else None,
            effects=self._effects_port() if function == "act" else None,
            render=_render if function == "synthesize" else None,
        )

    def endpoint(self, path: str) -> Endpoint:
        """The one webhook endpoint. A function served alone has it at its root."""
        if path.rstrip("/") not in ("", WEBHOOK_PATH):
            raise NotFound(f"there is no webhook endpoint at {path}")
        return Endpoint(path=WEBHOOK_PATH, secrets=self.settings.secrets)

    def _sources_port(self) -> Callable[[str], Sources]:
        if self._sources is None:
            from infra.sources.duckdb_files import DuckDbSources

            opened = DuckDbSources(self.settings.sources)
            self._opened.append(opened.close)
            self._sources = lambda org: opened
        return self._sources

    def _effects_port(self) -> Effects:
        if self._effects is None:
            self._effects = _effects(self.settings, self.clock)
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
        instants = (self.store.next_wake(), self.inbox.next_look())
        return min((instant for instant in instants if instant is not None), default=None)

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


def _effects(settings: LocalSettings, clock: LocalClock) -> Effects:
    """Stripe through its SDK, everything else into the local outbox. Raises InvalidInput without a write key."""
    # Only act comes here: the SDK is loaded by nobody else.
    from infra.effects import OutboxEffects, RoutedEffects, StripeEffects

    if settings.stripe_write_key is None:
        raise InvalidInput("act needs Stripe's write key: set MANTHAN_STRIPE_WRITE_KEY")
    stripe = StripeEffects(settings.stripe_write_key, base_url=settings.stripe_url)
    outbox = OutboxEffects(settings.outbox, now=clock.now)
    return RoutedEffects({kind: stripe if kind.value.startswith("stripe_") else outbox for kind in ActionKind})


def _render(document: Document) -> Rendered:
    """Draws an exhibit; its library is loaded when the first one is drawn."""
    from infra.effects.exhibits import render

    return render(document)


def shipped_playbooks() -> dict[str, Playbook]:
    """The playbooks that come with the product, by name."""
    from shared.playbooks.disputes.playbook import DisputesPlaybook

    return {"disputes": DisputesPlaybook()}


def from_environment(environment: Mapping[str, str] = os.environ) -> LocalComposition:
    """The composition that the process's settings describe. Raises InvalidInput for settings that cannot be read."""
    secrets = environment.get("MANTHAN_WEBHOOK_SECRETS", "{}")
    try:
        parsed = json.loads(secrets)
    except ValueError:
        raise InvalidInput('MANTHAN_WEBHOOK_SECRETS must be JSON such as {"current": "whsec_..."}') from None
    if not isinstance(parsed, dict) or not all(isinstance(value, str) for value in parsed.values()):
        raise InvalidInput('MANTHAN_WEBHOOK_SECRETS must be JSON such as {"current": "whsec_..."}')
    return LocalComposition(
        LocalSettings(
            data=Path(environment.get("MANTHAN_DATA", ".manthan")),
            secrets=parsed,
            stripe_url=environment.get("MANTHAN_STRIPE_URL"),
            stripe_write_key=environment.get("MANTHAN_STRIPE_WRITE_KEY"),
        )
    )
