"""`manthan worlds`: which worlds there are, and whether one can be used: readable, consistent, without its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen
from shared.errors import ManthanError


@click.group()
def worlds() -> None:
    """List worlds, and check one before it is run.

    \b
    Examples:
      manthan worlds list
      manthan worlds check ./my-world
    """


@worlds.command("list")
@options.as_json
def show_all(as_json: bool) -> Exit:
    """Every shipped world with its title.

    \b
    Example:
      manthan worlds list --json
    """
    screen = Screen(as_json)
    from infra.worlds import find_world, load_world, shipped_worlds

    found = [load_world(find_world(name)) for name in shipped_worlds()]
    for world in found:
        screen.show(f"{world.name:<14} {world.manifest.title}")
    screen.emit({"worlds": [{"name": world.name, "title": world.manifest.title} for world in found]})
    return Exit.FINE


@worlds.command()
@click.argument("named", nargs=-1, metavar="[DIR]...")
@options.as_json
def check(named: tuple[str, ...], as_json: bool) -> Exit:
    """Refuse worlds that cannot be read, contradict themselves, or give their answer away. Default: all shipped.

    \b
    Examples:
      manthan worlds check ./my-world
      manthan worlds check --json

    Ends with 1 if anything was found.
    """
    screen = Screen(as_json)
    from infra.worlds import find_world, shipped_worlds

    results = [_checked(find_world(name)) for name in named or shipped_worlds()]
    for result in results:
        screen.show(f"{'ok  ' if result['ok'] else 'FAIL'}  {result['name']}")
        for problem in result["problems"]:
            screen.show(f"      {problem}")
    bad = sum(not result["ok"] for result in results)
    screen.emit({"worlds": results, "ok": len(results) - bad, "failed": bad})
    return Exit.NO if bad else Exit.FINE


@worlds.command()
@click.option("--write", "rewrite", is_flag=True, help="Write it instead of only comparing.")
@options.as_json
def reference(rewrite: bool, as_json: bool) -> Exit:
    """Compare the reference in infra/worlds/README.md with the code it is made from, or write it anew.

    \b
    Examples:
      manthan worlds reference
      manthan worlds reference --write

    Ends with 1 if it is out of date.
    """
    screen = Screen(as_json)
    from infra.worlds import reference as made

    text = made.README.read_text(encoding="utf-8")
    wanted = made.written(text)
    current = text == wanted
    if rewrite and not current:
        made.README.write_text(wanted, encoding="utf-8")
    screen.show("up to date" if current else "written" if rewrite else "out of date: manthan worlds reference --write")
    screen.emit({"current": current, "written": rewrite and not current})
    return Exit.FINE if current or rewrite else Exit.NO


def _checked(root: Path) -> dict[str, Any]:
    from infra.worlds.leaks import leaks

    try:
        problems = [str(leak) for leak in leaks(root)]
    except ManthanError as error:
        problems = str(error).splitlines()
    return {"name": root.name, "ok": not problems, "problems": problems}
