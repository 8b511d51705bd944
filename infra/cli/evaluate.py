"""`manthan eval`: running worlds and comparing with what they should come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.cli.expected import Judged


@click.command("eval")
@click.argument("worlds", nargs=-1, metavar="[DIR]...")
@options.as_json
def evaluate(worlds: tuple[str, ...], as_json: bool) -> Exit:
    """Run worlds and compare each with its expect.yaml. DIR: a shipped world's name or a folder; default: all shipped.

    Every world runs in a temporary folder, with eligible members approving in order.

    \b
    Examples:
      manthan eval
      manthan eval aperture ./my-world --json

    Ends with 1 if any check fails.
    """
    screen = Screen(as_json)
    from infra.cli.trial import tried
    from infra.worlds import find_world, shipped_worlds

    roots = [find_world(name) for name in worlds or shipped_worlds()]
    results: list[tuple[str, list[Judged]]] = []
    for root in roots:
        screen.say(f"{root.name} runs ...")
        name, judged = tried(root)
        _show(screen, name, judged)
        results.append((name, judged))
    verdicts = [all(case.passed for case in judged) for _, judged in results]
    passed, failed = verdicts.count(True), verdicts.count(False)
    screen.emit({"worlds": [_as_json(name, judged) for name, judged in results], "passed": passed, "failed": failed})
    screen.show(f"{passed} passed, {failed} failed", bold=True)
    return Exit.NO if failed else Exit.FINE


def _as_json(name: str, judged: list[Judged]) -> dict[str, Any]:
    """A world for other programs: `got` and `expected` hold one entry per case, in the same order."""
    return {
        "name": name,
        "passed": all(case.passed for case in judged),
        "failures": [failure for case in judged for failure in case.failures],
        "got": [case.got_json() for case in judged],
        "expected": [case.expected_json() for case in judged],
        "not_checked": [f"{case.subject}: {name}" for case in judged for name in case.not_checked],
        "checks": [check for case in judged for check in case.checks_json()],
    }


def _show(screen: Screen, name: str, judged: list[Judged]) -> None:
    screen.show(name, bold=True)
    if not judged:
        screen.show("  no case was expected, and none was opened")
    for case in judged:
        screen.show(f"  {'pass' if case.passed else 'FAIL'}  {case.subject}")
        for check in case.checks:
            told = "" if check.passed else f": expected {check.expected}, found {check.found}"
            screen.show(f"    {'pass' if check.passed else 'FAIL'}  {check.name}{told}")
        for name in case.not_checked:
            screen.show(f"    NOT CHECKED  {name}: this evaluation does not know it")
