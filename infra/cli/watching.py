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

_EVERY_S: Final = 0.3


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
      manthan cases watch case_745290e3c6e0a5b84ac6
      manthan cases watch case_745290e3c6e0a5b84ac6 --once --json
    """
    screen = Screen(as_json)
    from infra.cli.archive import holding, opened
    from infra.cli.text import words

    folder = holding(case, data)
    with opened(folder) as archive:
        reel = _Reel(archive, case)
        pause = threading.Event()
        while True:
            runs = not once and folder.in_use
            found = reel.play(screen)
            if _ends(found) or not runs:
                break
            pause.wait(_EVERY_S)
    screen.emit({"case_id": found.id, "state": found.state.value, "events": found.events, "lines": reel.lines})
    screen.show(f"{found.id} is {words(found.state.value)}: {found.state_reason}")
    if not _ends(found) and not once:
        screen.show(f"no command runs {folder.path} at the moment, so nothing more will happen")
    return Exit.FINE


def _ends(case: Case) -> bool:
    from shared.case.lifecycle import WAITING_FOR_PEOPLE

    return case.terminal or case.state in WAITING_FOR_PEOPLE


class _Reel:
    """The log and the trace of one case, as far as they have been shown."""

    def __init__(self, archive: Archive, case_id: str) -> None:
        from infra.cli.progress import Follower

        self._archive = archive
        self._case_id = case_id
        self._follower = Follower(archive.store)
        self._traced = 0
        self.lines: list[str] = []

    def play(self, screen: Screen) -> Case:
        """Show what is new; the case as it stands."""
        from infra.cli.progress import Line
        from infra.cli.text import inline, moment, words

        case = self._archive.case(self._case_id)
        news = self._follower.news([case])
        for line in self._archive.trace.list(case.org, case.id, self._traced):
            details = " ".join(f"{name}={value}" for name, value in line.details.items())
            text = inline(f"{words(line.lane)} {line.what} {details}")
            news.append(Line(line.at, f"{moment(line.at)}  {text}"))
            self._traced = line.seq
        for told in sorted(news, key=lambda line: line.at):
            screen.say(told.text)
            self.lines.append(told.text)
        return case
