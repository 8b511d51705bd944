"""`manthan eval`: running worlds and comparing with what they should come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.cli.trial import Trial


@click.command("eval")
@click.argument("worlds", nargs=-1, metavar="[DIR]...")
@options.cloud
@options.as_json
def evaluate(worlds: tuple[str, ...], cloud: bool, as_json: bool) -> Exit:
    """Run worlds and compare each with its expect.yaml. DIR: a shipped world's name or a folder; default: all shipped.

    Every world runs in a temporary folder, with eligible members approving in order. At the end, what our decisions
    about disputes are worth beside accepting all and fighting all, fees included.

    \b
    Examples:
      manthan eval
      manthan eval aperture ./my-world --json
      manthan eval aperture --cloud

    Ends with 1 if any check fails.
    """
    screen = Screen(as_json)
    from infra.cli.baselines import baselines
    from infra.cli.staging import shared_place
    from infra.cli.trial import tried
    from infra.worlds import find_world, shipped_worlds

    roots = [find_world(name) for name in worlds or shipped_worlds()]
    trials: list[Trial] = []
    with shared_place(screen, cloud=cloud) as place:
        for root in roots:
            screen.say(f"{root.name} runs ({len(trials) + 1} of {len(roots)}) ...")
            trials.append(tried(root, place))
            _show(screen, trials[-1])
    passed = sum(trial.passed for trial in trials)
    failed = len(trials) - passed
    balances = baselines((trial.org, trial.judged) for trial in trials)
    screen.emit(
        {
            "worlds": [_as_json(trial) for trial in trials],
            "passed": passed,
            "failed": failed,
            "baselines": [balance.as_json() for balance in balances],
        }
    )
    for balance in balances:
        screen.show(str(balance))
    screen.show(f"{passed} passed, {failed} failed", bold=True)
    return Exit.NO if failed else Exit.FINE


def _as_json(trial: Trial) -> dict[str, Any]:
    """A world for other programs: `got` and `expected` hold one entry per case, in the same order."""
    return {
        "name": trial.name,
        "passed": trial.passed,
        "failures": [failure for case in trial.judged for failure in case.failures],
        "got": [case.got_json() for case in trial.judged],
        "expected": [case.expected_json() for case in trial.judged],
        "not_checked": [f"{case.subject}: {name}" for case in trial.judged for name in case.not_checked],
        "checks": [check for case in trial.judged for check in case.checks_json()],
    }


def _show(screen: Screen, trial: Trial) -> None:
    screen.show(trial.name, bold=True)
    if not trial.judged:
        screen.show("  no case was expected, and none was opened")
    for case in trial.judged:
        screen.show(f"  {'pass' if case.passed else 'FAIL'}  {case.subject}")
        for check in case.checks:
            told = "" if check.passed else f": expected {check.expected}, found {check.found}"
            screen.show(f"    {'pass' if check.passed else 'FAIL'}  {check.name}{told}")
        for name in case.not_checked:
            screen.show(f"    NOT CHECKED  {name}: this evaluation does not know it")
