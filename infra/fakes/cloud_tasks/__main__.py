"""`manthan-cloud-tasks-emulator`: runs the emulator until it is told to stop.

Prints one line of JSON, {"address", "admin_url", "pid"}, once it listens.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from datetime import UTC, datetime, timedelta

from google.cloud import tasks_v2

from .clock import EmulatorClock
from .emulator import Emulator
from .refusals import Refusal
from .serving import RunningEmulator


def main() -> int:
    """Serve until SIGTERM, SIGINT or, with `--exit-with-parent`, the end of standard input. Returns the exit code."""
    options = _options()
    emulator = Emulator(
        EmulatorClock(options.now, frozen=options.frozen), tombstone=timedelta(hours=options.tombstone_hours)
    )
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if options.exit_with_parent:
        threading.Thread(target=_wait_for_end_of_input, args=(stop,), daemon=True).start()
    try:
        for name in options.queue:
            emulator.create_queue(name.rpartition("/queues/")[0], tasks_v2.Queue(name=name))
        running = RunningEmulator(emulator, host=options.host, port=options.port, admin_port=options.admin_port)
    except (Refusal, OSError) as error:
        print(f"cannot start: {error}", file=sys.stderr)
        return 2
    with running:
        started = {"address": running.address, "admin_url": running.admin_url, "pid": os.getpid()}
        print(json.dumps(started), flush=True)
        stop.wait()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="manthan-cloud-tasks-emulator", description="A Cloud Tasks that behaves like Cloud Tasks."
    )
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8123, help="of the gRPC service; 0 picks a free one")
    parser.add_argument("--admin-port", type=int, default=0, help="of the admin interface; 0 picks a free one")
    parser.add_argument(
        "--queue",
        action="append",
        default=[],
        metavar="NAME",
        help="create projects/P/locations/L/queues/Q at start; may be repeated",
    )
    parser.add_argument("--now", type=_instant, help="where its clock starts, ISO 8601 (default: now)")
    parser.add_argument("--frozen", action="store_true", help="time passes only when POST /clock says so")
    parser.add_argument(
        "--tombstone-hours", type=float, default=24.0, help="how long a used task name stays taken (default: 24)"
    )
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when standard input ends")
    return parser.parse_args()


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _wait_for_end_of_input(stop: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    stop.set()


if __name__ == "__main__":
    sys.exit(main())
