"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print exactly one JSON document on stdout.")

data = click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The data folder. Default: that of the world, or the most recently used one.",
)

as_email = click.option(
    "--as",
    "email",
    required=True,
    metavar="EMAIL",
    help="Who you are: a member of the org. Taken at its word, on the embedded store only.",
)

no_run = click.option("--no-run", is_flag=True, help="Only record it; the next command that runs this folder goes on.")

cloud = click.option(
    "--cloud",
    is_flag=True,
    help="On Google's own emulators, every function in a process of its own; see `manthan dev --help`.",
)
