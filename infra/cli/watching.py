"""`manthan cases watch`: following a case that another command runs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.cli.archive import Archive
    from shared.case.case import Case

EVERY_S: Final = 0.3
"""How often we look for news."""


@click.command()
@click.argument("case")
@click.option("--once", is_flag=True, help="Show what has happened so far, and end.")
@options.data
@options.as_json
def watch(case: str, once: bool, data: Path | None, as_json: bool) -> Exit:
    """Follow CASE: what its specialists do and what happens to it.

    Ends by itself when the case waits for people or has ended, and when no command runs its folder any more.

    \b
    Examples:
      manthan cases watch CASE
      manthan cases watch CASE --once --json
    """
    screen = Screen(as_json)
    from infra.cli.archive import holding, opened
    from infra.cli.text import words

    folder = holding(case, data)
    with opened(folder) as archive:
        found, lines = follow(archive, case, screen, once=once)
    screen.emit({"case_id": found.id, "state": found.state.value, "events": found.events, "lines": lines})
    screen.show(f"{found.id} is {words(found.state.value)}: {found.state_reason}")
    if not _stands_still(found) and not once:
        screen.show(f"no command runs {folder.path} at the moment, so nothing more will happen")
    return Exit.FINE


def follow(archive: Archive, case_id: str, screen: Screen, *, once: bool = False) -> tuple[Case, list[str]]:
    """Say what happens to a case until it waits for people or has ended, or nothing runs its folder; `once`: so far.

    Returns the case as it then stands, and the lines.
    """
    from infra.cli.reel import Reel

    reel, pause, lines = Reel(archive.store, archive.trace), threading.Event(), list[str]()
    while True:
        runs = not once and archive.folder.in_use
        found = archive.case(case_id)
        for line in reel.news([found]):
            screen.say(line)
            lines.append(line)
        if _stands_still(found) or not runs:
            return found, lines
        pause.wait(EVERY_S)


def _stands_still(case: Case) -> bool:
    from shared.case.lifecycle import WAITING_FOR_PEOPLE

    return case.terminal or case.state in WAITING_FOR_PEOPLE
