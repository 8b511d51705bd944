"""A cloud on this machine: emulators, topics and queues, and every function in a process of its own, from start to end.

It knows no world. Worlds are played on it one after another, each from an empty store.
"""

from __future__ import annotations

import http.client
import json
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from infra.cloud import ports
from infra.cloud.clock import PostedClock, QueueTime
from infra.cloud.emulators import google_emulators
from infra.cloud.front import PUSH_PATH, front
from infra.cloud.processes import FunctionProcess
from infra.cloud.provision import ATTEMPTS, provide_messages, provide_queues
from infra.cloud.tap import Tap
from infra.cloud.traffic import Traffic
from infra.cloud.visiting import firestore_at
from infra.cloud.warden import Warden
from infra.dev.places import Places
from infra.fakes.cloud_tasks import Emulator, RunningEmulator, Signer
from infra.google.composition import GoogleComposition
from infra.local.apps import FUNCTIONS, function_source
from infra.local.clock import WorldClock
from infra.settings import COMMAND_LINE, load, variable
from infra.stage.serving import AppServer
from shared.errors import Terminal
from shared.steps.budgets import SWEEP_DISPATCH_S

LOCATION: Final = "local"
_WORLDS: Final = 200
"""How many worlds can be played on one cloud, each with a signing secret of its own."""
_TOKEN_S: Final = 1800.0
"""Tokens live for an hour; so long one is used."""


class Cloud:
    """A running cloud. A context manager; whatever it has started ends with it, and with this process, however it ends.

    `said` is the folder for logs, sources and mails. `places`: the ports of the functions' addresses (default: any).
    `source` finds the functions' code. Raises EmulatorMissing, EmulatorFailed, FunctionFailed.
    """

    def __init__(
        self, said: Path, *, places: Places | None = None, source: Callable[[str], Path] = function_source
    ) -> None:
        self.folder = said
        self.project = f"local-{secrets.token_hex(4)}"
        self.write_key = f"sk_test_{secrets.token_hex(12)}"
        self.traffic = Traffic(gives_up_after=ATTEMPTS)
        self.functions: dict[str, FunctionProcess] = {}
        self.urls: dict[str, str] = {}
        """The public address of every function."""
        self._places = places
        self._source = source
        self._signing = [f"whsec_{secrets.token_hex(12)}" for _ in range(_WORLDS)]
        self._played = 0
        self._signer = Signer()
        self._tokens: dict[tuple[str, str], tuple[float, str]] = {}
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
        for folder in (self.logs, self.sources, self.outbox):
            folder.mkdir(parents=True, exist_ok=True)
        self.stripe_port = (self._places.stripe_port if self._places else 0) or self._reserved()
        warden = self._stack.enter_context(Warden())
        self._hosts = self._stack.enter_context(google_emulators(self.logs, warden))
        self._time = QueueTime(WorldClock(datetime.now(UTC)))
        self._tasks = Emulator(self._time, signer=self._signer, on_settled=self.traffic.move)
        self._served = self._stack.enter_context(RunningEmulator(self._tasks))
        self._tap = Tap(self._hosts.pubsub, self.traffic)
        self._stack.callback(self._tap.close)
        self._serve(warden)
        self._stack.enter_context(firestore_at(self._hosts.firestore))
        self._hosts.ready()
        provide_messages(self._hosts.pubsub, self.project, lambda name: self.urls[name].rstrip("/") + PUSH_PATH)
        for process in self.functions.values():
            process.ready()

    def _serve(self, warden: Warden) -> None:
        """Give every function its address, then start them all: each is told where the others are."""
        internal = {name: self._reserved() for name in FUNCTIONS}
        for name, port in internal.items():
            app = front(name, port, self.traffic, partial(self._token, "pubsub", name))
            listener = self._places.functions[name] if self._places else None
            self.urls[name] = self._stack.enter_context(AppServer(app, listener)).url
        for name, port in internal.items():
            said = self.logs / f"{name}.log"
            process = FunctionProcess(name, self._source(name), port, self.settings_of(name), said, warden)
            self._stack.callback(process.stop)
            self.functions[name] = process
        self._stack.callback(self._ask_to_stop)

    def _ask_to_stop(self) -> None:
        """Have all of them end, before each is waited for."""
        for process in self.functions.values():
            process.ask_to_stop()

    def _reserved(self) -> int:
        return ports.number(self._stack.enter_context(closing(ports.reserve())))

    # Settings

    def settings_of(self, function: str) -> dict[str, str]:
        """The variables of one process: what it needs, and of secrets nothing else."""
        given = {
            "runtime": "google",
            "project": self.project,
            "location": LOCATION,
            "function_urls": json.dumps({name: self.urls[name] for name in ("specialist", "act")}),
            "tasks_account": self._account("tasks"),
            "clock": str(self._clock_file),
            "firestore_emulator": self._hosts.firestore,
            "pubsub_emulator": self._tap.address,
            "cloud_tasks_emulator": self._served.address,
            "token_keys_url": self._served.certs_url,
        }
        if function != COMMAND_LINE:
            given["audience"] = self.urls[function]
            given["callers"] = ",".join(map(self._account, ("tasks", "pubsub", "scheduler")))
        given |= self._secrets_of(function)
        return {variable(name): value for name, value in given.items()}

    def _secrets_of(self, function: str) -> dict[str, str]:
        if function == "stripe_webhook":
            return {"webhook_secrets": json.dumps({_secret_name(i): one for i, one in enumerate(self._signing)})}
        if function == "specialist":
            return {"sources": str(self.sources)}
        if function == "act":
            stripe = f"http://127.0.0.1:{self.stripe_port}"
            return {"stripe_write_key": self.write_key, "stripe_url": stripe, "outbox": str(self.outbox)}
        return {}

    def _account(self, transport: str) -> str:
        return f"{transport}@{self.project}.iam.gserviceaccount.com"

    @property
    def logs(self) -> Path:
        """What emulators and functions say."""
        return self.folder / "logs"

    @property
    def sources(self) -> Path:
        """The connected systems, one file for each org."""
        return self.folder / "sources"

    @property
    def outbox(self) -> Path:
        """Where mails, notes and briefs can be read."""
        return self.folder / "outbox"

    @property
    def _clock_file(self) -> Path:
        return self.folder / "clock.json"

    # A world on it

    def begin_world(self, clock: PostedClock) -> tuple[str, str]:
        """Empty the store and the queues and follow this clock; the name and the value of the world's signing secret.

        Raises Terminal when too many worlds have been played here.
        """
        if self._played >= len(self._signing):
            raise Terminal("too many worlds have been played on this cloud: start another one")
        self.traffic.forget()
        self._clear_firestore()
        self._time.follow(clock)
        provide_queues(self._tasks, f"projects/{self.project}/locations/{LOCATION}")
        self._played += 1
        return _secret_name(self._played - 1), self._signing[self._played - 1]

    def clock(self, start: datetime) -> PostedClock:
        """A world's clock, which every function reads."""
        return PostedClock(start, self._clock_file)

    def composition(self, clock: PostedClock) -> GoogleComposition:
        """The ports of whoever works on this cloud from here."""
        return GoogleComposition(load(self.settings_of(COMMAND_LINE)), clock=clock)

    @property
    def tasks(self) -> Emulator:
        """The task queues."""
        return self._tasks

    def sweep(self, body: Mapping[str, bool]) -> None:
        """Call the sweep function, as the scheduler does; whatever it answers, the next tick comes."""
        url, token = self.urls["sweep"], self._token("scheduler", "sweep")
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
        host = url.removeprefix("http://").rstrip("/")
        connection = http.client.HTTPConnection(host, timeout=SWEEP_DISPATCH_S)
        try:
            connection.request("POST", "/", json.dumps(dict(body)), headers)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return
        finally:
            connection.close()

    def _clear_firestore(self) -> None:
        connection = http.client.HTTPConnection(self._hosts.firestore, timeout=30.0)
        try:
            connection.request("DELETE", f"/emulator/v1/projects/{self.project}/databases/(default)/documents")
            connection.getresponse().read()
        finally:
            connection.close()

    def _token(self, transport: str, function: str) -> str:
        made_at, token = self._tokens.get((transport, function), (float("-inf"), ""))
        if time.monotonic() - made_at > _TOKEN_S:
            token = self._signer.token(self._account(transport), self.urls[function])
            self._tokens[transport, function] = (time.monotonic(), token)
        return token


def _secret_name(number: int) -> str:
    return f"world-{number}"
