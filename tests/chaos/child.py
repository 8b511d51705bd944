"""`python -m tests.chaos.child [--soak] DATA WORLD SEED...`: lives and deaths of the product, one process each.

DATA holds `tape` and `calls.json` of an undisturbed run; each seed gets a folder of its own below it. With --soak the
sources are real ones, and processes are also killed at moments that are no port call.
This process loads everything once and then does what an init system does: it starts the product, and when that was
killed it starts it again on the same folder, until it ends by itself. Prints one line of JSON per seed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import select
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from stripe import StripeClient

import functions.transport  # noqa: F401  loaded once here, so that no life has to
import infra.effects  # noqa: F401
from infra.local.composition import shipped_playbooks
from infra.worlds import find_world, load_world
from infra.worlds.model import World
from shared.ports import Sources
from tests.chaos.facts import Facts, facts_of
from tests.chaos.life import live
from tests.chaos.plans import Fate, Moment, plan
from tests.chaos.staging import stage_with
from tests.chaos.tape import Tape
from tests.chaos.taps import Death, Point, tapped

_PR_SET_CHILD_SUBREAPER = 36
DEALS = 5


@dataclass(frozen=True, slots=True)
class Setting:
    """What all runs have in common."""

    data: Path
    world: World
    soak: bool

    def sources(self) -> Callable[[str], Sources] | None:
        """The world's systems: played back, or real ones."""
        if self.soak:
            return None
        played = Tape.load(self.data / "tape")
        return lambda org: played


def main() -> None:
    """Run every seed on the command line."""
    parser = argparse.ArgumentParser(prog="tests.chaos.child")
    parser.add_argument("--soak", action="store_true")
    parser.add_argument("data", type=Path)
    parser.add_argument("world")
    parser.add_argument("seeds", type=int, nargs="+")
    options = parser.parse_args()
    load()
    # What a killed life leaves behind becomes ours, so that we can wait until it has ended, too.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    setting = Setting(options.data, load_world(find_world(options.world)), options.soak)
    for seed in options.seeds:
        print(json.dumps(run(setting, seed)), flush=True)


def load() -> None:
    """Load what the product would load only when it first needs it."""
    shipped_playbooks()
    stripe = StripeClient("sk_test_unused").v1
    for service in ("disputes", "refunds", "charges"):
        getattr(stripe, service)


def run(setting: Setting, seed: int) -> Facts:
    """A world played as the seed's plan says; with another plan if chance had it that no point of this one was met."""
    calls = json.loads((setting.data / "calls.json").read_text())
    for deal in range(DEALS):
        data = setting.data / f"run-{seed}-{deal}"
        data.mkdir()
        deaths = _play(data, setting, list(plan(seed + deal * 1000, calls, moments=setting.soak)))
        if deaths:
            break
    verdict = data / "facts.json"
    facts = json.loads(verdict.read_text()) if verdict.exists() else None
    return {"seed": seed, "deaths": deaths, "facts": facts, "log": (data / "log").read_text()[-6000:]}


def _play(data: Path, setting: Setting, fates: list[Fate]) -> list[str]:
    """One world from its first event to its end, in as many lives as it takes; how each but the last of them ended."""
    deaths = []
    while True:
        fate = fates.pop(0) if fates else None
        (data / "obituary").unlink(missing_ok=True)
        if not os.WIFSIGNALED(_start(data, setting, fate)):
            return deaths
        deaths.append(_obituary(data, fate))


def _obituary(data: Path, fate: Fate | None) -> str:
    obituary = data / "obituary"
    return obituary.read_text() if obituary.exists() else f"at a moment: {fate}"


def _start(data: Path, setting: Setting, fate: Fate | None) -> int:
    """One life in a process of its own; its wait status, once it and all it had started have ended."""
    opened, tell = os.pipe()
    life = os.fork()
    if life == 0:
        os.close(opened)
        _live(data, setting, fate, tell)
    os.close(tell)
    if isinstance(fate, Moment):
        os.read(opened, 1)
        # The pipe never speaks again: this waits for the end of the life, or for the moment.
        if not select.select([opened], [], [], fate.seconds)[0]:
            os.kill(life, signal.SIGKILL)
    _, status = os.waitpid(life, 0)
    os.close(opened)
    _wait_for_orphans()
    return status


def _wait_for_orphans() -> None:
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def _live(data: Path, setting: Setting, fate: Fate | None, tell: int) -> None:
    code = 1
    try:
        os.dup2(os.open(data / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), sys.stderr.fileno())
        death = Death(fate if isinstance(fate, Point) else None, data / "obituary")
        with stage_with(partial(tapped, tap=death), setting.world, data, sources=setting.sources()) as stage:
            os.write(tell, b"!")
            live(stage)
            (data / "facts.json").write_text(json.dumps(facts_of(stage)))
        code = 0
    except BaseException:  # noqa: BLE001 - this process is about to end: whoever reads its log must see why
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
