"""manthan simulate: the pipeline in a world where everything goes wrong, seed by seed, judged by an auditor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.simulation.campaign import Campaign, Judged

_EVERY: Final = 100
"""So many seeds lie between two lines of progress."""
_STORIES: Final = 3
"""So many failing seeds are told in full; the others by their command alone."""


@click.command()
@click.option("--seeds", type=click.IntRange(1), default=200, show_default=True, help="How many runs.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The first of them.")
@click.option("--story", is_flag=True, help="Tell what happened, also when nothing was wrong with it.")
@options.as_json
def simulate(seeds: int, seed: int, story: bool, as_json: bool) -> Exit:
    """Run the real functions against simulated ports, with crashes, lost answers and odd people, from one seed each.

    The same seed gives the same run. Time is virtual: a run of weeks takes milliseconds. An auditor that shares no code
    with the pipeline judges every run from its event logs and the simulated world.

    \b
    Examples:
      manthan simulate
      manthan simulate --seeds 2000 --json
      manthan simulate --seed 17 --seeds 1 --story
    """
    screen = Screen(as_json)
    from infra.simulation.campaign import campaign

    told: list[int] = []

    def on_failure(judged: Judged) -> None:
        _tell(screen, judged, in_full=not story and len(told) < _STORIES)
        told.append(judged.seed)

    def on_progress(total: Campaign) -> None:
        if total.seeds % _EVERY == 0:
            screen.say(f"{total.seeds} seeds, {total.cases} cases, {len(total.violations)} violations")

    if story:
        _tell_all(screen, seed, seeds)
    total = campaign(seed, seeds, on_failure, on_progress)
    screen.emit(total.document())
    _sum_up(screen, total)
    return Exit.NO if total.violations else Exit.FINE


def _tell_all(screen: Screen, seed: int, seeds: int) -> None:
    from infra.simulation.campaign import judge
    from infra.simulation.story import story

    for number in range(seed, seed + seeds):
        screen.say(f"seed {number}", bold=True)
        for line in story(judge(number).played):
            screen.say(f"  {line}")


def _tell(screen: Screen, judged: Judged, *, in_full: bool) -> None:
    from infra.simulation.story import story

    screen.say(f"seed {judged.seed} broke a rule; to see it again: {judged.replay}", bold=True)
    for violation in judged.violations:
        screen.say(f"  {violation.rule}: {violation.detail}")
    for line in story(judged.played) if in_full else ():
        screen.say(f"    {line}")


def _sum_up(screen: Screen, total: Campaign) -> None:
    screen.show(f"{total.seeds} seeds from {total.first_seed}: {total.cases} cases, {total.port_calls} port calls")
    screen.show(
        f"{sum(total.faults.values())} faults of {len(total.faults)} kinds in {total.steps} deliveries and visits"
    )
    screen.show(f"{total.simulated_s / 86_400:.0f} simulated days, {total.cases_per_s:.1f} cases per second")
    screen.show(f"{len(total.violations)} violations", bold=True)
