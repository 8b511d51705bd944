"""`manthan doctor`: whether this machine has what is needed, and what to do where it has not."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path

import click

from infra.cli import options
from infra.cli.output import Exit, Screen


@click.command()
@options.data
@options.as_json
def doctor(data: Path | None, as_json: bool) -> Exit:
    """Check Python, packages, the data folder, SQLite, ports, the simulated Stripe and the query processes; and with
    MANTHAN_RUNTIME=google whether the settings are complete and what they name can be reached.

    \b
    Examples:
      manthan doctor
      manthan doctor --json

    Ends with 3 if something that is needed is missing.
    """
    screen = Screen(as_json)
    from infra.cli.configuration import diagnose_configuration
    from infra.cli.diagnosis import diagnose
    from infra.cli.folder import ROOT

    found = []
    for result in chain(diagnose(data or ROOT), diagnose_configuration(os.environ)):
        found.append(result)
        screen.show(f"{'ok  ' if result.ok else 'FAIL'}  {result.name}: {result.detail}")
        if result.fix:
            screen.show(f"      {result.fix}")
    ok = all(result.ok for result in found)
    screen.emit({"ok": ok, "checks": [result.as_json() for result in found]})
    return Exit.FINE if ok else Exit.ENVIRONMENT
