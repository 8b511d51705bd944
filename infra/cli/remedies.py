"""`manthan rules remedies`: which actions carry out a decision in which state, and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen

_HEAD = """# Remedies

Which actions carry out a decision, by what the case is about and where that stands at Stripe. What is not listed is not
legal, and the table says why. The product decides by exactly this table (`shared/playbooks/disputes/remedies.py`); this
page is made from it by `manthan rules remedies --markdown`, and a test keeps the two the same.

Beside the table:

- An action that waits for `dispute.won` is judged as if the dispute were won: it runs only then.
- Evidence and closing need a `due_by` that lies ahead. 0 or null: the dispute cannot be answered (lost on arrival among
  them); past: Stripe takes no answer any more.
- Contesting a compliance case costs 500 USD extra: only a person may accept that.
- A refund of an inquiry is the whole of what is left of the charge: less does not resolve it.
- Closing is the only way to accept, and nothing is refunded beside it: the bank keeps the money.
- A refund that was made before is evidence, not an action.
- Money owed while a chargeback is open is paid after a win, or as a credit outside the charge where the merchant's
  policy names that.
- A refund on a charge that carries a dispute obeys the strictest of its disputes, whatever the case is about.
- What has begun stays legal while its own effects change the state of the dispute.
"""


@click.command()
@click.option("--markdown", is_flag=True, help="As the page docs/remedies.md.")
@options.as_json
def remedies(markdown: bool, as_json: bool) -> Exit:
    """The remedy table: decision by state, with the actions that carry it out or the reason why none may.

    \b
    Examples:
      manthan rules remedies
      manthan rules remedies --json
      manthan rules remedies --markdown > docs/remedies.md
    """
    screen = Screen(as_json)
    rows = list(_rows())
    screen.emit({"remedies": rows})
    if markdown:
        screen.show(_page(rows).rstrip("\n"))
        return Exit.FINE
    for row in rows:
        told = ", ".join(row["actions"]) or f"not legal: {row['why']}"
        screen.show(f"{row['state']} | {row['decision']} | {told}")
    return Exit.FINE


def _rows() -> Iterator[dict[str, Any]]:
    from shared.case.brief import DecisionKind
    from shared.playbooks.disputes.remedies import OF_OTHERS, REMEDIES, why_not, why_not_others
    from shared.playbooks.disputes.stages import Stage

    for stage in Stage:
        for decision in DecisionKind:
            kinds = REMEDIES.get(decision, {}).get(stage, frozenset())
            why = why_not(stage, decision)
            yield {"state": stage.value, "decision": decision.value, "actions": _named(kinds), "why": why}
    for subject, table in OF_OTHERS.items():
        for decision in DecisionKind:
            why = why_not_others(subject, decision)
            kinds = table.get(decision, frozenset())
            yield {"state": _object(subject), "decision": decision.value, "actions": _named(kinds), "why": why}


def _named(kinds: frozenset[Any]) -> list[str]:
    return sorted(kind.value for kind in kinds)


def _object(subject: str) -> str:
    from shared.playbooks.disputes.remedies import OBJECTS

    return OBJECTS[subject]


def _page(rows: list[dict[str, Any]]) -> str:
    lines = [_HEAD]
    for state in dict.fromkeys(row["state"] for row in rows):
        lines += [f"## {state[0].upper()}{state[1:]}", "", "| decision | carried out by | why not |", "|---|---|---|"]
        for row in rows:
            if row["state"] == state:
                told = ", ".join(f"`{kind}`" for kind in row["actions"])
                lines.append(f"| {row['decision']} | {told} | {row['why'] or ''} |")
        lines.append("")
    return "\n".join(lines)
