"""`manthan audit`: reading a case's log again, on its own."""

from __future__ import annotations

from pathlib import Path

import click

from infra.cli import options
from infra.cli.output import Exit, Screen


@click.group()
def audit() -> None:
    """Verify what is stored against what was recorded."""


@audit.command()
@click.argument("case")
@options.data
@options.as_json
def verify(case: str, data: Path | None, as_json: bool) -> Exit:
    """Re-read CASE from the store: every hash, the chain, the order, the state, the evidence, the texts.

    It finds edits, removals and insertions. A log that was rewritten as a whole only an anchor outside would show.

    \b
    Examples:
      manthan audit verify CASE
      manthan audit verify CASE --json

    A text that was erased leaves its hash, and is no problem. Ends with 1 if there is any.
    """
    screen = Screen(as_json)
    from infra.cli.archive import holding, opened
    from infra.cli.text import count
    from shared.steps.audit import audit as audit_case

    with opened(holding(case, data)) as archive:
        found = audit_case(archive.store, archive.folder.org, case)
    screen.emit(
        {
            "case_id": found.case_id,
            "ok": found.ok,
            "events": found.events,
            "evidence": found.evidence,
            "texts": found.texts,
            "erased": found.erased,
            "problems": list(found.problems),
        }
    )
    told = f"{count(found.events, 'event')}, {count(found.evidence, 'evidence row')}, {count(found.texts, 'text')}"
    told += f" ({found.erased} erased)" if found.erased else ""
    screen.show(f"{found.case_id}: {'verified' if found.ok else 'NOT verified'}, {told}")
    for problem in found.problems:
        screen.show(f"  {problem}")
    return Exit.FINE if found.ok else Exit.NO
