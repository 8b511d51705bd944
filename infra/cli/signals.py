"""Stopping in order: the signals that ask a process to end, as something a loop can look at."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_ASKING_TO_END: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def asked_to_end() -> Iterator[threading.Event]:
    """An event that is set by an interrupt, a termination or the end of the terminal, which then do nothing else.

    A second one changes nothing: what was started is being stopped.
    """
    asked = threading.Event()
    before = {number: signal.signal(number, lambda *_: asked.set()) for number in _ASKING_TO_END}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
