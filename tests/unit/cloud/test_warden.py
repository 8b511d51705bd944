"""The warden: what a process has started does not outlive it, however it goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic

import pytest

from infra.cloud.warden import Warden, end_groups

ROOT = Path(__file__).parents[3]
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
PARENT = """
import subprocess, sys, time
from infra.cloud.warden import Warden
with Warden() as warden:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    warden.watch(child.pid)
    print(child.pid, flush=True)
    time.sleep(60)
"""


def ends(pid: int) -> bool:
    pause, until = threading.Event(), monotonic() + 20.0
    while alive(pid) and monotonic() < until:
        pause.wait(0.05)
    return not alive(pid)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def sleeper(code: str = "import time; time.sleep(60)") -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=True, stdout=subprocess.PIPE)


def test_what_is_watched_ends_with_the_block() -> None:
    with sleeper() as child:
        with Warden() as warden:
            warden.watch(child.pid)
        assert child.wait(timeout=20) == -signal.SIGTERM


def test_what_has_been_forgotten_is_left_alone() -> None:
    with sleeper() as child:
        with Warden() as warden:
            warden.watch(child.pid)
            warden.forget(child.pid)
        assert child.poll() is None
        child.kill()


def test_what_does_not_want_to_end_is_killed() -> None:
    with sleeper(STUBBORN) as child:
        assert child.stdout is not None
        child.stdout.readline()
        waiting = threading.Thread(target=child.wait)
        waiting.start()
        end_groups([child.pid])
        waiting.join(timeout=20)
        assert child.returncode == -signal.SIGKILL


def test_a_group_that_is_gone_is_no_trouble() -> None:
    with sleeper("") as child:
        child.wait(timeout=20)
        end_groups([child.pid])
        assert child.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_process_had_started_ends_too(number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert alive(child)
        os.kill(parent.pid, number)
        parent.wait(timeout=20)
        assert ends(child)
