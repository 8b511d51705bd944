"""A dev from its ports to its end: the stage with every function served, and living on it until somebody stops it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from infra.dev.address import Address, keep_secret
from infra.dev.pace import Beats, Pace
from infra.dev.places import Places
from infra.dev.sources import growing
from infra.local.carriers import WsgiApp, over_http
from infra.stage import Stage
from infra.stage.serving import LOOPBACK, AppServer, Reach, webhook_url
from infra.worlds.model import World

_BEAT_S: Final = 0.25
"""How soon what others did to the folder is noticed."""


def served(places: Places) -> Callable[[World, Path], Stage]:
    """How to set up a stage whose functions are served at these places."""

    @contextmanager
    def over_ports(apps: Mapping[str, WsgiApp]) -> Iterator[Reach]:
        with ExitStack() as stack:
            servers = {name: stack.enter_context(AppServer(app, places.functions[name])) for name, app in apps.items()}
            urls = {name: server.url for name, server in servers.items()}
            yield Reach(webhook_url(urls["stripe_webhook"]), over_http(urls))

    def set_up(world: World, data: Path) -> Stage:
        return Stage(
            world,
            data,
            sources=lambda org: growing(world, data),
            reached=over_ports,
            stripe_port=places.stripe_port,
        )

    return set_up


@contextmanager
def posted(stage: Stage, places: Places) -> Iterator[Address]:
    """Leave in the data folder what other commands need to work on it, for as long as the block runs."""
    secret_file = keep_secret(stage.data, stage.signing_secret)
    address = Address(
        world=stage.world.name,
        functions={name: f"http://{LOOPBACK}:{places.port_of(name)}/" for name in places.functions},
        webhook=stage.webhook_url,
        stripe=stage.double.url,
        data=str(stage.data.absolute()),
        secret_file=str(secret_file),
        cloud=dict(stage.visitors),
    )
    address.post_up()
    try:
        yield address
    finally:
        address.take_down()


def live(
    stage: Stage, pace: Pace, stop: threading.Event, look: Callable[[], None], anything_new: Callable[[], bool]
) -> None:
    """Have the world's time go on until `stop`, calling `look` whenever something may have changed.

    Other processes may change cases and enqueue what follows from it: it is taken over at the next beat. Raises
    DoubleFailed when Stripe has gone.
    """
    beats = Beats(stage, pace, stop.is_set)
    while not stop.wait(_BEAT_S):
        if anything_new():
            stage.runtime.refresh()
            look()
        beats.beat()
    look()
