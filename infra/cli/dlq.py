"""`manthan dlq`: deliveries that nobody tries again by itself, and looking again at what they are about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.lazy import Entry, LazyGroup
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from shared.steps.dead_letters import DeadLetter

COMMANDS = {
    "list": Entry("infra.cli.dlq:list_letters", "List what waits for operators, oldest first."),
    "show": Entry("infra.cli.dlq:show", "Show one: why it is here, and what arrived."),
    "replay": Entry("infra.cli.dlq:replay", "Look again at what it is about, and close it."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def dlq() -> None:
    """Dead letters: deliveries that could not be understood, or that no attempt could deal with.

    Without --data they are those of the folder used last.
    """


@click.command("list")
@click.option("--all", "closed", is_flag=True, help="Also those that were replayed.")
@options.data
@options.as_json
def list_letters(closed: bool, data: Path | None, as_json: bool) -> Exit:
    """List what waits for operators, oldest first.

    \b
    Examples:
      manthan dlq list
      manthan dlq list --all --data DIR --json
    """
    screen = Screen(as_json)
    from infra.cli.archive import opened
    from infra.cli.folder import chosen
    from infra.cli.text import inline, moment
    from shared.steps.dead_letters import dead_letters

    with opened(chosen(data)[0]) as archive:
        found = dead_letters(archive.inbox, closed=closed)
    screen.emit({"dead_letters": [_as_json(letter) for letter in found], "count": len(found)})
    for letter in found:
        screen.show(inline(f"{letter.id}  {letter.status.value}  {moment(letter.received_at)} UTC  {letter.reason}"))
    if not found:
        screen.show("no dead letters")
    return Exit.FINE


@click.command()
@click.argument("letter")
@options.data
@options.as_json
def show(letter: str, data: Path | None, as_json: bool) -> Exit:
    """Show LETTER: why it is here, what it is about, and the request word for word.

    \b
    Example:
      manthan dlq show synthesize-1968800115bfe2b9c384 --json
    """
    screen = Screen(as_json)
    from infra.cli.archive import opened
    from infra.cli.folder import chosen
    from infra.cli.text import inline, moment
    from shared.steps.dead_letters import dead_letter

    with opened(chosen(data)[0]) as archive:
        found = dead_letter(archive.inbox, letter)
    screen.emit({**_as_json(found), "attributes": dict(found.attributes), "request": found.request})
    screen.show(inline(f"{found.id}  {found.status.value}  for {found.source}, {moment(found.received_at)} UTC"))
    screen.show(inline(f"  {found.reason}"))
    screen.show(inline(f"  about: {found.hint}"))
    screen.show(inline(f"  request: {found.request}"))
    return Exit.FINE


@click.command()
@click.argument("letter")
@click.option("--reason", required=True, help="What has been cured; it is kept with the letter.")
@options.as_email
@options.data
@options.as_json
def replay(letter: str, reason: str, email: str, data: Path | None, as_json: bool) -> Exit:
    """Look again at what LETTER is about, and close it. Takes an operator or admin.

    Not the old request is sent again, but what is due for its case by now, under a new generation: nothing that has
    been done meanwhile is done twice. The next command that runs the folder, or its `manthan dev`, carries it on.

    \b
    Example:
      manthan dlq replay synthesize-1968800115bfe2b9c384 --as EMAIL --reason "the model answers again"

    Ends with 1 if it was replayed already, and with 2 if it does not say what it is about.
    """
    screen = Screen(as_json)
    from infra.cli.aftermath import as_member, at_hand
    from infra.cli.folder import chosen
    from shared.steps import dead_letters as step

    folder = chosen(data)[0]
    with at_hand(folder) as ports:
        about = step.replay(ports, as_member(ports, folder.org, email), letter, reason)
        closed = step.dead_letter(ports.inbox, letter)
    screen.emit({**_as_json(closed), "about": about.model_dump(exclude_none=True)})
    screen.show(f"{letter}: {about.case_id or about.event_id} of {about.org} is looked at again")
    return Exit.FINE


def _as_json(letter: DeadLetter) -> dict[str, Any]:
    from infra.cli.result import instant

    return {
        "id": letter.id,
        "source": letter.source,
        "status": letter.status.value,
        "reason": letter.reason,
        "received_at": instant(letter.received_at),
        "hint": letter.hint,
    }
