"""`python -m infra.cloud.warden`: ends what a process has started, once that process is gone, however it went.

Reads `+PID` and `-PID` from standard input, one a line: process groups that it has to end when the input ends. Java and
the functions' servers do not notice that nobody is there any more; this does, after a SIGKILL, too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_GRACE_S: Final = 3.0
_LOOK_EVERY_S: Final = 0.05
_ROOT: Final = Path(__file__).resolve().parents[2]


class Warden:
    """A running warden; it ends with the block, and everything that is still watched ends with it."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
        command = [sys.executable, "-m", "infra.cloud.warden"]
        # A session of its own: what ends us, an interrupt at the terminal for example, must not end it first.
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, env=environment, start_new_session=True, text=True
        )

    def watch(self, group: int) -> None:
        """End this process group when we are gone."""
        self._tell(f"+{group}")

    def forget(self, group: int) -> None:
        """This process group has ended."""
        self._tell(f"-{group}")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def end_groups(groups: Iterable[int]) -> None:
    """Ask every process of these groups to end; those that have not after three seconds are killed."""
    left = set(groups)
    _signal(left, signal.SIGTERM)
    until = time.monotonic() + _GRACE_S
    while (left := {group for group in left if _lives(group)}) and time.monotonic() < until:
        time.sleep(_LOOK_EVERY_S)
    _signal(left, signal.SIGKILL)


def _signal(groups: Iterable[int], number: signal.Signals) -> None:
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, number)


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    """Watch until standard input ends."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    end_groups(groups)


if __name__ == "__main__":
    main()
