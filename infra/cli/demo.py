"""`manthan demo`: a world from its first event to its end, on this machine alone."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.stage import Stage


@click.command()
@click.argument("world", default="aperture")
@click.option(
    "--approve-as",
    metavar="EMAIL",
    multiple=True,
    help="Approve as this member; may be repeated. Default: eligible members in order, as many as are needed.",
)
@options.data
@click.option("--fresh/--keep", default=True, help="Start over (default), or go on with what the data folder holds.")
@options.cloud
@options.as_json
def demo(world: str, approve_as: tuple[str, ...], data: Path | None, fresh: bool, cloud: bool, as_json: bool) -> Exit:
    """Settle the cases of WORLD: a shipped world's name, or a folder.

    Its events are sent, signed, to the webhook; specialists investigate; people approve; what was approved is carried
    out at a simulated Stripe; and the world goes on until nothing is left to happen. Nothing leaves this machine.

    \b
    Examples:
      manthan demo
      manthan demo aperture --json
      manthan demo aperture --approve-as EMAIL
      manthan demo ./my-world --data /tmp/my-world --keep
      manthan demo aperture --cloud

    Ends with 0 if every case was resolved, and with 1 if there was none, or one ended otherwise or rightly waits for
    a person. With --cloud nothing is kept but mails and logs, and it ends with 3 without the emulators.
    """
    if cloud and not fresh:
        raise click.UsageError("the emulators keep nothing that --keep could go on with")
    started = monotonic()
    screen = Screen(as_json)
    from infra.cli.approving import Approvers
    from infra.cli.performance import cases_json, ignored_of, on_stage, perform
    from infra.cli.progress import narrating
    from infra.cli.result import run_json
    from infra.cli.staging import place_of

    with on_stage(world, data, fresh=fresh, **place_of(screen, cloud=cloud)) as stage:
        screen.say(f"{stage.world.name}: {stage.world.manifest.title}", bold=True)
        with narrating(stage, screen) as narrator:
            stage.deliver_events()
            perform(stage, Approvers(approve_as), narrator)
        if as_json:
            elapsed_ms = round((monotonic() - started) * 1000)
            screen.emit(run_json(cases_json(stage), ignored_of(stage), elapsed_ms))
        else:
            _show_outcome(screen, stage, kept=not cloud)
        return _ended(screen, stage)


def _show_outcome(screen: Screen, stage: Stage, *, kept: bool) -> None:
    from infra.cli.next_steps import show_next_steps
    from infra.cli.performance import audited, ignored_of, with_their_texts
    from infra.cli.render import show_case, show_end
    from shared.case.lifecycle import State
    from shared.steps.reports import read_evidence

    for case in with_their_texts(stage):
        if case.state is State.MANUAL_REVIEW:
            # Nobody was asked to approve, so nobody has seen the brief yet.
            show_case(screen, case, read_evidence(stage.ports.store, case))
        show_end(screen, case, audited(stage, case))
    for entry in ignored_of(stage):
        screen.show(f"  acknowledged, nothing to do: {entry.type} {entry.id} ({entry.reason})")
    screen.show()
    screen.show(f"What was written to people: {stage.outbox}")
    data = _data_option(stage)
    for case in stage.cases() if kept else ():
        show_next_steps(screen, case, stage.world.org, data)
        screen.show(f"Look again:                 manthan cases show {case.id} --evidence{data}")
        screen.show(f"Verify the log:             manthan audit verify {case.id}{data}")


def _data_option(stage: Stage) -> str:
    from infra.cli.folder import recent

    return "" if any(folder.path == stage.data for folder in recent()) else f" --data {stage.data}"


def _ended(screen: Screen, stage: Stage) -> Exit:
    from infra.cli.text import words
    from shared.case.lifecycle import WAITING_FOR_PEOPLE, State

    open_cases = [case for case in stage.cases() if case.state is not State.RESOLVED]
    for case in open_cases:
        waits = "waits for a person" if case.state in WAITING_FOR_PEOPLE else "was not resolved"
        screen.say(f"{case.id} {waits}: it is {words(case.state.value)} ({case.state_reason})")
    if not stage.cases():
        screen.say("nothing in this world opened a case: see what was ignored, and why")
        return Exit.NO
    return Exit.NO if open_cases else Exit.FINE
