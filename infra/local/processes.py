"""Which process is which: an identity that outlives the reuse of process ids, so nobody alive is taken for dead."""

from __future__ import annotations

import os
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_UNKNOWN = "-"


def this_process() -> str:
    """The identity of the calling process: boot, process id and start time."""
    return _identity(os.getpid())


def is_alive(identity: str) -> bool:
    """Whether the process of this identity still runs on this machine. Without a /proc, its process id decides."""
    boot, _, rest = identity.partition(":")
    if boot != _boot_id():
        return False
    pid = rest.partition(":")[0]
    return pid.isdecimal() and _exists(int(pid)) and _identity(int(pid)) == identity


def _identity(pid: int) -> str:
    return f"{_boot_id()}:{pid}:{_start_time(pid)}"


def _boot_id() -> str:
    return _read(_BOOT_ID) or _UNKNOWN


def _start_time(pid: int) -> str:
    """Clock ticks between boot and the process's start. A process that has ended and waits for its parent has none."""
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return fields[19] if fields and fields[0] != "Z" else _UNKNOWN


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


class LocalWorkers:
    """The processes of this machine; implements shared.ports.workers.Workers."""

    def __init__(self) -> None:
        self._this = this_process()

    def this(self) -> str:
        """The identity of this process."""
        return self._this

    def provably_dead(self, identity: str) -> bool:
        """Whether this process of this machine certainly no longer runs."""
        return bool(identity) and not is_alive(identity)
