"""Who is alive."""

from __future__ import annotations

import os
import subprocess
import sys

from infra.local.processes import is_alive, this_process


def _identity_of_a_child() -> tuple[str, subprocess.Popen[str]]:
    program = "import sys; from infra.local.processes import this_process; print(this_process(), flush=True); input()"
    child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    return child.stdout.readline().strip(), child


def test_this_process_is_alive_and_keeps_its_identity() -> None:
    assert this_process() == this_process()
    assert is_alive(this_process())


def test_another_process_is_alive_until_it_ends_and_dead_even_before_it_is_reaped() -> None:
    identity, child = _identity_of_a_child()
    with child:
        assert is_alive(identity)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not is_alive(identity)
    assert not is_alive(identity)


def test_a_reused_process_id_is_another_process() -> None:
    boot, pid, start = this_process().split(":")
    assert not is_alive(f"{boot}:{pid}:{int(start) - 1}")


def test_nobody_survives_a_reboot() -> None:
    _, pid, start = this_process().split(":")
    assert not is_alive(f"another-boot:{pid}:{start}")


def test_what_is_no_identity_is_nobody() -> None:
    assert not is_alive("")
    assert not is_alive("somebody")
