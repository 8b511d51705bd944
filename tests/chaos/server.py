"""`python -m tests.chaos.server DATA PORT`: the webhook on a port (0: any), and the pipeline at work behind it.

Prints {url} once it listens. At the end of standard input it lets the pipeline come to rest, prints what that took in
seconds and how much memory the process has used at most, in KiB, and ends.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from werkzeug.serving import WSGIRequestHandler, make_server

from infra.local.apps import load_apps
from infra.local.carriers import in_process
from infra.local.composition import WEBHOOK_PATH, LocalComposition, LocalSettings
from infra.local.faults import StoreUnavailable
from infra.local.runtime import LocalRuntime
from infra.local.sweeps import Sweep
from infra.stage.stage import QUEUES, SUBSCRIPTIONS
from shared.ports import Org, Sources
from shared.steps.context import Ports
from tests.chaos.storm import ORG, SECRET
from tests.chaos.taps import tapped
from tests.support.playbook import ScriptedPlaybook

FAILS_EVERY = 60
DRAINS_WITHIN_S = 240.0


class Flaky:
    """A tap through which every so many events cannot be stored or, by turns, seem not to have been."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._puts = 0

    def call(self, name: str, run: Callable[[], Any]) -> Any:
        if name != "inbox.put":
            return run()
        with self._lock:
            self._puts += 1
            turn, rest = divmod(self._puts, FAILS_EVERY)
        if rest == 0 and turn % 2 == 0:
            raise StoreUnavailable("the disk is full")
        result = run()
        if rest == 0:
            raise StoreUnavailable("the disk reported an error while it flushed what was written")
        return result


class Flooded(LocalComposition):
    """One org, cases about which nothing has to be found out, and a store that the webhook cannot always write to."""

    def __init__(self, data: Path) -> None:
        super().__init__(
            LocalSettings(data=data, secrets={"current": SECRET}),
            playbooks={"disputes": ScriptedPlaybook(specialists=())},
            sources=lambda org: cast(Sources, None),
        )
        self.directory.put_org(Org(id=ORG, currency="usd"))
        self.directory.register_endpoint(WEBHOOK_PATH, "current", None, ORG)
        self._flaky = Flaky()

    def ports(self, function: str) -> Ports:
        real = super().ports(function)
        return tapped(real, function, self._flaky) if function == "stripe_webhook" else real


class KeepAlive(WSGIRequestHandler):
    """Requests over connections that stay open, none of them logged."""

    protocol_version = "HTTP/1.1"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


def main() -> None:
    """Serve until standard input ends."""
    logging.getLogger("manthan").setLevel(logging.CRITICAL)  # refused signatures and failed writes are meant here
    with Flooded(Path(sys.argv[1])) as composition:
        apps = load_apps(composition)
        runtime = LocalRuntime(
            composition.queue,
            in_process(apps),
            composition.clock,
            subscriptions=SUBSCRIPTIONS,
            queues=QUEUES,
            sweep=Sweep(composition.next_wake),
        )
        composition.recover()
        runtime.start()
        webhook: Any = apps["stripe_webhook"]
        server = make_server("127.0.0.1", int(sys.argv[2]), webhook, threaded=True, request_handler=KeepAlive)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        tell(url=f"http://127.0.0.1:{server.socket.getsockname()[1]}{WEBHOOK_PATH}", peak_kib=peak_kib())
        sys.stdin.read()
        flooded, since = peak_kib(), time.monotonic()
        rest(runtime)
        tell(peak_kib=flooded, drained_s=round(time.monotonic() - since, 1), peak_after_kib=peak_kib())
        server.shutdown()
        runtime.stop()


def rest(runtime: LocalRuntime) -> None:
    """Wait until nothing is ready or running. Raises TimeoutError when it takes too long."""
    ends_at = time.monotonic() + DRAINS_WITHIN_S
    while True:
        seen = runtime.moves()
        if runtime.idle():
            return
        if not runtime.wait_for_move(seen, ends_at - time.monotonic()):
            raise TimeoutError(f"still at work: {runtime.running()}")


def peak_kib() -> int:
    """The most memory this process has had at once so far."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def tell(**what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main()
