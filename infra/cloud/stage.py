"""A world on a local cloud: the same stage, and the functions in processes of their own, on Google Cloud's parts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from infra.cloud.cloud import Cloud
from infra.cloud.runtime import CloudRuntime
from infra.dev.places import Places
from infra.parts import WEBHOOK_PATH
from infra.settings import COMMAND_LINE
from infra.sources.by_org import database_of
from infra.stage import Stage, requests
from infra.stage.serving import webhook_url
from infra.stage.stage import build_sources
from infra.worlds.model import World


class CloudStage(Stage):
    """One world, one org, on a cloud that has nothing else to do meanwhile. `data` should be an empty folder.

    With `own` the cloud is started and stopped with the stage; else it runs already, and others may be played on it
    afterwards. The store is empty at the beginning.
    """

    def __init__(self, world: World, data: Path, cloud: Cloud, *, own: bool = False) -> None:
        super().__init__(world, data)
        self.cloud = cloud
        self._own = own

    def _open(self) -> None:
        if self._own:
            self._stack.enter_context(self.cloud)
        self._stripe_port = self.cloud.stripe_port
        super()._open()

    def _choose_keys(self) -> None:
        self._posted = self.cloud.clock(self.world.now)
        self.write_key = self.cloud.write_key
        self._secret_name, self.signing_secret = self.cloud.begin_world(self._posted)

    def _load_sources(self) -> Any:
        """The specialist's process opens them by the name of the org."""
        built = build_sources(self.world, self.data, requests.requests_of(self.world, self.data))
        place = database_of(self.cloud.sources, self.world.org.id)
        unfinished = place.with_suffix(".tmp")
        shutil.copyfile(built, unfinished)
        unfinished.replace(place)

    def _set_up(self, sources: Callable[[], Any]) -> None:
        self.clock = self._posted
        self._google = composition = self.cloud.composition(self._posted)
        self._stack.callback(composition.close)
        directory = composition.stores.directory
        directory.put_org(self.world.org)
        directory.register_endpoint(WEBHOOK_PATH, self._secret_name, None, self.world.org.id)
        self.composition = composition
        self.trace = composition.stores.trace
        self.outbox = self.cloud.outbox
        self.visitors = self.cloud.settings_of(COMMAND_LINE)
        self.webhook_url = webhook_url(self.cloud.urls["stripe_webhook"])
        sources()

    def _begin(self) -> None:
        runtime = CloudRuntime(
            self.cloud,
            self.clock,
            next_wake=self._google.next_wake,
            pending=lambda: bool(self.double.deliveries()["pending"]),
        )
        runtime.start()
        self._stack.callback(runtime.stop)
        self.runtime = runtime


def on_own_cloud(places: Places | None = None) -> Callable[[World, Path], Stage]:
    """How to set up a stage with a cloud of its own, whose addresses are at these places (default: any)."""

    def set_up(world: World, data: Path) -> Stage:
        return CloudStage(world, data, Cloud(data / "cloud", places=places), own=True)

    return set_up
