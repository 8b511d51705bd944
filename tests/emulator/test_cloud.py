"""The local cloud: the same functions in processes of their own, on Firestore, Pub/Sub and Cloud Tasks."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from infra.cli.approving import Approvers
from infra.cli.performance import perform
from infra.cli.trial import _Nobody
from infra.cloud.cloud import Cloud
from infra.stage import Stage
from infra.worlds import find_world, load_world, shipped_worlds
from infra.worlds.model import World
from shared.case.evidence import Ended
from shared.case.lifecycle import State
from tests.emulator.cloudy import all_is_well, charges, kinds, played
from tests.emulator.scripted.main import SILENT

FIVE = ("aperture", "fennel", "larkspur", "marigold", "wren")
"""A chargeback, a failed invoice, a fraud warning, one for people, a customer's request."""
OnCloud = Callable[[World], AbstractContextManager[Stage]]

pytestmark = [pytest.mark.xdist_group("cloud"), pytest.mark.timeout(400)]


def _same_as_embedded(name: str, on_cloud: OnCloud, data: Path) -> None:
    world = load_world(find_world(name))
    with Stage(world, data) as stage:
        embedded = played(stage)
    with on_cloud(world) as stage:
        assert played(stage) == embedded


@pytest.mark.parametrize("name", FIVE)
def test_a_world_comes_to_the_same_on_the_cloud_as_on_the_embedded_default(
    name: str, on_cloud: OnCloud, tmp_path: Path
) -> None:
    _same_as_embedded(name, on_cloud, tmp_path / "embedded")


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(set(shipped_worlds()) - set(FIVE)))
def test_every_other_world_comes_to_the_same_too(name: str, on_cloud: OnCloud, tmp_path: Path) -> None:
    _same_as_embedded(name, on_cloud, tmp_path / "embedded")


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_many_cases_at_once_all_end_well(count: int, cloud: Cloud, on_cloud: OnCloud) -> None:
    with on_cloud(charges(count)) as stage:
        _play_to_the_end(stage)
        all_is_well(stage, count)
        assert cloud.tasks.dropped() == []


@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_many_cases_at_once_end_well_while_every_function_is_killed(
    count: int, cloud: Cloud, on_cloud: OnCloud
) -> None:
    before = {name: process.restarts for name, process in cloud.functions.items()}
    with on_cloud(charges(count, "ch_killed")) as stage:
        with _Killer(cloud, seed=count):
            _play_to_the_end(stage)
        all_is_well(stage, count)
    assert all(process.restarts > before[name] for name, process in cloud.functions.items())


def _play_to_the_end(stage: Stage) -> None:
    stage.deliver_events()
    perform(stage, Approvers(), _Nobody())


class _Killer:
    """Kills one function after another in random order while work goes on, and all that are left at the block's end."""

    def __init__(self, cloud: Cloud, seed: int) -> None:
        self._traffic = cloud.traffic
        self._victims = list(cloud.functions.values())
        self._random = random.Random(seed)
        self._random.shuffle(self._victims)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._rage)

    def _rage(self) -> None:
        while self._victims:
            enough = self._traffic.moves() + self._random.randint(3, 25)
            while not self._over.is_set() and (seen := self._traffic.moves()) < enough:
                self._traffic.wait_for_move(seen, timeout_s=0.2)
            self._victims.pop().kill()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()


def test_a_specialist_that_never_answers_becomes_a_gap_and_its_late_result_is_refused(
    cloud: Cloud, on_cloud: OnCloud
) -> None:
    with on_cloud(charges(1, SILENT)) as stage:
        _play_to_the_end(stage)
        (case,) = stage.cases()
        all_is_well(stage, 1)
        silent = case.rounds[0].reports[-1]
        assert silent.ended is Ended.TIMED_OUT
        assert case.brief is not None
        assert [gap.specialist for gap in case.brief.gaps] == [silent.specialist]
        log = [(line.lane, line.what, line.details) for line in stage.trace.list(case.org, case.id)]
        attempts = [details["attempt"] for lane, what, details in log if (lane, what) == (silent.specialist, "started")]
        assert attempts == [0, 1]  # Cloud Tasks gave the first one up and tried again
        assert (silent.specialist, "timed out") in [(lane, what) for lane, what, _ in log]
        late = [
            details["attempt"] for lane, what, details in log if (lane, what) == (silent.specialist, "came too late")
        ]
        assert late == [0, 1]
        assert kinds(stage, case).count("round_joined") == 1
        assert case.state is State.RESOLVED
