"""`python -m infra.fakes.stripe`: runs the double until it is told to stop.

Prints one line of JSON, {"url": ..., "pid": ...}, once it listens.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sqlite3
import sys
import threading
import time
from pathlib import Path

from . import clock
from .app import App
from .courier import Courier
from .errors import Invalid
from .keys import Keys
from .server import Server
from .store import Store


def main() -> int:
    """Serves until SIGTERM, SIGINT or, with `--exit-with-parent`, the end of standard input. Returns the exit code."""
    options = _options()
    try:
        store = Store(options.db, now=clock.parse(options.now) if options.now else int(time.time()))
    except (sqlite3.Error, Invalid) as error:
        print(f"cannot open {options.db}: {error}", file=sys.stderr)
        return 2
    courier = Courier(store)
    app = App(store, Keys(write=options.write_key, read=options.read_key), courier)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    if options.exit_with_parent:
        threading.Thread(target=_wait_for_end_of_input, args=(stop,), daemon=True).start()
    with Server(options.host, options.port, app.handle) as server:
        courier.start()
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        print(json.dumps({"url": server.url, "pid": os.getpid()}), flush=True)
        stop.wait()
        server.shutdown()
    if courier.stop(timeout=2.0):
        store.close()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="infra.fakes.stripe", description="A Stripe that behaves like Stripe.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--db", type=Path, required=True, help="the file that holds the state; made if absent")
    parser.add_argument("--now", help="where the clock of a new file starts: epoch seconds or ISO 8601 (default: now)")
    parser.add_argument("--write-key", default="sk_test_double")
    parser.add_argument("--read-key", default="rk_test_double")
    parser.add_argument("--exit-with-parent", action="store_true", help="stop when standard input ends")
    return parser.parse_args()


def _wait_for_end_of_input(stop: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    stop.set()


if __name__ == "__main__":
    sys.exit(main())
