"""`manthan dev`: the pipeline as it is deployed, function by function, on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.dev.address import Address
    from infra.dev.places import Places
    from infra.stage import Stage
    from infra.worlds.model import World

_PORT: Final = 8700


@click.command()
@click.option("--world", default="aperture", show_default=True, help="A shipped world's name, or a folder.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_500),
    default=_PORT,
    show_default=True,
    help="The first of the ports; 0: any free ones.",
)
@click.option(
    "--persist",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the data here and go on with what is there. Default: a folder that is removed at the end.",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=1.0),
    default=1.0,
    show_default=True,
    help="How much faster than ours the world's time goes while nothing runs.",
)
@click.option("--jump", is_flag=True, help="Jump to whatever comes next while a case waits for nothing else.")
@click.option("--cloud", is_flag=True, help="On Google's own emulators, every function in a process of its own.")
@options.as_json
def dev(world: str, port: int, persist: Path | None, speed: float, jump: bool, cloud: bool, as_json: bool) -> Exit:
    """Serve every function on a port of its own, with a durable queue that delivers over HTTP, a simulated Stripe and
    a sweep every minute, and follow what happens.

    Only this machine can reach it. Other commands work on the same data meanwhile: `cases`, `effects`, and `trigger
    --dev`. The world's events do not come by themselves: `trigger` sends them. Ctrl-C or SIGTERM stops everything.

    With --cloud the same functions run as they are deployed: each in a process of its own under the functions
    framework, on Google's Firestore and Pub/Sub emulators and a Cloud Tasks one, all started and stopped with it. Those
    that FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST point to are used instead. Nothing is kept.

    \b
    Examples:
      manthan dev
      manthan dev --cloud --jump
      manthan dev --world ./my-world --port 9000 --persist ./my-data
      manthan dev --jump --json
      manthan trigger charge.dispute.created --dev           in another terminal
      manthan cases approve CASE --as EMAIL

    With --json the first line of stdout is {"ready": true, "functions": ..., "webhook": ..., "stripe": ..., "data":
    ..., "secret_file": ...}, and the story goes to stderr. Ends with 0 when it was asked to end, and with 3 when a
    port is busy, its Stripe has gone or an emulator is missing; then stdout also has the error.
    """
    if cloud and persist is not None:
        raise click.UsageError("the emulators keep nothing: --persist is for the embedded default")
    from infra.cli.signals import asked_to_end

    screen = Screen(as_json)
    with asked_to_end() as stop:  # before anything is loaded: it takes a while
        _run(screen, (world, persist, port, cloud), (speed, jump), stop)
    screen.say("stopped")
    return Exit.FINE


def _run(
    screen: Screen, place: tuple[str, Path | None, int, bool], pace: tuple[float, bool], stop: threading.Event
) -> None:
    from infra.cli.performance import on_stage
    from infra.cli.reel import Reel
    from infra.dev.house import live, posted
    from infra.dev.pace import Pace
    from infra.dev.places import taken

    world, persist, port, cloud = place
    with taken(port) as places, _folder(persist, port or places.port_of("stripe_webhook")) as data:
        with on_stage(world, data, fresh=persist is None, set_up=_set_up(screen, places, cloud=cloud)) as stage:
            reel = Reel(stage.ports.store, stage.trace)
            reel.news(stage.cases())  # what happened before is no news

            def look() -> None:
                for line in reel.news(stage.cases()):
                    screen.say(line)

            with posted(stage, places) as address, _noticing(data, cloud=cloud) as anything_new:
                _say_ready(screen, address, stage)
                live(stage, Pace(*pace), stop, look, anything_new)


def _set_up(screen: Screen, places: Places, *, cloud: bool) -> Callable[[World, Path], Stage]:
    """How the stage is set up at these places."""
    if cloud:
        from infra.cloud.stage import on_own_cloud

        screen.say("starting the emulators and every function in a process of its own ...")
        return on_own_cloud(places)
    from infra.dev.house import served

    return served(places)


@contextmanager
def _noticing(data: Path, *, cloud: bool) -> Iterator[Callable[[], bool]]:
    """Something to ask whether anybody may have changed anything. Of a cloud one has to look oneself."""
    if cloud:
        yield lambda: True
        return
    from infra.cli.folder import DATABASE
    from infra.dev.changes import Changes

    with Changes(data / DATABASE) as changes:
        yield changes.any


@contextmanager
def _folder(persist: Path | None, port: int) -> Iterator[Path]:
    """Where the data is: in a folder that is kept, or in one that is removed at the end."""
    from infra.cli.folder import of_dev, remove

    if persist is not None:
        yield persist
        return
    temporary = of_dev(port)
    try:
        yield temporary
    finally:
        remove(temporary)


def _say_ready(screen: Screen, address: Address, stage: Stage) -> None:
    if screen.as_json:
        print(json.dumps({"ready": True, **address.as_json()}), flush=True)
    screen.show(f"{stage.world.name}: {stage.world.manifest.title}", bold=True)
    for name, url in {**address.functions, "stripe": address.stripe}.items():
        screen.show(f"  {name:<16}{url}")
    screen.show(f"  {'webhook':<16}{address.webhook}")
    screen.show(f"  {'data':<16}{address.data}")
    screen.show(f"  {'signing secret':<16}in {address.secret_file}")
    for event in dict.fromkeys(str(event["type"]) for event in stage.world.events):
        screen.show(f"  {'to begin':<16}manthan trigger {event} --data {address.data}")
    screen.show("Ctrl-C stops everything.")
