"""What a command says and how it ends: one document on stdout with --json, and exit codes that mean one thing each."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Mapping
from enum import IntEnum
from typing import Any

import click

from infra.cli.text import clean
from shared.errors import Conflict, InvalidInput, ManthanError, NotFound, Refused, Retryable


class Exit(IntEnum):
    """How a command ended."""

    FINE = 0
    NO = 1
    """A check failed, or a rule or the present state said no."""
    USAGE = 2
    """The request itself is wrong: an option, an input, a name that does not exist."""
    ENVIRONMENT = 3
    """This machine cannot do it, or not now: a program, a port, a folder, a database."""
    FAULT = 70
    """A fault of ours: the traceback on stderr is for a bug report."""
    INTERRUPTED = 130


class EnvironmentFault(ManthanError):
    """This machine lacks something; the message says what to do about it."""

    code = "environment"


class Screen:
    """Where a command's words go.

    Without --json all of them go to stdout. With it stdout holds the document alone, and progress goes to stderr.
    """

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json

    @property
    def is_live(self) -> bool:
        """Whether a person watches stdout on a terminal that can be redrawn."""
        return not self.as_json and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def say(self, text: str = "", *, bold: bool = False) -> None:
        """Progress: what is going on."""
        _echo(text, bold=bold, err=self.as_json)

    def show(self, text: str = "", *, bold: bool = False) -> None:
        """A result for people; with --json the document has it."""
        if not self.as_json:
            _echo(text, bold=bold, err=False)

    def emit(self, document: Mapping[str, Any]) -> None:
        """The one document; without --json nothing."""
        if self.as_json:
            print_document(document)


def _echo(text: str, *, bold: bool, err: bool) -> None:
    # print and not click.echo: a live picture takes the place of sys.stdout, and has to see what is written.
    stream, safe = (sys.stderr if err else sys.stdout), clean(text)
    # Flushed: whoever reads a pipe watches, too.
    print(click.style(safe, bold=True) if bold and stream.isatty() else safe, file=stream, flush=True)


def print_document(document: Mapping[str, Any]) -> None:
    """JSON to stdout; escaped to ASCII, so that no text in it can drive a terminal."""
    print(json.dumps(document, indent=2))


def end_with(error: BaseException, *, as_json: bool) -> Exit:
    """Say what went wrong, on stderr or as the document, and how the process should end."""
    code, message, status = _meaning(error)
    if status is Exit.FAULT:
        print("".join(traceback.format_exception(error)), end="", file=sys.stderr)
    if as_json:
        print_document({"error": {"code": code, "message": clean(message)}})
    else:
        _echo(f"manthan: {message}", bold=False, err=True)
    sys.stdout.flush()
    return status


def _meaning(error: BaseException) -> tuple[str, str, Exit]:
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return "interrupted", "interrupted; what was started has been stopped", Exit.INTERRUPTED
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return "usage", f"a command is missing\n\n{error.format_message()}", Exit.USAGE
    if isinstance(error, click.UsageError):
        usage = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
        return "usage", error.format_message() + usage, Exit.USAGE
    if isinstance(error, click.ClickException):
        return "usage", error.format_message(), Exit.USAGE
    if isinstance(error, ManthanError):
        return error.code, str(error), _status_of(error)
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        return "environment", f"{error.strerror or error}{where}", Exit.ENVIRONMENT
    return _other_meaning(error)


def _other_meaning(error: BaseException) -> tuple[str, str, Exit]:
    # Imported here: only a command that has used them can meet their errors.
    from infra.fakes.stripe.process import DoubleFailed

    if isinstance(error, DoubleFailed):
        return "environment", f"the simulated Stripe: {error}", Exit.ENVIRONMENT
    return "fault", f"a fault of ours: {type(error).__name__}", Exit.FAULT


def _status_of(error: ManthanError) -> Exit:
    from infra.fakes.emulators import EmulatorMissing
    from infra.local.faults import StoreBroken

    if isinstance(error, (InvalidInput, NotFound)):
        return Exit.USAGE
    if isinstance(error, (Refused, Conflict)):
        return Exit.NO
    if isinstance(error, (EnvironmentFault, EmulatorMissing, StoreBroken, Retryable)):
        return Exit.ENVIRONMENT
    return Exit.NO
