"""Setting a world up and running it: from its first event until nothing is left to happen."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Final, Protocol, Self

from infra.fakes.stripe.process import StripeDouble
from infra.google.resources import TOPICS
from infra.local.apps import load_apps
from infra.local.clock import WorldClock
from infra.local.composition import LocalComposition, LocalSettings
from infra.local.driver import Runtime, drive_until
from infra.local.runtime import LocalRuntime, QueueSettings
from infra.local.sweeps import Sweep
from infra.parts import WEBHOOK_PATH
from infra.sources.build import build_database
from infra.sources.duckdb_files import DuckDbSources
from infra.stage import requests
from infra.stage.serving import Reaching, in_this_process
from infra.telemetry import Watch, watch_of
from infra.worlds.model import World
from shared.case.case import Case
from shared.ports import Entropy, Sources
from shared.ports.store import CaseQuery
from shared.ports.trace import TraceReader
from shared.steps import budgets
from shared.steps.context import Ports, RequestContext
from shared.steps.request import PersonRequest, receive_request
from shared.team.contract import Playbook

SECRET_NAME: Final = "double"

SUBSCRIPTIONS: Final = {name: name for name in TOPICS}
"""Each topic starts the function of its name."""
QUEUES: Final = {budget.queue: QueueSettings(max_concurrent=budget.at_once) for budget in budgets.QUEUES}


class Composed(Protocol):
    """What a stage needs of a composition, wherever that stands."""

    @property
    def entropy(self) -> Entropy:
        """Where traces come from."""
        ...

    def ports(self, function: str) -> Ports:
        """The ports of one function."""
        ...


class Stage:
    """One world, one org, everything real but the companies. A context manager; what it started ends with it.

    `data` keeps the database, the Stripe double's state and the outbox: opened again, the stage goes on where it was.
    `reached` makes the functions reachable, and `stripe_port` is where the Stripe double listens (0: any free port).
    `compose` makes a composition of what the embedded default's takes; `telemetry` None: as the environment says.
    """

    composition: Composed
    clock: WorldClock
    runtime: Runtime
    trace: TraceReader
    outbox: Path
    """Where mails, notes and briefs can be read."""
    webhook_url: str
    write_key: str
    signing_secret: str
    """Signs events for the webhook."""
    visitors: Mapping[str, str] = MappingProxyType({})
    """The variables with which other processes work on it, where its data folder is not enough for that."""

    def __init__(
        self,
        world: World,
        data: Path,
        *,
        playbooks: Mapping[str, Playbook] | None = None,
        sources: Callable[[str], Sources] | None = None,
        reached: Reaching = in_this_process,
        stripe_port: int = 0,
        telemetry: Watch | None = None,
        compose: Callable[..., LocalComposition] = LocalComposition,
    ) -> None:
        self.world = world
        self.data = data
        self._playbooks = playbooks
        self._sources = sources
        self._reached = reached
        self._stripe_port = stripe_port
        self._telemetry = telemetry
        self._composed = compose
        self._to_come: list[PersonRequest] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        try:
            self._open()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def _open(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        scene = self.data / "scene.set"
        self._requests = requests.requests_of(self.world, self.data)
        self._choose_keys()
        # The double and the sources start in processes of their own: let them, while this one loads the functions.
        self.double = StripeDouble.launch(
            db=self.data / "stripe.db", now=self.world.now, write_key=self.write_key, port=self._stripe_port
        )
        self._stack.callback(self.double.stop)
        loading = _InBackground(self._load_sources)
        self._stack.callback(loading.close)
        self._set_up(loading.result)
        self.double.ready()
        self.clock.jump_to(datetime.fromtimestamp(self.double.clock()["now"], UTC))
        self.double.register_webhook(self.webhook_url, self.signing_secret, only=True)
        if not scene.exists():
            # Again after a crash in the middle: loading the same objects twice changes nothing.
            self._set_the_scene()
            scene.touch()
        self._begin()

    # Where the pipeline runs: another place is another stage

    def _choose_keys(self) -> None:
        self.write_key, self.signing_secret = "sk_test_" + secrets.token_hex(12), "whsec_" + secrets.token_hex(12)

    def _set_up(self, sources: Callable[[], Any]) -> None:
        """Have a clock, a composition with the org in it, and functions that can be reached; nothing runs yet."""
        self.clock = WorldClock(self.world.now)
        composition = self._composed(
            LocalSettings(data=self.data, secrets={SECRET_NAME: self.signing_secret}, stripe_write_key=self.write_key),
            clock=self.clock,
            playbooks=self._playbooks,
            sources=lambda org: sources(),
            telemetry=self._telemetry or watch_of(),
        )
        self._stack.callback(composition.close)
        composition.directory.put_org(self.world.org)
        composition.directory.register_endpoint(WEBHOOK_PATH, SECRET_NAME, None, self.world.org.id)
        self.composition = self._local = composition
        self.trace = composition.trace
        self.outbox = composition.settings.outbox
        apps = load_apps(composition)
        self._reach = self._stack.enter_context(self._reached(apps))
        self.webhook_url = self._reach.webhook_url

    def _begin(self) -> None:
        """Stripe can be reached: have the pipeline run."""
        self._local.connect_stripe(self.double.url)
        runtime = LocalRuntime(
            self._local.queue,
            self._reach.deliver,
            self.clock,
            subscriptions=SUBSCRIPTIONS,
            queues=QUEUES,
            sweep=Sweep(self._local.next_wake),
        )
        self._local.recover()
        runtime.start()
        self._stack.callback(runtime.stop)
        self.runtime = runtime

    def _load_sources(self) -> Any:
        if self._sources is not None:
            return self._sources(self.world.org.id)
        return open_sources(self.world, self.data, self._requests)

    def _set_the_scene(self) -> None:
        choices = self.world.manifest.stripe
        self.double.configure(
            decision_days=choices.issuer_days, refunds=dict(choices.refunds), refund_days=choices.refund_days
        )
        self.double.load(self.world.stripe_objects)

    def deliver_events(self) -> None:
        """Have the world's events and requests come, each at its own time. A second time changes nothing."""
        self.double.script(*self.world.events)
        self._to_come = list(self._requests)

    def run(
        self, done: Callable[[], bool] = lambda: False, *, until: datetime | None = None, guard_s: float = 120.0
    ) -> bool:
        """Let the world go on until `done` or this instant, or until nothing is left to happen (False)."""
        return drive_until(
            self.runtime,
            self.clock,
            next_instants=[self._next_at_stripe, self._next_request, lambda: until],
            done=lambda: done() or (until is not None and self.clock.now() >= until),
            on_jump=self._bring_about,
            guard_s=guard_s,
        )

    def _next_at_stripe(self) -> datetime | None:
        next_at = self.double.clock()["next_at"]
        return None if next_at is None else datetime.fromtimestamp(next_at, UTC)

    def _next_request(self) -> datetime | None:
        return self._to_come[0].received_at if self._to_come else None

    def _bring_about(self, now: datetime) -> None:
        """Move Stripe's clock, wait until what it had to say was delivered, and hand in the requests made by then."""
        self.double.set_clock(now)
        self.double.flush()
        while self._to_come and self._to_come[0].received_at <= now:
            request = self._to_come.pop(0)
            trace = self.composition.entropy.token()
            receive_request(self.ports, self.world.org.id, request, requested_by=None, trace=trace)

    # What a person looks at

    @property
    def ports(self) -> Ports:
        """The ports of someone who neither reads the sources nor changes the world: the command line."""
        return self.composition.ports("cli")

    def as_person(self, email: str) -> RequestContext:
        """The context of a member who asks on this machine."""
        member = self.world.org.member(email)
        role = member.role.value if member else "stranger"
        return RequestContext(org=self.world.org.id, actor=email, role=role, trace=self.composition.entropy.token())

    def cases(self) -> tuple[Case, ...]:
        """Every case, the first opened first."""
        page = self.ports.store.list_cases(self.world.org.id, CaseQuery(limit=1000))
        return tuple(sorted(page.cases, key=lambda case: (case.opened_at, case.id)))


def open_sources(world: World, data: Path, wanted: Sequence[PersonRequest]) -> DuckDbSources:
    """The world's connected systems with these requests of people in them."""
    sources = DuckDbSources(build_sources(world, data, wanted))
    sources.warm()
    return sources


def build_sources(world: World, data: Path, wanted: Sequence[PersonRequest]) -> Path:
    """The database of the world's systems with these requests in them, built once for each set of requests."""
    database = data / f"sources-{requests.edition(wanted)}.duckdb"
    if not database.exists():
        build_database(database, {**world.tables(), requests.TABLE: requests.rows(wanted)})
    return database


class _InBackground:
    """Work that runs while others go on; whoever needs its result waits for it."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._result: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), name="sources", daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], Any]) -> None:
        try:
            self._result = work()
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks for the result
            self._error = error

    def result(self) -> Any:
        """The result, or the error that the work ended in."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._result

    def close(self) -> None:
        """Close the result, if it came about."""
        self._thread.join()
        close = getattr(self._result, "close", None)
        if close is not None:
            close()
