"""`manthan trigger`: delivering events to the webhook, as Stripe would and as badly as it might."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen
from shared.errors import NotFound

if TYPE_CHECKING:
    from infra.cli.delivering import Delivery
    from infra.cli.folder import DataFolder
    from infra.worlds import World
    from shared.ports.store import InboxEntry

    Choose = Callable[[World], list[dict[str, Any]]]
    Outcome = tuple[list[Delivery], dict[str, Any]]


@click.command()
@click.argument("event")
@click.option("--world", default="aperture", show_default=True, help="A shipped world's name, or a folder.")
@click.option("--duplicate", type=click.IntRange(1, 1000), default=1, metavar="N", help="Each event N times at once.")
@click.option("--shuffle", is_flag=True, help="In another order than the world's.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the other order.")
@click.option("--dev", "to_dev", is_flag=True, help="To the `manthan dev` that runs here: events of its world.")
@options.data
@options.as_json
def trigger(
    event: str,
    world: str,
    duplicate: int,
    shuffle: bool,
    seed: int,
    to_dev: bool,
    data: Path | None,
    as_json: bool,
) -> Exit:
    """Deliver EVENT, signed, to the webhook: an event type of the world, a file with an event, or `all`.

    The world's data folder is kept, so that the same event can be sent again after its case has ended. Then the
    pipeline runs until nothing is left to happen, or people are asked; nobody approves. To a running `manthan dev`
    (with --dev, or its folder as --data) the events are only delivered: it goes on by itself.

    \b
    Examples:
      manthan trigger charge.dispute.created --duplicate 5
      manthan trigger all --shuffle --seed 7
      manthan trigger ./event.json --world ./my-world --json
      manthan trigger charge.dispute.created --dev

    Ends with 1 if a delivery was not accepted.
    """
    started = monotonic()
    screen = Screen(as_json)
    from infra.cli.delivering import chosen_events, in_order
    from infra.cli.folder import run_by_dev

    def choose(of: World) -> list[dict[str, Any]]:
        return in_order(chosen_events(of, event), seed if shuffle else None)

    folder = run_by_dev(data, wanted=to_dev)
    if folder is not None:
        deliveries, document = _to_dev(screen, folder, choose, duplicate)
    else:
        deliveries, document = _to_a_stage(screen, (world, data), choose, duplicate)
    screen.emit({**document, "elapsed_ms": round((monotonic() - started) * 1000)})
    return Exit.FINE if all(delivery.accepted for delivery in deliveries) else Exit.NO


def _to_a_stage(screen: Screen, place: tuple[str, Path | None], choose: Choose, duplicates: int) -> Outcome:
    """Deliver to a stage of the world, in its data folder, and let it go on."""
    from infra.cli.delivering import deliver
    from infra.cli.performance import asking, cases_json, go_on, ignored_of, on_stage
    from infra.cli.progress import narrating
    from infra.cli.render import show_standing

    world, data = place
    with on_stage(world, data, fresh=False) as stage:
        with narrating(stage, screen, from_now=True) as narrator:
            deliveries = deliver(stage.webhook_url, stage.signing_secret, choose(stage.world), duplicates)
            _say(screen, deliveries)
            go_on(stage, narrator)
            narrator.stands_still(asking(stage))
        for case in stage.cases():
            show_standing(screen, case)
        return deliveries, _document(stage.world, deliveries, cases_json(stage), ignored_of(stage))


def _to_dev(screen: Screen, folder: DataFolder, choose: Choose, duplicates: int) -> Outcome:
    """Deliver to a running dev; its cases as they stand right after that."""
    from infra.cli.archive import opened
    from infra.cli.delivering import deliver
    from infra.cli.result import case_json
    from infra.worlds import find_world, load_world
    from shared.ports.store import InboxStatus
    from shared.steps.audit import audit
    from shared.steps.texts import with_texts

    dev = folder.dev
    if dev is None:
        raise NotFound(f"the `manthan dev` that ran {folder.path} has just ended")
    world = load_world(find_world(folder.world))
    deliveries = deliver(dev.webhook, dev.secret, choose(world), duplicates)
    _say(screen, deliveries)
    screen.show(f"delivered; the `manthan dev` that runs {folder.path} goes on with it")
    with opened(folder) as archive:
        store = archive.store
        cases = [
            case_json(with_texts(store, case), chain_ok=audit(store, case.org, case.id).ok)
            for case in reversed(archive.cases())
        ]
        return deliveries, _document(
            world, deliveries, cases, archive.inbox.list_entries(folder.org, InboxStatus.IGNORED)
        )


def _say(screen: Screen, deliveries: Iterable[Delivery]) -> None:
    for delivery in deliveries:
        screen.say(f"{delivery.http_status} {delivery.type} {delivery.event_id}: {delivery.said}")


def _document(
    world: World, deliveries: list[Delivery], cases: list[dict[str, Any]], ignored: Iterable[InboxEntry]
) -> dict[str, Any]:
    from infra.cli.result import ignored_json

    return {
        "world": world.name,
        "deliveries": [delivery.as_json() for delivery in deliveries],
        "cases": cases,
        "ignored": [ignored_json(entry) for entry in ignored],
    }
