"""`manthan cases`: looking at cases. What opens or changes one is in opening.py and deciding.py, and listed here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.lazy import Entry, LazyGroup
from infra.cli.output import Exit, Screen

if TYPE_CHECKING:
    from infra.cli.archive import Archive
    from shared.case.case import Case

COMMANDS = {
    "list": Entry("infra.cli.cases:list_cases", "List cases, the latest change first."),
    "show": Entry("infra.cli.cases:show", "Show a case: brief, actions, timeline."),
    "open": Entry("infra.cli.opening:open_case", "Open a case from a person's request."),
    "watch": Entry("infra.cli.watching:watch", "Follow a case until it waits for people or ends."),
    "approve": Entry("infra.cli.deciding:approve", "Approve actions that wait."),
    "reject": Entry("infra.cli.deciding:reject", "Turn the recommendation down."),
    "exhibit": Entry("infra.cli.exhibiting:exhibit", "Write the printed exhibit of a case's evidence."),
    "edit": Entry("infra.cli.deciding:edit", "Change an action's texts; its approvals fall."),
    "answer": Entry("infra.cli.deciding:answer", "Answer the question that a case asks."),
}


@click.group(cls=LazyGroup, entries=COMMANDS)
def cases() -> None:
    """Look at cases, open them and decide about them, on the embedded store.

    Without --data, `list` shows every world that has run here, and the others find the folder that holds the case.
    """


@click.command("list")
@click.option("--state", "states", multiple=True, metavar="STATE", help="Only cases in this state; may be repeated.")
@options.data
@options.as_json
def list_cases(states: tuple[str, ...], data: Path | None, as_json: bool) -> Exit:
    """List cases, the latest change first.

    \b
    Examples:
      manthan cases list
      manthan cases list --state awaiting_approval --json
    """
    screen = Screen(as_json)
    from infra.cli import folder as folders
    from infra.cli.archive import anything_in, opened, require_state

    wanted = [require_state(name) for name in states]
    found: list[dict[str, Any]] = []
    for folder in folders.chosen(data):
        if anything_in(folder):
            with opened(folder) as archive:
                found += [_summary(archive, case) for case in archive.cases(wanted)]
    screen.emit({"cases": found, "count": len(found)})
    for item in found:
        _show_summary(screen, item)
    if not found:
        screen.show("no cases")
    return Exit.FINE


def _summary(archive: Archive, case: Case) -> dict[str, Any]:
    from infra.cli.result import instant

    decision = None if case.brief is None else case.brief.decision
    return {
        "case_id": case.id,
        "state": case.state.value,
        "subject": {"kind": case.subject.kind, "id": case.subject.id},
        "playbook": case.playbook,
        "summary": case.trigger.summary,
        "decision": None if decision is None else decision.kind.value,
        "amount_minor": None if decision is None else decision.amount_minor,
        "currency": None if decision is None else decision.currency,
        "updated_at": instant(case.updated_at),
        "org": case.org,
        "world": archive.folder.world,
        "data": str(archive.folder.path),
    }


def _show_summary(screen: Screen, item: dict[str, Any]) -> None:
    from infra.cli.text import inline, money, words

    amount = "" if item["amount_minor"] is None else f" {money(item['amount_minor'], item['currency'])}"
    screen.show(f"{item['case_id']}  {words(item['state']):<18} {item['decision'] or '-'}{amount}")
    screen.show(f"    {inline(item['summary'])}  ({item['data']})")


@click.command()
@click.argument("case")
@click.option("--evidence", "with_evidence", is_flag=True, help="Also every evidence row, with its query and link.")
@options.data
@options.as_json
def show(case: str, with_evidence: bool, data: Path | None, as_json: bool) -> Exit:
    """Show CASE: the brief with its citations, the actions with their verdicts, and the timeline.

    \b
    Examples:
      manthan cases show CASE
      manthan cases show CASE --evidence --json
    """
    from infra.cli.archive import holding, opened
    from infra.cli.showing import show_whole

    with opened(holding(case, data)) as archive:
        show_whole(Screen(as_json), archive, case, with_evidence=with_evidence)
    return Exit.FINE
