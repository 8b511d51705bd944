"""The pipeline under measurement: the functions' own WSGI apps, the local runtime and a store that flushes.

Nothing is replaced but the playbook and the effects; the code path is that of the embedded default.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from infra.bench.contender import BenchFailed, Traffic
from infra.bench.counting import TrafficCounter, file_size
from infra.bench.workload import BenchPlaybook, InMemoryEffects, dispute_event
from infra.local.apps import load_apps
from infra.local.carriers import in_process
from infra.local.composition import WEBHOOK_PATH, LocalComposition, LocalSettings
from infra.local.delivery import Deliver, DeliveryRequest, DeliveryResponse
from infra.local.runtime import LocalRuntime
from infra.local.sweeps import Sweep
from infra.stage.stage import QUEUES, SUBSCRIPTIONS
from shared.case.lifecycle import State
from shared.ports.directory import Org
from shared.ports.sources import QueryResult, Table
from shared.ports.store import CaseQuery
from shared.steps.context import NotGiven

ORG: Final = "bench"
_SECRET_NAME: Final = "bench"
_SECRET: Final = "whsec_bench"
_SENDERS: Final = 8
"""How many events are in flight at once at the webhook while many cases are submitted."""
_PATIENCE_S: Final = 60.0
_PATIENCE_PER_CASE_S: Final = 2.0


Compose = Callable[..., LocalComposition]
"""Makes the composition of what the embedded default's takes."""


class Pipeline:
    """The embedded default in one folder, started; a context manager that stops it. Implements Contender.

    `compose` puts something else behind the ports.
    """

    def __init__(self, folder: Path, *, compose: Compose = LocalComposition) -> None:
        self._folder = folder
        self._compose = compose
        self._stack = ExitStack()
        self._settled = _Settled()

    def __enter__(self) -> Self:
        with ExitStack() as opening:
            self._open(opening)
            self._stack = opening.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def _open(self, stack: ExitStack) -> None:
        self._playbook = BenchPlaybook()
        self.composition = stack.enter_context(
            self._compose(
                LocalSettings(data=self._folder, secrets={_SECRET_NAME: _SECRET}),
                playbooks={self._playbook.name: self._playbook},
                sources=lambda org: _NoSources(),
                effects=InMemoryEffects(),
            )
        )
        self.composition.directory.put_org(Org(id=ORG, currency="usd"))
        self.composition.directory.register_endpoint(WEBHOOK_PATH, _SECRET_NAME, None, ORG)
        self._deliver = in_process(load_apps(self.composition))
        self._senders = stack.enter_context(ThreadPoolExecutor(_SENDERS, thread_name_prefix="sender"))
        self.runtime = LocalRuntime(
            self.composition.queue,
            self._settled.watching(self._deliver),
            self.composition.clock,
            subscriptions=SUBSCRIPTIONS,
            queues=QUEUES,
            sweep=Sweep(self.composition.next_wake),
        )
        self.runtime.start()
        stack.callback(self.runtime.stop)

    def be_busy(self, seconds: float) -> None:
        """How long every specialist takes from now on."""
        self._playbook.be_busy(seconds)

    def prepare(self, numbers: Sequence[int]) -> Callable[[], None]:
        """Sign the events, and return what posts them and waits until their cases are resolved."""
        requests = [_signed(number) for number in numbers]

        def work() -> None:
            everything = self._settled.expect(len(requests))
            for status in self._senders.map(self._post, requests):
                if status != 200:
                    raise BenchFailed(f"the webhook answered {status}")
            patience_s = _PATIENCE_S + _PATIENCE_PER_CASE_S * len(requests)
            if not everything.wait(patience_s):
                raise BenchFailed(f"after {patience_s:g} s not every case has been acted on")

        return work

    def _post(self, request: DeliveryRequest) -> int:
        return self._deliver("stripe_webhook", request).status

    def size(self) -> int:
        """Bytes of the database file once its log is checkpointed."""
        return self.composition.database.read(file_size)

    def count_traffic(self, work: Callable[[], None]) -> Traffic:
        """Listen to the writer's connection meanwhile; reads are not counted."""
        database, counter = self.composition.database, TrafficCounter()
        database.write(lambda connection: connection.set_trace_callback(counter))
        work()
        database.write(lambda connection: connection.set_trace_callback(None))
        return counter.traffic

    def resolved(self) -> int:
        """How many cases are resolved."""
        query = CaseQuery(states=(State.RESOLVED,), limit=1_000_000)
        return len(self.composition.store.list_cases(ORG, query).cases)


class _Settled:
    """Notices when cases are acted on: the last step of each, answered once its commit is durable."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cases: set[str] = set()
        self._expected = 0
        self._everything = threading.Event()

    def expect(self, count: int) -> threading.Event:
        """An event that is set once so many more cases are settled."""
        with self._lock:
            self._expected = len(self._cases) + count
            self._everything = threading.Event()
            return self._everything

    def watching(self, deliver: Deliver) -> Deliver:
        """The same deliveries, watched."""

        def watched(function: str, request: DeliveryRequest) -> DeliveryResponse:
            response = deliver(function, request)
            if function == "act" and response.status == 204:
                self._note(json.loads(request.body)["case_id"])
            return response

        return watched

    def _note(self, case_id: str) -> None:
        with self._lock:
            self._cases.add(case_id)
            if len(self._cases) >= self._expected:
                self._everything.set()


class _NoSources:
    """No connected systems: the specialists bring their rows along."""

    def list_catalog(self) -> Sequence[Table]:
        """Nothing."""
        return ()

    def describe_table(self, table: str) -> Table:
        """There is none. Raises NotGiven."""
        raise NotGiven("the bench has no connected systems")

    def sql(self, query: str, *, timeout_s: float = 10.0) -> QueryResult:
        """There is nothing to ask. Raises NotGiven."""
        raise NotGiven("the bench has no connected systems")

    def link(self, table: str, record_id: str) -> str:
        """There is nothing to link to. Raises NotGiven."""
        raise NotGiven("the bench has no connected systems")


def _signed(number: int) -> DeliveryRequest:
    body = json.dumps(dispute_event(number), indent=2).encode()  # Stripe indents what it sends
    timestamp = int(time.time())
    digest = hmac.new(_SECRET.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "Stripe-Signature": f"t={timestamp},v1={digest}"}
    return DeliveryRequest(headers, body, deadline_s=10.0)
