"""`manthan bench`: what orchestration costs on this machine, beside a floor measured in the same run."""

from __future__ import annotations

from pathlib import Path

import click

from infra.cli import options
from infra.cli.output import Exit, Screen


@click.command()
@click.option("--cases", type=click.IntRange(1, 10_000), default=100, show_default=True, help="Submitted at once.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(".manthan"),
    show_default=True,
    metavar="DIR",
    help="Where to write; what is written is removed again. Its disk is what is measured.",
)
@click.option("--cloud", is_flag=True, help="Count what cases use at Google instead, on its emulators.")
@click.option("--world", default="aperture", show_default=True, help="With --cloud: whose whole life is counted, too.")
@options.as_json
def bench(cases: int, data: Path, cloud: bool, world: str, as_json: bool) -> Exit:
    """Measure the pipeline with specialists that do nothing but return rows, beside bare SQLite transactions.

    Both write the same documents, by turns, equally durable: to power loss (synchronous=FULL). Compare ratios, not
    numbers: they depend on the machine and on what else it does.

    With --cloud nothing is timed. The same case, and a world's from its first event to its end, run over Firestore with
    Google's adapters, which count: documents read, written and deleted, messages, tasks. Beside them stands the least
    that could do. It takes the Firestore and Pub/Sub emulators (and Java); without them it ends with 3.

    \b
    Examples:
      manthan bench
      manthan bench --cases 500
      manthan bench --json
      manthan bench --cloud --json
    """
    screen = Screen(as_json)
    if cloud:
        from infra.cli.billing import bill

        bill(screen, data, world)
        return Exit.FINE
    from infra.bench.results import table
    from infra.bench.run import bench as measure

    found = measure(data, cases, screen.say)
    screen.emit({"results": [result.document() for result in found]})
    screen.show()
    for line in table(found):
        screen.show(line)
    return Exit.FINE
