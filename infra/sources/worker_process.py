"""The parent's side of one child: start it, ask it, kill it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from infra.sources.wire import BadFrame, Frame, encode, read
from shared.ports.sources import QueryFailed, QueryRefused

_START_S = 20.0
_KILL_GRACE_S = 1.0
_FRAME_MARGIN_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a child is started with: the file it reads, its address space and the caps on an answer, in bytes."""

    database: Path
    max_rows: int = 500
    max_bytes: int = 1 << 20
    address_space: int = 1_500_000_000


def child_environment() -> dict[str, str]:
    """The environment of a child: where its modules are, and nothing of ours (no credentials, no settings)."""
    modules = os.pathsep.join(entry for entry in sys.path if entry)
    # One arena: each further one reserves address space that the limit counts.
    return {"PYTHONPATH": modules, "LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}


def child_command(module: str, *arguments: str) -> list[str]:
    """The command line of a child module, without the site directory's start-up code (its paths are handed down)."""
    return [sys.executable, "-S", "-P", "-m", module, *arguments]


class WorkerProcess:
    """One child. Starting returns at once; the first question waits until it is up. One caller at a time."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._frame_limit = settings.max_bytes + _FRAME_MARGIN_BYTES
        self._greeted = False
        self._sound = True
        self._socket, theirs = socket.socketpair()
        limits = (settings.address_space, settings.max_rows, settings.max_bytes)
        with theirs:
            self._process = subprocess.Popen(
                child_command("infra.sources.worker", str(settings.database), *map(str, limits)),
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                env=child_environment(),
                start_new_session=True,  # a Ctrl-C is for the parent to handle
            )

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._process.pid

    @property
    def usable(self) -> bool:
        """Whether the child is there and in step with us; after a failure it is not, and must be replaced."""
        return self._sound and self._process.poll() is None

    def query(self, sql: str, timeout_s: float) -> Frame:
        """Ask for the answer to one SELECT, within so many seconds of the child being up.

        Raises QueryRefused if the engine rejects the text, QueryFailed if the child ran out of time or memory or died.
        """
        return self._ask({"sql": sql, "timeout_s": timeout_s}, timeout_s)

    def tables(self) -> Frame:
        """Ask for the tables of the database. Raises QueryFailed."""
        return self._ask({"tables": True}, _START_S)

    def kill(self) -> None:
        """End the child; whoever waits for its answer gets QueryFailed. May be called from any thread, and again."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the child and free the connection; only for the caller that holds the worker."""
        self.kill()
        self._socket.close()

    def _ask(self, request: Frame, timeout_s: float) -> Frame:
        usable, self._sound = self._sound, False  # until the whole answer is here, the child is out of step
        if not usable:
            raise QueryFailed("the query process was lost")
        try:
            self._await_greeting()
            reply = self._exchange(encode(request), time.monotonic() + timeout_s + _KILL_GRACE_S)
        except TimeoutError:
            self.kill()
            raise QueryFailed(f"no answer within {timeout_s:g} s: the query process was ended") from None
        except (OSError, BadFrame):
            self.kill()
            raise QueryFailed("the query process ended before it answered") from None
        if "exhausted" in reply:
            raise QueryFailed(str(reply["exhausted"]))
        self._sound = True
        if "refused" in reply:
            raise QueryRefused(str(reply["refused"]))
        return reply

    def _await_greeting(self) -> None:
        if self._greeted:
            return
        greeting = self._exchange(b"", time.monotonic() + _START_S)
        if "fatal" in greeting:
            raise QueryFailed(str(greeting["fatal"]))
        self._greeted = True

    def _exchange(self, request: bytes, deadline: float) -> Frame:
        self._set_timeout(deadline)
        self._socket.sendall(request)
        reply = read(lambda count: self._receive(count, deadline), self._frame_limit)
        if reply is None:
            raise BadFrame("the child is gone")
        return reply

    def _receive(self, count: int, deadline: float) -> bytes:
        received = bytearray()
        while len(received) < count:
            self._set_timeout(deadline)
            chunk = self._socket.recv(min(count - len(received), 1 << 16))
            if not chunk:
                break
            received += chunk
        return bytes(received)

    def _set_timeout(self, deadline: float) -> None:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        self._socket.settimeout(remaining)
