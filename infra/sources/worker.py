"""The child process that answers queries: `python -m infra.sources.worker DATABASE ADDRESS_SPACE MAX_ROWS MAX_BYTES`.

It reads requests and writes answers, as frames of `wire`, on stdin and stdout. It can be killed at any time and loses
nothing. The kernel bounds its memory and processor time, the engine is interrupted when a query's time is up, and the
process ends when its parent does: the end of stdin is the end of the child, also in the middle of a query.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue

from infra.sources.engine import Engine, Exhausted, Limits, Refused
from infra.sources.native import duckdb
from infra.sources.wire import Frame, encode, read, with_length

_MAX_REQUEST_BYTES = 1 << 20
_INTERRUPT_EVERY_S = 0.1
_CPU_GRACE_S = 5


def main(arguments: list[str]) -> None:
    """Serve until stdin ends."""
    database, address_space, max_rows, max_bytes = arguments
    _limit_process(int(address_space))
    answers = os.dup(1)
    os.dup2(2, 1)  # nothing that a library prints may get between the frames
    inbox: SimpleQueue[Frame] = SimpleQueue()
    threading.Thread(target=_receive, args=(inbox,), daemon=True).start()
    try:
        engine = Engine(database, Limits(int(max_rows), int(max_bytes)))
    except duckdb.Error as error:
        _send(answers, encode({"fatal": f"the database cannot be opened ({type(error).__name__})"}))
        return
    _send(answers, encode({"ready": True}))
    while True:
        _send(answers, _answer(engine, inbox.get()))


def _limit_process(address_space: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":  # elsewhere the kernel counts what the process merely maps, or nothing at all
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


def _receive(inbox: SimpleQueue[Frame]) -> None:
    try:
        while request := read(sys.stdin.buffer.read, _MAX_REQUEST_BYTES):
            inbox.put(request)
    finally:
        os._exit(0)


def _send(answers: int, frame: bytes) -> None:
    while frame:
        frame = frame[os.write(answers, frame) :]


def _answer(engine: Engine, request: Frame) -> bytes:
    if "sql" not in request:
        return encode({"tables": engine.tables})
    try:
        with _time_limit(engine, float(str(request["timeout_s"]))):
            return with_length(engine.query(str(request["sql"])))
    except Refused as error:
        return encode({"refused": str(error)})
    except Exhausted as error:
        return encode({"exhausted": str(error)})


@contextmanager
def _time_limit(engine: Engine, seconds: float) -> Iterator[None]:
    """Interrupt the engine after so many seconds, and again: an interrupt between two statements is lost."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu = int(used.ru_utime + used.ru_stime + seconds) + _CPU_GRACE_S
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, resource.RLIM_INFINITY))
    done = threading.Event()

    def interrupt() -> None:
        wait = seconds
        while not done.wait(wait):
            engine.interrupt()
            wait = _INTERRUPT_EVERY_S

    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    main(sys.argv[1:])
