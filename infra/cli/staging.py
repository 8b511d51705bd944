"""Where a command plays its worlds: on this process's own threads, or on a local cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypedDict

from infra.cli.output import Screen

if TYPE_CHECKING:
    from infra.stage import Stage
    from infra.worlds.model import World

    SetUp = Callable[[World, Path], Stage]


class Place(TypedDict, total=False):
    """The arguments of `on_stage` that say where."""

    set_up: SetUp
    shelf: str


def place_of(screen: Screen, *, cloud: bool) -> Place:
    """One world's place: with `cloud` one of its own, in a folder that is no demo's: its store does not outlive it."""
    if not cloud:
        return {}
    from infra.cloud.stage import on_own_cloud

    screen.say("starting the emulators and every function in a process of its own ...")
    return {"set_up": on_own_cloud(), "shelf": "cloud"}


@contextmanager
def shared_place(screen: Screen, *, cloud: bool) -> Iterator[Place]:
    """The place of several worlds, one after another: with `cloud` all on the same."""
    if not cloud:
        yield {}
        return
    from infra.cloud.cloud import Cloud
    from infra.cloud.stage import CloudStage

    screen.say("starting the emulators and every function in a process of its own ...")
    with TemporaryDirectory(prefix="manthan-cloud-") as folder, Cloud(Path(folder)) as running:
        yield {"set_up": lambda world, data: CloudStage(world, data, running)}
