"""`manthan dev`: the pipeline as it is deployed, function by function, on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.dev.address import Address
    from infra.stage import Stage

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
@options.as_json
def dev(world: str, port: int, persist: Path | None, speed: float, jump: bool, as_json: bool) -> Exit:
    """Serve every function on a port of its own, with a durable queue that delivers over HTTP, a simulated Stripe and
    a sweep every minute, and follow what happens.

    Only this machine can reach it. Other commands work on the same data meanwhile: `cases`, `effects`, and `trigger
    --dev`. The world's events do not come by themselves: `trigger` sends them. Ctrl-C or SIGTERM stops everything.

    \b
    Examples:
      manthan dev
      manthan dev --world quill --port 9000 --persist ./quill-data
      manthan dev --jump --json
      manthan trigger charge.dispute.created --dev           in another terminal
      manthan cases approve CASE --as priya.raman@northlight.example

    With --json the first line of stdout is {"ready": true, "functions": ..., "webhook": ..., "stripe": ..., "data":
    ..., "secret_file": ...}, and the story goes to stderr. Ends with 0 when it was asked to end, and with 3 when a
    port is busy or its Stripe has gone; then stdout also has the error.
    """
    from infra.cli.signals import asked_to_end

    screen = Screen(as_json)
    with asked_to_end() as stop:  # before anything is loaded: it takes a while
        _run(screen, (world, persist, port), (speed, jump), stop)
    screen.say("stopped")
    return Exit.FINE


def _run(screen: Screen, place: tuple[str, Path | None, int], pace: tuple[float, bool], stop: threading.Event) -> None:
    from infra.cli.performance import on_stage
    from infra.cli.reel import Reel
    from infra.dev.house import live, posted, served
    from infra.dev.pace import Pace
    from infra.dev.places import taken

    world, persist, port = place
    with taken(port) as places, _folder(persist, port or places.port_of("stripe_webhook")) as data:
        with on_stage(world, data, fresh=persist is None, set_up=served(places)) as stage:
            reel = Reel(stage.ports.store, stage.composition.trace)
            reel.news(stage.cases())  # what happened before is no news

            def look() -> None:
                for line in reel.news(stage.cases()):
                    screen.say(line)

            with posted(stage, places) as address:
                _say_ready(screen, address, stage)
                live(stage, Pace(*pace), stop, look)


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
