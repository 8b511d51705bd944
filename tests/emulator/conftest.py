from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from infra.cloud.cloud import Cloud
from infra.cloud.stage import CloudStage
from infra.fakes.emulators import FIRESTORE, PUBSUB
from infra.stage import Stage
from infra.worlds.model import World
from tests.emulator.cloudy import SCRIPTED


@pytest.fixture(scope="session")
def cloud(firestore_emulator: str, pubsub_emulator: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """A cloud for all tests of this worker, on the run's emulators."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FIRESTORE.host_variable, firestore_emulator)
        patch.setenv(PUBSUB.host_variable, pubsub_emulator)
        with Cloud(tmp_path_factory.mktemp("cloud"), source=lambda name: SCRIPTED) as running:
            yield running


@pytest.fixture
def on_cloud(cloud: Cloud, tmp_path: Path) -> Callable[[World], AbstractContextManager[Stage]]:
    """A world on the cloud; what the functions said is shown when the test fails."""
    return lambda world: CloudStage(world, tmp_path / "stage", cloud)
