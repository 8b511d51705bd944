"""`manthan cases approve|reject|edit|answer`: what people decide, and having the pipeline go on with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.cli import options
from infra.cli.output import Exit, Screen
from shared.errors import InvalidInput

if TYPE_CHECKING:
    from shared.case.case import Case
    from shared.steps.context import Ports, RequestContext

    Decide = Callable[[Ports, RequestContext], Case]


@click.command()
@click.argument("case")
@click.argument("actions", nargs=-1)
@options.as_email
@options.no_run
@options.data
@options.as_json
def approve(case: str, actions: tuple[str, ...], email: str, no_run: bool, data: Path | None, as_json: bool) -> Exit:
    """Approve ACTIONS of CASE (without any: all that wait), and let the pipeline go on.

    An approval holds for the content as it is now: an action that is edited later loses it. The same person approving
    twice counts once.

    \b
    Examples:
      manthan cases approve CASE --as EMAIL
      manthan cases approve CASE ACTION --as EMAIL

    Ends with 1 if the approval is refused, and then approves nothing.
    """
    from shared.steps import people

    return _decided(
        Screen(as_json), case, email, data, not no_run, lambda ports, who: people.approve(ports, who, case, actions)
    )


@click.command()
@click.argument("case")
@click.option("--reason", required=True, help="Why; it is kept with the case.")
@options.as_email
@options.no_run
@options.data
@options.as_json
def reject(case: str, reason: str, email: str, no_run: bool, data: Path | None, as_json: bool) -> Exit:
    """Turn the recommendation on CASE down: nothing that has not begun will happen.

    \b
    Example:
      manthan cases reject CASE --reason "already settled by phone" --as EMAIL
    """
    from shared.steps import people

    return _decided(
        Screen(as_json), case, email, data, not no_run, lambda ports, who: people.reject(ports, who, case, reason)
    )


@click.command()
@click.argument("case")
@click.argument("action")
@click.option("--set", "texts", metavar="NAME=TEXT", multiple=True, help="Set a field of the action to this text.")
@click.option("--set-json", "values", metavar="NAME=JSON", multiple=True, help="Set a field to this JSON value.")
@options.as_email
@options.no_run
@options.data
@options.as_json
def edit(
    case: str,
    action: str,
    texts: tuple[str, ...],
    values: tuple[str, ...],
    email: str,
    no_run: bool,
    data: Path | None,
    as_json: bool,
) -> Exit:
    """Change the texts of ACTION of CASE. Its approvals, and those of what depends on it, fall.

    Texts only: targets and amounts follow from the decision. NAME may reach into a nested field with a dot.

    \b
    Examples:
      manthan cases edit CASE ACTION --set subject="Your credit" --as EMAIL
      manthan cases edit CASE stripe_stage_evidence-002cb7218b --set evidence.uncategorized_text="..." --as ...
    """
    from shared.steps import people

    changes = [(name, text) for name, text in map(_pair, texts)]
    changes += [(name, _parsed(name, text)) for name, text in map(_pair, values)]
    if not changes:
        raise click.UsageError("say what to change: --set NAME=TEXT or --set-json NAME=JSON")

    def decide(ports: Ports, who: RequestContext) -> Case:
        return people.edit(ports, who, case, action, _merged(ports, who, case, action, changes))

    return _decided(Screen(as_json), case, email, data, not no_run, decide)


@click.command()
@click.argument("case")
@click.argument("option")
@click.option("--note", default="", help="A note that is kept with the answer.")
@click.option("--question", "question_id", metavar="ID", help="Which question; default: the open one.")
@options.as_email
@options.no_run
@options.data
@options.as_json
def answer(
    case: str,
    option: str,
    note: str,
    question_id: str | None,
    email: str,
    no_run: bool,
    data: Path | None,
    as_json: bool,
) -> Exit:
    """Answer the question that CASE asks with OPTION, one of its ways out (see `manthan cases show CASE`).

    \b
    Example:
      manthan cases answer CASE reinvestigate --as EMAIL
    """
    from shared.steps import people

    return _decided(
        Screen(as_json),
        case,
        email,
        data,
        not no_run,
        lambda ports, who: people.answer(ports, who, case, option, note=note, question_id=question_id),
    )


def _decided(screen: Screen, case_id: str, email: str, data: Path | None, run: bool, decide: Decide) -> Exit:
    """Find the case, decide, go on, and tell how it stands."""
    from infra.cli.aftermath import carry_on, only_record
    from infra.cli.archive import holding
    from infra.cli.render import show_end
    from infra.cli.result import case_json

    folder = holding(case_id, data)
    found, audited = (carry_on if run else only_record)(screen, folder, case_id, email, decide)
    screen.emit(case_json(found, chain_ok=audited.ok))
    show_end(screen, found, audited)
    return Exit.FINE


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.UsageError(f"{text!r} is not NAME=VALUE")
    return name, value


def _parsed(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(f"the value of {name} is not JSON") from None


def _merged(
    ports: Ports, who: RequestContext, case_id: str, action_id: str, changes: list[tuple[str, Any]]
) -> dict[str, Any]:
    """The changes by field: a dotted name changes one entry of a nested field and keeps the others."""
    from shared.steps.texts import action_with_texts

    record = ports.store.read(who.org, case_id)
    found = record.case.action(action_id) if record is not None else None
    payload = action_with_texts(ports.store, record.case, found).payload if record is not None and found else {}
    merged: dict[str, Any] = {}
    for name, value in changes:
        outer, dot, inner = name.partition(".")
        if not dot:
            merged[outer] = value
            continue
        present = merged.get(outer, payload.get(outer))
        merged[outer] = {**(present if isinstance(present, dict) else {}), inner: value}
    return merged
