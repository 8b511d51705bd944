"""`manthan trigger`: delivering events to the webhook, as Stripe would and as badly as it might."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.cli.delivering import Delivery
    from infra.stage import Stage


@click.command()
@click.argument("event")
@click.option("--world", default="aperture", show_default=True, help="A shipped world's name, or a folder.")
@click.option("--duplicate", type=click.IntRange(1, 1000), default=1, metavar="N", help="Each event N times at once.")
@click.option("--shuffle", is_flag=True, help="In another order than the world's.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the other order.")
@options.data
@options.as_json
def trigger(event: str, world: str, duplicate: int, shuffle: bool, seed: int, data: Path | None, as_json: bool) -> Exit:
    """Deliver EVENT, signed, to the webhook: an event type of the world, a file with an event, or `all`.

    The world's data folder is kept, so that the same event can be sent again after its case has ended. Then the
    pipeline runs until nothing is left to happen, or people are asked; nobody approves.

    \b
    Examples:
      manthan trigger charge.dispute.created --duplicate 5
      manthan trigger all --shuffle --seed 7
      manthan trigger ./event.json --world ./my-world --json

    Ends with 1 if a delivery was not accepted.
    """
    started = monotonic()
    screen = Screen(as_json)
    from infra.cli.delivering import chosen_events, deliver, in_order
    from infra.cli.performance import asking, go_on, on_stage
    from infra.cli.progress import narrating
    from infra.cli.render import show_standing

    with on_stage(world, data, fresh=False) as stage:
        events = in_order(chosen_events(stage.world, event), seed if shuffle else None)
        with narrating(stage, screen, from_now=True) as narrator:
            deliveries = deliver(stage, events, duplicate)
            for delivery in deliveries:
                screen.say(f"{delivery.http_status} {delivery.type} {delivery.event_id}: {delivery.said}")
            go_on(stage, narrator)
            narrator.stands_still(asking(stage))
        if as_json:
            screen.emit(_document(stage, deliveries, started))
        for case in stage.cases():
            show_standing(screen, case)
    return Exit.FINE if all(delivery.accepted for delivery in deliveries) else Exit.NO


def _document(stage: Stage, deliveries: list[Delivery], started: float) -> dict[str, Any]:
    from infra.cli.performance import cases_json, ignored_of
    from infra.cli.result import ignored_json

    return {
        "world": stage.world.name,
        "deliveries": [delivery.as_json() for delivery in deliveries],
        "cases": cases_json(stage),
        "ignored": [ignored_json(entry) for entry in ignored_of(stage)],
        "elapsed_ms": round((monotonic() - started) * 1000),
    }
