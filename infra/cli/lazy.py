"""A group whose commands are imported when they are used: help stays fast, and no command pays for another's needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from infra.cli.output import Exit, end_with


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a command is, as `module:name`, and its one line in the help of its group."""

    target: str
    help: str


class LazyGroup(click.Group):
    """A group whose commands are named in a table: importing one does not import the others."""

    def __init__(self, *args: Any, entries: Mapping[str, Entry], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command, unless it was added to the group itself. None when there is none of this name."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return super().get_command(ctx, cmd_name)
        module, _, name = entry.target.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self.entries.items()])


class Root(LazyGroup):
    """The outermost group: turns whatever a command ends in into words and an exit code."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *rest: Any, **extra: Any) -> Any:
        """Run a command line and exit: the single place where errors become exit codes."""
        import sys

        given = list(sys.argv[1:] if args is None else args)
        raise SystemExit(int(self._run(given, prog_name, extra)))

    def _run(self, args: list[str], prog_name: str | None, extra: dict[str, Any]) -> Exit | int:
        as_json = "--json" in args
        try:
            ended = super().main(args, prog_name or "manthan", **{**extra, "standalone_mode": False})
            return ended if isinstance(ended, int) else Exit.FINE
        except BrokenPipeError:
            return _reader_is_gone()
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the one shell around every command
            return end_with(error, as_json=as_json)


def _reader_is_gone() -> Exit:
    """Whoever read our output has seen enough; the interpreter must not try to flush the rest."""
    import os
    import sys

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.NO
