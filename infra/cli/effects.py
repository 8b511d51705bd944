"""`manthan effects`: the kill switch. While it is on, nothing that was approved is carried out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.lazy import Entry, LazyGroup
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.cli.switching import Standing
    from shared.case.case import Case
    from shared.ports.effects import Stop

COMMANDS = {
    "stop": Entry("infra.cli.effects:stop", "Carry out nothing from now on."),
    "start": Entry("infra.cli.effects:start", "Carry out again what is approved, at once."),
    "status": Entry("infra.cli.effects:status", "Say whether effects are stopped, since when and by whom."),
}

_everywhere = click.option(
    "--all/--org", "everywhere", default=False, help="For every org, or for the folder's (default)."
)


@click.group(cls=LazyGroup, entries=COMMANDS)
def effects() -> None:
    """The kill switch, on the embedded store: it is looked at right before every call that changes the outside world.

    Cases go on being investigated and approved meanwhile. Without --data it is that of the folder used last.
    """


@click.command()
@click.option("--reason", default="", help="Why; it is shown to whoever asks for the status.")
@options.as_email
@_everywhere
@options.data
@options.as_json
def stop(reason: str, email: str, everywhere: bool, data: Path | None, as_json: bool) -> Exit:
    """Stop effects at once, also those of a command that runs the folder. Takes an approver or admin.

    What was approved stays approved. A call that has left is not taken back.

    \b
    Examples:
      manthan effects stop --as EMAIL --reason "refunds look wrong"
      manthan effects stop --all --as EMAIL --data DIR --json
    """
    screen = Screen(as_json)
    from infra.cli import switching
    from infra.cli.folder import chosen

    changed, standing = switching.stop(chosen(data)[0], email, reason, everywhere=everywhere)
    if not changed:
        screen.say("they were stopped already; nothing has changed")
    return _told(screen, standing)


@click.command()
@options.as_email
@_everywhere
@options.no_run
@options.data
@options.as_json
def start(email: str, everywhere: bool, no_run: bool, data: Path | None, as_json: bool) -> Exit:
    """Let effects happen again, and carry out at once what is approved. Takes an approver or admin.

    Lifts exactly one stop: that of the org, or with --all the one for every org.

    \b
    Examples:
      manthan effects start --as EMAIL
      manthan effects start --all --as EMAIL --no-run --json
    """
    screen = Screen(as_json)
    from infra.cli import switching
    from infra.cli.folder import chosen

    folder = chosen(data)[0]
    before = switching.open_cases(folder)
    lifted, standing = switching.start(folder, email, everywhere=everywhere)
    if not lifted:
        screen.say("there was no such stop")
    if standing.stopped or no_run:
        return _told(screen, standing)
    switching.sweep_at_once(screen, folder)
    return _told(screen, standing, switching.open_cases(folder, before))


@click.command()
@options.data
@options.as_json
def status(data: Path | None, as_json: bool) -> Exit:
    """Say whether effects are stopped for the folder's org or everywhere, since when, by whom and why.

    \b
    Examples:
      manthan effects status
      manthan effects status --data DIR --json
    """
    screen = Screen(as_json)
    from infra.cli import switching
    from infra.cli.folder import chosen

    return _told(screen, switching.standing(chosen(data)[0]))


def _told(screen: Screen, standing: Standing, cases: Sequence[Case] | None = None) -> Exit:
    """The switch as it stands, for people and programs; after a start with what came of the cases that were open."""
    from infra.cli.render import show_standing
    from infra.cli.text import inline, moment

    folder = standing.folder
    document: dict[str, Any] = {
        "org": folder.org,
        "stopped": standing.stopped,
        "stopped_for_org": _as_json(standing.of_org),
        "stopped_everywhere": _as_json(standing.everywhere),
        "data": str(folder.path),
    }
    if cases is not None:
        document["cases"] = [{"case_id": case.id, "state": case.state.value} for case in cases]
    screen.emit(document)
    for case in cases or ():
        show_standing(screen, case)
    for scope, found in ((f"of {folder.org}", standing.of_org), ("everywhere", standing.everywhere)):
        if found is None:
            screen.show(f"effects {scope}: not stopped")
        else:
            why = f": {found.reason}" if found.reason else ""
            screen.show(inline(f"effects {scope}: stopped since {moment(found.at)} UTC by {found.by}{why}"))
    return Exit.FINE


def _as_json(found: Stop | None) -> dict[str, str] | None:
    from infra.cli.result import instant

    return None if found is None else {"by": found.by, "reason": found.reason, "since": instant(found.at)}
