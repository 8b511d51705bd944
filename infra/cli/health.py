"""`manthan health`: the numbers that alerts are about, as the stored cases come to."""

from __future__ import annotations

from pathlib import Path

import click

from infra.cli import options
from infra.cli.output import Exit, Screen


@click.command()
@options.data
@options.as_json
def health(data: Path | None, as_json: bool) -> Exit:
    """Say how the cases of a data folder are doing: steps overdue, cases stuck, outcomes unknown, dead letters, and
    approvals refused.

    Without --data it is the folder used last. "Now" is its world's present instant.

    \b
    Examples:
      manthan health
      manthan health --data DIR --json

    With --json: {"ok", "org", "metrics": [{"name", "value", "kind", "unit", "meaning"}]}. Ends with 1 if a gauge is
    not zero; refused approvals are told, but nothing is wrong with them.
    """
    screen = Screen(as_json)
    from dataclasses import asdict

    from infra.cli.archive import opened
    from infra.cli.folder import chosen
    from infra.cli.worldtime import present
    from shared.steps.health import health_of
    from shared.steps.metrics import METRICS

    folder = chosen(data)[0]
    now = present(folder)
    with opened(folder) as archive:
        numbers = health_of(archive.cases(), archive.inbox, archive.trace, now)
    ok = not any(numbers[metric.name] for metric in METRICS if metric.kind == "gauge")
    told = [{**asdict(metric), "value": numbers[metric.name]} for metric in METRICS]
    screen.emit({"ok": ok, "org": folder.org, "metrics": told})
    for metric in METRICS:
        screen.show(f"{metric.name:<20}{numbers[metric.name]:>6}  {metric.meaning}")
    return Exit.FINE if ok else Exit.NO
