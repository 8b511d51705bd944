"""The command line's front door: which commands there are, and nothing that any of them needs."""

from __future__ import annotations

import gc
import sys

import click

from infra.cli.lazy import Entry, Root

COMMANDS = {
    "demo": Entry("infra.cli.demo:demo", "Settle a world's cases, from the first event to the last payment."),
    "trigger": Entry("infra.cli.trigger:trigger", "Deliver a signed event: once, several times at once, out of order."),
    "dev": Entry("infra.cli.dev:dev", "Serve every function on a local port, and follow what happens."),
    "cases": Entry("infra.cli.cases:cases", "Look at cases; open, approve, edit, reject, answer."),
    "effects": Entry("infra.cli.effects:effects", "The kill switch: stop and start what changes the outside world."),
    "dlq": Entry("infra.cli.dlq:dlq", "Dead letters: list, show, replay."),
    "eval": Entry("infra.cli.evaluate:evaluate", "Run worlds and compare with what they should come to."),
    "worlds": Entry("infra.cli.worlds:worlds", "List worlds; check that one can be used and leaks no answer."),
    "rules": Entry("infra.cli.rules:rules", "Explain dispute codes, fees, windows and thresholds, with sources."),
    "audit": Entry("infra.cli.audit:audit", "Re-read a case's log and verify it."),
    "bench": Entry("infra.cli.bench:bench", "Measure what orchestration costs beside bare transactions."),
    "simulate": Entry("infra.cli.simulate:simulate", "Run it where everything goes wrong; an auditor judges."),
    "health": Entry(
        "infra.cli.health:health", "What alerts are about: overdue, stuck, unknown, refused, dead letters."
    ),
    "doctor": Entry("infra.cli.doctor:doctor", "Check that this machine has what is needed."),
}
"""Every command by name. A new one is a line here and a module of its own."""


@click.group(cls=Root, entries=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="manthan", prog_name="manthan")
def cli() -> None:
    """Manthan settles payment disputes: it investigates, proposes with citations, asks whom it must, and acts.

    \b
    Examples:
      manthan demo                            settle a chargeback on this machine
      manthan demo aperture --json            the same, as one JSON document
      manthan cases list                      what the demo left behind
      manthan cases show CASE --evidence      the brief, every cited row, the timeline
      manthan audit verify CASE               is the log what was written?
      manthan dev                             every function on a port of its own
      manthan doctor                          is everything here that is needed?

    With --json, stdout is exactly one JSON document, also for errors ({"error": {"code", "message"}}); progress goes
    to stderr.

    \b
    Exit codes:
      0    fine
      1    a check failed, or a rule or the case's state said no (a refused approval, a case not resolved)
      2    usage: an option, an input or a name that does not exist
      3    environment: a program, a port, a folder or a database is missing or busy
      70   a fault of ours
      130  interrupted
    """


def main() -> None:
    """Run `manthan` with the process's arguments and exit."""
    # A command is short: collecting what imports leave behind would take a tenth of its time.
    gc.set_threshold(50_000, 20, 100)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")  # a terminal that knows fewer characters than we do
    cli.main()
